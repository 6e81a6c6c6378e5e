import type { Domain, Platform } from '../domain.ts'
import { mcpRoutes, type McpFixtures } from './routes.ts'

/** The MCP server: endpoints as tools for agents (D-156). */
export const mcpDomain = (
  { db, secrets, public_url }: Platform,
  version: string,
  fixtures: McpFixtures | undefined,
): Domain => ({
  mount: (http) => mcpRoutes(http, { db, secrets, public_url, version, fixtures }),
})

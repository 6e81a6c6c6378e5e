import type { Domain, Platform } from '../domain.ts'
import { mcpRoutes } from './routes.ts'

/** The MCP server: endpoints as tools for agents (D-156). */
export const mcpDomain = ({ db, secrets, public_url }: Platform, version: string): Domain => ({
  mount: (http) => mcpRoutes(http, { db, secrets, public_url, version }),
})

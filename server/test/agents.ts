import { Client, StreamableHTTPClientTransport, type ElicitResult } from '@modelcontextprotocol/client'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { mcp_path } from '../../contract/mcp.ts'
import type { TestService } from './harness.ts'
import { givePoints, someApp, someTokens, someUser } from './world.ts'

export type Answer = ElicitResult | Promise<ElicitResult>

export const yes: ElicitResult = { action: 'accept', content: { yes: true } }

interface AgentOptions {
  /** Answers questions. Without it, the client declares that it cannot ask. */
  onQuestion?: (message: string) => Answer
  /** The newest revision by default. */
  mode?: 'legacy' | 'auto'
}

/** A client of the protocol's SDK, connected with this token. */
export async function connectAgent(
  plaza: { url: string },
  token: string,
  { onQuestion, mode = 'auto' }: AgentOptions = {},
) {
  const about = { name: 'an agent', version: '1.0.0' }
  const capabilities = onQuestion ? { elicitation: {} } : {}
  const client = new Client(about, { capabilities, versionNegotiation: { mode } })
  if (onQuestion) client.setRequestHandler('elicitation/create', ({ params }) => onQuestion(params.message))
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(plaza.url + mcp_path), { requestInit }))
  /** The answer of the tool: its result, or the body of its failure. */
  const call = async (name: string, sent: Record<string, unknown> = {}) => {
    const { isError = false, content, structuredContent } = await client.callTool({ name, arguments: sent })
    const [{ text = '' } = {}] = content as { text?: string }[]
    return isError ? { failure: JSON.parse(text) as Record<string, unknown> } : { result: structuredContent }
  }
  return { client, call }
}

/** A person with points, and an app with a token of these scopes for `/mcp`. */
export async function agentWorld(
  plaza: TestService,
  {
    points = 0,
    scopes = ['profile:read', 'points:read', 'points:spend', 'points:transfer'] as Scope[],
    url = plaza.url,
  } = {},
) {
  const [user, app] = [await someUser(plaza), await someApp(plaza, { scopes })]
  if (points > 0) await givePoints(plaza, user, points)
  const tokens = await someTokens(plaza, app, user, scopes, url + mcp_path)
  return { user, app, tokens }
}

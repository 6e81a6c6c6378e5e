import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { described, text } from './schema.ts'
import { protectedResource } from './system.ts'

/** The path of the MCP server; appended to the service's address, it is the resource identifier (RFC 8707). */
export const mcp_path = '/mcp'

const json_rpc = described('Always `2.0`', text)
const message_id = Type.Optional(described('The id of the message: a text or a number', Type.Unknown()))

export const callTools = endpoint(`POST ${mcp_path}`, {
  tag: 'Agents',
  summary: 'The MCP server, whose tools are endpoints of this API',
  description:
    'Speaks the Model Context Protocol over Streamable HTTP, revision 2026-07-28, and earlier revisions without sessions. It takes ' +
    'tokens whose `resource` is this address; they work nowhere else. A tool has the name, the texts and the schemas of its ' +
    'endpoint; it is listed if the token has its scope. A tool that moves points first asks the person by form elicitation, unless ' +
    'they have set a daily limit for the app. A failed tool returns a result with `isError` and the body of the failure as its text. ' +
    'A message outside the protocol gets the protocol’s error, with status 400 or 404.',
  auth: 'agent',
  cors: 'none',
  accepts_any_body: true,
  origin: 'extension',
  decision: 'D-156',
  body: Type.Object({
    jsonrpc: json_rpc,
    id: message_id,
    method: described('The method of the protocol, such as `tools/call`', text),
    params: Type.Optional(described('Its parameters', Type.Object({}, { additionalProperties: true }))),
  }),
  response: Type.Object(
    { jsonrpc: json_rpc, id: message_id },
    { additionalProperties: true, description: 'The result or the error of the message, as the protocol defines it' },
  ),
  fails: ['origin_not_allowed', 'confirmation_needed', 'confirmation_declined'],
})

export const agentResource = endpoint(`GET /.well-known/oauth-protected-resource${mcp_path}`, {
  ...protectedResource,
  summary: 'Discovery of the MCP server as an OAuth resource (RFC 9728)',
  description: 'Every 401 of `/mcp` names this address in `WWW-Authenticate`.',
  origin: 'extension',
  decision: 'D-156',
})

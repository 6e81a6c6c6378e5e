import type { Tool as ListedTool } from '@modelcontextprotocol/server'
import type { Declaration } from '../../contract/endpoint.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { operations } from '../../contract/operations.ts'

interface Fields {
  properties?: Record<string, object>
  required?: string[]
}

/** A tool of the MCP server: an endpoint marked in the contract, with its name, texts and schemas. */
export interface Tool {
  name: string
  endpoint: Declaration
  scope: Scope
  /** The arguments: all fields of the request by name; those of headers have `_` instead of `-`. */
  input: { type: 'object'; properties: Record<string, object>; required: string[] }
}

export type Arguments = Record<string, unknown>

const argumentName = (header: string) => header.replaceAll('-', '_')

/** The fields of a part of a request, by argument name. */
function fieldsOf(schema: object | undefined, nameOf: (field: string) => string = (field) => field) {
  const { properties = {}, required = [] } = (schema ?? {}) as Fields
  return Object.entries(properties).map(([field, rule]) => ({
    field,
    name: nameOf(field),
    rule,
    is_required: required.includes(field),
  }))
}

const partsOf = ({ params, query, headers, body }: Declaration) => ({
  params: fieldsOf(params),
  query: fieldsOf(query),
  headers: fieldsOf(headers, argumentName),
  body: fieldsOf(body),
})

function toolOf(name: string, endpoint: Declaration): Tool {
  if (typeof endpoint.auth !== 'object') throw new Error(`${name} takes no access token, so it can be no tool`)
  const fields = Object.values(partsOf(endpoint)).flat()
  return {
    name,
    endpoint,
    scope: endpoint.auth.scope,
    input: {
      type: 'object',
      properties: Object.fromEntries(fields.map(({ name: argument, rule }) => [argument, rule])),
      required: fields.filter(({ is_required }) => is_required).map(({ name: argument }) => argument),
    },
  }
}

/** Every tool by its name, which is the operation's name in the OpenAPI document. */
export const tools: ReadonlyMap<string, Tool> = new Map(
  Object.entries(operations)
    .filter(([, { tool }]) => tool !== undefined)
    .map(([name, endpoint]) => [name, toolOf(name, endpoint)]),
)

/** A schema without the marks specific to our document. */
const plain = (schema: object) =>
  JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => (key.startsWith('x-') ? undefined : value)),
  ) as ListedTool['inputSchema']

/** The tools in the protocol's list, for a token of these scopes. */
export const listedTools = (scopes: readonly Scope[]): ListedTool[] =>
  [...tools.values()]
    .filter(({ scope }) => scopes.includes(scope))
    .map(({ name, input, endpoint: { summary, description, response, tool } }) => ({
      name,
      title: summary,
      description: [summary, description].filter(Boolean).join('. '),
      inputSchema: plain(input),
      outputSchema: plain(response),
      annotations: { readOnlyHint: tool === 'reads', destructiveHint: tool !== 'reads', openWorldHint: false },
    }))

/** The request to a tool's endpoint, with arguments that its schema allows. */
export function requestOf({ endpoint }: Tool, sent: Arguments) {
  const parts = partsOf(endpoint)
  const given = (fields: ReturnType<typeof fieldsOf>) =>
    fields
      .filter(({ name }) => sent[name] !== undefined)
      .map(({ field, name }): [string, unknown] => [field, sent[name]])
  const texts = (fields: ReturnType<typeof fieldsOf>) =>
    given(fields).map(([field, value]): [string, string] => [field, String(value)])
  const params = new Map(texts(parts.params))
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params.get(name) ?? ''))
  const query = new URLSearchParams(texts(parts.query)).toString()
  return {
    method: endpoint.method,
    url: query === '' ? path : `${path}?${query}`,
    headers: Object.fromEntries(texts(parts.headers)),
    ...(endpoint.body && { body: Object.fromEntries(given(parts.body)) }),
  }
}

/** Whether a client can show forms to the person (elicitation). A client that declares no mode supports forms. */
export function canAsk(capabilities: { elicitation?: object } | undefined) {
  const modes = capabilities?.elicitation
  return modes !== undefined && ('form' in modes || Object.keys(modes).length === 0)
}

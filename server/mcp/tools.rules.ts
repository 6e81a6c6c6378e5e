import type { Tool as ListedTool } from '@modelcontextprotocol/server'
import type { Declaration } from '../../contract/endpoint.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { operations } from '../../contract/operations.ts'

interface Fields {
  properties?: Record<string, object>
  required?: string[]
}

/** A tool of the MCP server: an endpoint that the contract marks, with its name, texts and schemas. */
export interface Tool {
  name: string
  endpoint: Declaration
  scope: Scope
  /** The arguments: all fields of the request, by their names; those of headers have `_` for `-`. */
  input: { type: 'object'; properties: Record<string, object>; required: string[] }
}

export type Arguments = Record<string, unknown>

const argumentName = (header: string) => header.replaceAll('-', '_')

/** The fields of a part of a request by the names of their arguments. */
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

/** Every tool by its name, which is that of the operation in the OpenAPI document. */
export const tools: ReadonlyMap<string, Tool> = new Map(
  Object.entries(operations)
    .filter(([, { tool }]) => tool !== undefined)
    .map(([name, endpoint]) => [name, toolOf(name, endpoint)]),
)

/** A schema without the marks that only our own document has. */
const plain = (schema: object) =>
  JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => (key.startsWith('x-') ? undefined : value)),
  ) as ListedTool['inputSchema']

/** The tools as the protocol lists them, for a token of these scopes. */
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

/** The request to the endpoint of a tool with arguments that its schema allows. */
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

/** Whether a client shows forms to its person (elicitation). A client that declares no mode has forms. */
export function canAsk(capabilities: { elicitation?: object } | undefined) {
  const modes = capabilities?.elicitation
  return modes !== undefined && ('form' in modes || Object.keys(modes).length === 0)
}

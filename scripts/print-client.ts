import { failures, publicError } from '../contract/errors.ts'
import type { Declaration } from '../contract/endpoint.ts'
import { operations } from '../contract/operations.ts'
import { docComment, TypePrinter, type Schema } from './schema-types.ts'

interface Media {
  schema: Schema
  'x-events'?: Record<string, Schema>
}

interface Operation {
  operationId: string
  summary: string
  description?: string
  security: Record<string, readonly string[]>[]
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
  'x-caller'?: string
}

interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: { summary: string; requestBody: { content: Record<string, Media> } } }>
  components: { schemas: Record<string, Schema>; [kind: string]: Record<string, unknown> }
}

/** An operation with its path and method. */
interface Placed {
  method: string
  path: string
  operation: Operation
}

const folder = 'client/src/generated'
const head = '// Printed from the OpenAPI document by `npm run print`: edit the contract, not this file.\n'

/** The interfaces of the client. The security of an operation determines which of them has its call. */
const callers = {
  OpenCalls: { file: 'open-calls', security: '', who: 'Calls that anybody may make.' },
  PersonCalls: { file: 'person-calls', security: 'jwt', who: 'Calls of a person.' },
  AdminCalls: { file: 'admin-calls', security: 'jwt', who: 'Calls of an admin.' },
  TokenCalls: { file: 'token-calls', security: 'oauth2', who: 'Calls of an app that acts for a person.' },
  AppCalls: { file: 'app-calls', security: 'client', who: 'Calls of an app by itself.' },
  TokenOrAppCalls: {
    file: 'token-or-app-calls',
    security: 'oauth2 client',
    who: 'Calls of an app by itself, and for its owner.',
  },
  AnyCalls: {
    file: 'any-calls',
    security: 'oauth2 client jwt',
    who: 'Calls of a person, and of an app by itself or for a person.',
  },
} as const

/** The generated files of `@plaza/client` by path, from the OpenAPI document. */
export function printClient(json: Record<string, unknown>): Record<string, string> {
  const document = json as unknown as Document
  const placed = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Placed => ({
      method: method.toUpperCase(),
      path,
      operation: withParts(document, operation),
    })),
  )
  const calls = Object.keys(callers).map((name) => callsFile(placed, name as keyof typeof callers))
  return Object.fromEntries(
    [...calls, pathsFile(placed), resourcesFile(document), payloadsFile(document), codesFile()].map(([name, text]) => [
      `${folder}/${name}.ts`,
      `${head}${text}`,
    ]),
  )
}

/** The operation with its shared parameters and responses resolved. */
const withParts = (document: Document, operation: Operation): Operation => ({
  ...operation,
  parameters: (operation.parameters ?? []).map((parameter) => resolved<Parameter>(document, parameter)),
  responses: Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => [
      status,
      resolved<{ content?: Record<string, Media> }>(document, response),
    ]),
  ),
})

function callerOf({ operation }: Placed): keyof typeof callers {
  // If credentials are optional, the call sends them in its body.
  const is_optional = operation.security.some((scheme) => Object.keys(scheme).length === 0)
  const security = is_optional ? '' : operation.security.flatMap(Object.keys).join(' ')
  if (security === 'jwt') return operation['x-caller'] === 'admin' ? 'AdminCalls' : 'PersonCalls'
  const found = Object.entries(callers).find(([, caller]) => caller.security === security)
  if (!found) throw new Error(`${operation.operationId}: the client has no credentials for “${security}”`)
  return found[0] as keyof typeof callers
}

function callsFile(placed: readonly Placed[], name: keyof typeof callers): [string, string] {
  const { file, who } = callers[name]
  const own = placed.filter((each) => callerOf(each) === name)
  const references = new Set<string>()
  const methods = own.map((each) => methodText(each, references))
  const used = (word: string) => methods.some((text) => text.includes(word))
  const imports = [
    ...(used('EventStream<') ? ["import type { EventStream } from '../event-stream.ts'\n"] : []),
    `import type { ${['CallOptions', 'KeyedOptions', 'StreamOptions'].filter((option) => used(`options?: ${option}`)).join(', ')} } from '../options.ts'\n`,
    ...(references.size > 0 ? [`import type { ${[...references].sort().join(', ')} } from './resources.ts'\n`] : []),
  ]
  return [file, `${imports.join('')}\n/** ${who} */\nexport interface ${name} {\n${methods.join('\n')}}\n`]
}

function methodText(placed: Placed, references: Set<string>) {
  const { method, path, operation } = placed
  const { operationId: id, summary, description } = operation
  const input = inputOf(placed, references)
  const options = eventsOf(operation) ? 'StreamOptions' : isKeyed(operation) ? 'KeyedOptions' : 'CallOptions'
  const comment = docComment(
    [summary, ...(description === undefined ? [] : [description]), `\`${method} ${path}\`${refusalsOf(id)}`],
    2,
  )
  const answer = answerOf(operation, references)
  return `${comment}  readonly ${id}: (${input}, options?: ${options}) => ${answer}\n`
}

/** The failures of this operation, except those that every operation has. */
function refusalsOf(id: string) {
  const { fails = [] } = (operations as Record<string, Declaration>)[id] ?? {}
  const codes = [...new Set(fails.map(publicError))]
  return codes.length === 0 ? '' : `. Refuses with ${codes.map((code) => `\`${code}\``).join(', ')}.`
}

/** The fields of path, query and body in one object. No two fields of an operation have the same name. */
function inputOf({ operation }: Placed, references: Set<string>): string {
  const { operationId: id, requestBody } = operation
  const printer = new TypePrinter({ of_input: true })
  const fields = (operation.parameters ?? []).filter(
    (each) => each.in !== 'header' && !(eventsOf(operation) && each.name === 'last_event_id'),
  )
  const body = requestBody?.content['application/json']?.schema
  const body_fields = Object.keys(body?.properties ?? {})
  const twice = fields.find(({ name }) => body_fields.includes(name))
  if (twice) throw new Error(`${id} has ${twice.name} twice`)
  const parameters: Schema = {
    type: 'object',
    properties: {
      ...Object.fromEntries(fields.map(({ name, schema, description }) => [name, described(schema, description)])),
      ...body?.properties,
    },
    required: [
      ...fields.filter((each) => each.required).map(({ name }) => name),
      ...(requestBody?.required === false ? [] : (body?.required ?? [])),
    ],
  }
  const is_one_object = !body || (body.properties && !body.oneOf && !body.anyOf && !body.$ref)
  const own = Object.keys(parameters.properties ?? {}).length > 0 || !body ? printer.typeOf(parameters, 2) : ''
  const type = is_one_object ? own : [own, printer.typeOf(body, 2)].filter((part) => part !== '').join(' & ')
  for (const name of printer.references) references.add(name)
  const is_optional = is_one_object && parameters.required?.length === 0
  return `input${is_optional ? '?' : ''}: ${type}`
}

const described = (schema: Schema, description: string | undefined): Schema =>
  description === undefined ? schema : { ...schema, description }

function resolved<Part>(document: Document, part: Part | { $ref: string }): Part {
  if (typeof part !== 'object' || part === null || !('$ref' in part)) return part as Part
  const [, , kind = '', name = ''] = part.$ref.split('/')
  return document.components[kind]?.[name] as Part
}

const successesOf = ({ responses }: Operation) =>
  Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, { content = {} }]) => content)

const eventsOf = (operation: Operation) =>
  successesOf(operation)
    .map((content) => content['text/event-stream']?.['x-events'])
    .find((events) => events !== undefined)

const isKeyed = ({ parameters = [] }: Operation) =>
  parameters.some(({ in: place, name }) => place === 'header' && name.toLowerCase() === 'idempotency-key')

function answerOf(operation: Operation, references: Set<string>): string {
  const printer = new TypePrinter()
  const events = eventsOf(operation)
  const typeOf = () => {
    if (events)
      return `EventStream<${printer.typeOf({ type: 'object', properties: events, required: Object.keys(events) }, 2)}>`
    if (isCsv(operation)) return 'Promise<ReadableStream<Uint8Array>>'
    const bodies = successesOf(operation).map((content) => content['application/json']?.schema)
    const types = bodies.map((body) => (body ? printer.typeOf(body, 2) : 'undefined'))
    return `Promise<${[...new Set(types)].join(' | ')}>`
  }
  const type = typeOf()
  for (const name of printer.references) references.add(name)
  return type
}

const isCsv = ({ operationId }: Operation) => operations[operationId]?.path.endsWith('.csv') ?? false

function pathsFile(placed: readonly Placed[]): [string, string] {
  const lines = placed.map((each) => {
    const { method, path, operation } = each
    const marks = [
      ...(callerOf(each) === 'OpenCalls' ? ['open'] : []),
      ...(isKeyed(operation) ? ['keyed'] : []),
      ...(isCsv(operation) ? ['csv'] : []),
      ...(eventsOf(operation) ? ['events'] : []),
      ...queryBesideBody(each).map((name) => `?${name}`),
    ]
    return `  ${operation.operationId}: '${[method, path, ...marks].join(' ')}',\n`
  })
  const comment =
    '/** Method and path of each operation. `open`: takes no credentials. `keyed`: takes an Idempotency-Key. `csv`, `events`: what it answers. `?…`: a field of the query where there is a body. */'
  return ['paths', `\n${comment}\nexport const operations: Readonly<Record<string, string>> = {\n${lines.join('')}}\n`]
}

const queryBesideBody = ({ method, operation: { parameters = [] } }: Placed) =>
  method === 'GET' ? [] : parameters.filter((each) => each.in === 'query').map(({ name }) => name)

/** Failures become `PlazaError`s, so their bodies have no types. */
const isBodyOfFailure = (name: string) => name.endsWith('Error')

function resourcesFile({ components }: Document): [string, string] {
  const types = Object.entries(components.schemas)
    .filter(([name]) => !isBodyOfFailure(name))
    .map(([name, schema]) => {
      const comment = schema.description === undefined ? '' : docComment([schema.description], 0)
      return `\n${comment}export type ${name} = ${new TypePrinter().typeOf(schema)}\n`
    })
  return ['resources', types.join('')]
}

function payloadsFile(document: Document): [string, string] {
  const { webhooks } = document
  const printer = new TypePrinter()
  const payloads = Object.entries(webhooks).map(([type, { post }]) => {
    const media = post.requestBody.content['application/json']
    const { data } = (media && resolved<Schema>(document, media.schema).properties) ?? {}
    if (!data) throw new Error(`the webhook ${type} has no data`)
    return `${docComment([post.summary], 2)}  '${type}': ${printer.typeOf(data, 2)}\n`
  })
  const imports =
    printer.references.size > 0
      ? `import type { ${[...printer.references].sort().join(', ')} } from './resources.ts'\n`
      : ''
  return [
    'webhook-payloads',
    `${imports}\n/** The data of each event that Plaza sends to webhooks. */\nexport interface WebhookPayloads {\n${payloads.join('\n')}}\n`,
  ]
}

function codesFile(): [string, string] {
  const codes = [...new Set((Object.keys(failures) as (keyof typeof failures)[]).map(publicError))].sort()
  const lines = codes.map((code) => `  | '${code}'\n`)
  return ['codes', `\n/** The codes of the service’s refusals. */\nexport type FailureCode =\n${lines.join('')}`]
}

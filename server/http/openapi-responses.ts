import type { TSchema } from 'typebox'
import type { DecisionId } from '../../contract/decision-texts.ts'
import type { Declaration } from '../../contract/endpoint.ts'
import { failures, publicError, type FailureCode } from '../../contract/errors.ts'
import { field_errors } from '../../contract/field-errors.ts'
import { not_permitted_fields } from '../../contract/kinds/secret-permissions.ts'
import { operation_examples } from '../../contract/examples.ts'
import { admin_roles } from '../../contract/kinds/admin-roles.ts'
import { member_roles } from '../../contract/kinds/member-roles.ts'
import { described, one_of } from '../../contract/schema.ts'
import { exampleOf } from './schema-example.ts'
import type { JsonSchema } from './json-schema.ts'
import { framework_details } from '../../contract/framework-failures.ts'
import { oauthErrorOf, oauthStatusOf } from './render-failure.ts'

export interface Response {
  description: string
  'x-decision'?: DecisionId
  headers?: Record<string, JsonSchema>
  /** Absent if the response has no body. */
  content?: Record<string, Media>
}

export interface Media {
  schema: JsonSchema
  example?: unknown
  examples?: Record<string, { value: unknown }>
  /** The data of each event of a stream, by the event's name. */
  'x-events'?: Record<string, JsonSchema>
}

const text: JsonSchema = { type: 'string' }
const object = (properties: Record<string, JsonSchema>, required = Object.keys(properties)): JsonSchema => ({
  type: 'object',
  properties,
  required,
})

const error_code = { type: 'string', description: 'A stable code for programs' }
const error_message = { type: 'string', description: 'A sentence for people' }

/** The body formats of failures (D-03). */
export const error_schemas = {
  Error: {
    ...object({ error: error_code, message: error_message }),
    description: 'Why a call was refused',
    'x-decision': 'D-03',
  },
  ValidationError: {
    ...object({
      error: { ...error_code, const: 'validation_failed' },
      message: error_message,
      fields: {
        type: 'array',
        description: 'Each field that is missing or wrong, at most 20',
        items: object({
          path: { type: 'string', description: 'Which field, such as `redirect_uris.1`; empty for the whole body' },
          message: { type: 'string', description: 'What is wrong with it' },
        }),
      },
    }),
    description: 'Which fields of a request are missing or wrong',
    'x-decision': 'D-04',
  },
  OAuthError: {
    ...object({ error: error_code, error_description: error_message }, ['error']),
    description: 'The format of RFC 6749, for everything that can go wrong at these calls',
    'x-decision': 'D-03',
  },
  FrameworkError: {
    ...object({
      errors: {
        ...object({ detail: { type: 'string', description: 'The name of the status, and what would help' } }),
        description: 'What went wrong',
      },
    }),
    description: 'What was refused, or broke, before the endpoint’s own code ran',
    'x-decision': 'D-03',
  },
} satisfies Record<string, JsonSchema>

const header = (decision: DecisionId, description: string, example: string): JsonSchema => ({
  description,
  schema: text,
  example,
  'x-decision': decision,
})

export const headers: Record<string, JsonSchema> = {
  RateLimit: header(
    'D-05',
    'What is left of the limit, and in how many seconds it starts afresh',
    '"default";r=2;t=3541',
  ),
  'RateLimit-Policy': header('D-05', 'The limit: requests (q) in a window of seconds (w)', '"default";q=3;w=3600'),
  'Retry-After': header('D-05', 'Seconds after which the call may be repeated', '30'),
  'WWW-Authenticate': header(
    'D-04',
    'Bearer with the address of the resource metadata (RFC 9728), and the error where a token was sent (RFC 6750)',
    'Bearer resource_metadata="https://plaza.example/.well-known/oauth-protected-resource", error="invalid_token"',
  ),
  'WWW-Authenticate-Basic': header('D-23', 'For a client that used the Authorization header', 'Basic realm="plaza"'),
  ETag: {
    description: 'The tag of this content: sent as `If-None-Match`, it gets 304 while nothing has changed',
    schema: text,
    example: 'W/"Zp8R3nQ0m3VtY1d2xkZp8R"',
  },
  'Idempotency-Replayed': header('D-09', '`true` if this repeats the first answer to the same key', 'true'),
}

const component = (kind: 'schemas' | 'headers', name: string): JsonSchema => ({ $ref: `#/components/${kind}/${name}` })

/** A failure response of one endpoint; `code` is its entry in `contract/errors.ts`, or `framework`. */
interface Answer {
  status: number
  code: FailureCode | 'framework'
  body: { error?: string; [field: string]: unknown }
}

/** The response to a request with the current entity tag (RFC 9110 §13.1.2). */
const not_modified: Response = {
  description: 'Nothing has changed since the content with this tag',
  headers: { ETag: component('headers', 'ETag') },
}

/** Every response of an endpoint: successes, declared failures, and failures that follow from its declaration. */
export function responsesOf(endpoint: Declaration): Record<string, Response> {
  const responses: Record<string, Response> = {}
  for (const status of endpoint.status ?? [200]) responses[status] = successOf(endpoint, status)
  if (endpoint.accepted)
    responses[202] = {
      ...successOf({ ...endpoint, response: endpoint.accepted }, 202),
      description: 'It waits for another person',
    }
  if (endpoint.revalidates) responses[304] = not_modified
  const answers = [...failuresOf(endpoint).flatMap((code) => answersOf(endpoint, code)), ...frameworkAnswers(endpoint)]
  for (const status of [...new Set(answers.map((answer) => answer.status))].sort((a, b) => a - b))
    responses[status] = failureOf(
      endpoint,
      status,
      answers.filter((answer) => answer.status === status),
    )
  return responses
}

function successOf(endpoint: Declaration, status: number): Response {
  const names = limitHeaders(endpoint)
  if (endpoint.headers && 'idempotency-key' in endpoint.headers.properties) names.push('Idempotency-Replayed')
  if (endpoint.revalidates) names.push('ETag')
  return {
    description: status === 201 ? 'Created' : 'Done',
    ...(status === 201 && { 'x-decision': 'D-01' as const }),
    ...headersOf(names),
    content: contentOf(endpoint),
  }
}

function contentOf(endpoint: Declaration): Response['content'] {
  const { events, download = 'application/json', response } = endpoint
  const schema = response as JsonSchema
  if (!events) return { [download]: withExample(endpoint, 'response', schema) }
  return { 'text/event-stream': { schema, example: exampleOfStream(events as Events), 'x-events': events as Events } }
}

/** The first event of a stream, as sent. */
function exampleOfStream(events: Events) {
  const [[name, data] = ['', {}]] = Object.entries(events)
  return `event: ${name}\ndata: ${JSON.stringify(exampleOf(data))}\n\n`
}

/** A body with its example: the one in contract/examples.ts, or one that is generated from the schema. */
export function withExample({ method, path }: Declaration, part: 'body' | 'response', schema: JsonSchema) {
  return { schema, example: operation_examples[`${method} ${path}`]?.[part] ?? exampleOf(schema) }
}

type Events = Record<string, JsonSchema>

const limitHeaders = ({ limit }: Declaration) => (limit ? ['RateLimit', 'RateLimit-Policy'] : [])

function headersOf(names: readonly string[], others: Record<string, string> = {}): Pick<Response, 'headers'> {
  const all = { ...Object.fromEntries(names.map((name) => [name, name])), ...others }
  if (Object.keys(all).length === 0) return {}
  return {
    headers: Object.fromEntries(Object.entries(all).map(([name, entry]) => [name, component('headers', entry)])),
  }
}

const refusals_of_secrets = ['secret_not_permitted', 'secret_address_not_allowed'] as const
const oauth_refusals_of_secrets = ['unauthorized_client'] as const

const all_roles = [...member_roles, ...admin_roles]

/** The schemas of the fields that a failure has besides `error` and `message`. */
const fieldsOf = ({ failure_fields }: Declaration, code: FailureCode): Record<string, TSchema> | undefined =>
  code === 'secret_not_permitted' || code === 'secret_address_not_allowed'
    ? not_permitted_fields
    : code === 'role_required'
      ? { role: described('A role that includes the call: in the team, or as an admin', one_of(all_roles)) }
      : failure_fields?.[code]

/** The failure codes of an endpoint: declared ones, and those that follow from its auth, input and limit. */
export function failuresOf(endpoint: Declaration): FailureCode[] {
  const { auth, secret_permission, params, query, headers: wanted, body, errors, accepts_any_body, limit } = endpoint
  const codes: FailureCode[] = []
  if (auth === 'client') codes.push('client_credentials_missing', 'client_unauthorized', 'rate_limited')
  else if (auth !== 'none') codes.push('unauthorized', 'invalid_token')
  if (typeof auth === 'object') {
    codes.push('insufficient_scope')
    if (auth.or_client) codes.push('client_unauthorized', 'client_not_approved', 'client_lacks_scope', 'rate_limited')
  }
  if (auth === 'admin') codes.push('admin_only', 'role_required', 'second_factor_required')
  if (secret_permission) codes.push(...(errors === 'oauth' ? oauth_refusals_of_secrets : refusals_of_secrets))
  if (endpoint.team_role)
    codes.push(
      ...(auth === 'user'
        ? (['not_found', 'second_factor_required', 'role_required'] as const)
        : (['not_app_owner'] as const)),
    )
  codes.push(...(endpoint.fails ?? []))
  if (endpoint.takes_proof) codes.push('invalid_dpop_proof', 'use_dpop_nonce')
  if (params || query || wanted || (body && errors !== 'oauth' && !accepts_any_body)) codes.push('validation_failed')
  if (limit) codes.push('rate_limited')
  return [...new Set(codes)]
}

function answersOf(endpoint: Declaration, code: FailureCode): Answer[] {
  const { status, message } = failures[code]
  const error = publicError(code)
  if (endpoint.errors === 'oauth') {
    const oauth_status = oauthStatusOf(code)
    const statuses = error === 'invalid_client' ? [oauth_status, 401] : [oauth_status]
    return statuses.map((each) => ({ status: each, code, body: { error, error_description: message } }))
  }
  const fields = code === 'validation_failed' && {
    fields: [{ path: someField(endpoint), message: field_errors.required }],
  }
  return [{ status, code, body: { error, message, ...fields, ...examplesOf(fieldsOf(endpoint, code)) } }]
}

const examplesOf = (more: Record<string, TSchema> = {}) =>
  Object.fromEntries(Object.entries(more).map(([name, schema]) => [name, exampleOf(schema as JsonSchema, name)]))

function someField({ body, query, params, headers: wanted }: Declaration) {
  const schemas = [body, query, params, wanted] as (JsonSchema | undefined)[]
  const names = schemas.flatMap((schema) => schema?.required ?? Object.keys(schema?.properties ?? {}))
  return names[0] ?? ''
}

/** The failures of the framework at this endpoint. */
function frameworkAnswers(endpoint: Declaration): Answer[] {
  const { method, params, errors } = endpoint
  const has_body = method !== 'GET'
  const refuses = has_body || params || failuresOf(endpoint).length > 0
  const statuses = [
    ...(has_body || params ? [400] : []),
    ...(has_body ? [408, 413, 415] : []),
    ...(params ? [414] : []),
    // Any request may get it; it is listed only if no other error is.
    ...(refuses ? [] : [431]),
    500,
    503,
  ]
  return statuses.map((status) => {
    const detail = framework_details[status] ?? ''
    const body =
      errors === 'oauth' ? { error: oauthErrorOf(status), error_description: detail } : { errors: { detail } }
    return { status, code: 'framework', body }
  })
}

const status_descriptions: Record<number, string> = {
  400: 'The request is invalid',
  401: 'The credentials are missing, invalid or not sufficient',
  403: 'The caller may not do this',
  404: 'The resource does not exist, or belongs to somebody else',
  409: 'The request conflicts with the current state',
  408: 'The body arrived too slowly',
  413: 'The body is too large',
  414: 'The path is too long',
  415: 'The media type of the body is not supported',
  422: 'Some input is missing or invalid',
  429: 'Too many requests',
  431: 'The headers are too large',
  500: 'Internal error; the log of the service has an entry with the X-Request-Id',
  503: 'Temporarily unavailable',
}

function failureOf(endpoint: Declaration, status: number, answers: readonly Answer[]): Response {
  const names = status === 429 ? limitHeaders(endpoint) : []
  if (status === 429 || status === 503) names.push('Retry-After')
  if (status === 401 && endpoint.auth !== 'none') names.push('WWW-Authenticate')
  const basic = status === 401 &&
    (endpoint.errors === 'oauth' || endpoint.auth === 'client') && { 'WWW-Authenticate': 'WWW-Authenticate-Basic' }
  return {
    description: status_descriptions[status] ?? 'Refused',
    ...headersOf(names, basic || {}),
    content: {
      'application/json': {
        schema: failureSchema(endpoint, answers),
        examples: Object.fromEntries(answers.map(({ code, body }) => [code, { value: body }])),
      },
    },
  }
}

function failureSchema(endpoint: Declaration, answers: readonly Answer[]): JsonSchema {
  const { errors } = endpoint
  const own = answers.filter(({ code }) => code !== 'framework' && code !== 'validation_failed')
  if (errors === 'oauth') return naming('OAuthError', answers)
  const kinds = [
    ...(answers.some(({ code }) => code === 'validation_failed') ? [component('schemas', 'ValidationError')] : []),
    ...(own.length > 0
      ? [naming('Error', own, Object.assign({}, ...own.map(({ code }) => fieldsOf(endpoint, code as FailureCode))))]
      : []),
    ...(endpoint.unready_has_body && answers.some(({ status }) => status === 503)
      ? [endpoint.response as JsonSchema]
      : []),
    ...(answers.some(({ code }) => code === 'framework') ? [component('schemas', 'FrameworkError')] : []),
  ]
  const [first, ...others] = kinds
  return first && others.length === 0 ? first : { anyOf: kinds }
}

/** An error body whose `error` is one of the codes of these responses. */
const naming = (
  schema: 'Error' | 'OAuthError',
  answers: readonly Answer[],
  more: Record<string, JsonSchema> = {},
): JsonSchema => ({
  allOf: [component('schemas', schema)],
  properties: { error: { type: 'string', enum: [...new Set(answers.map(({ body }) => body.error))] }, ...more },
})

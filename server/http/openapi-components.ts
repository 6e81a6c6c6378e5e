import type { TSchema } from 'typebox'
import type { OpenApiDocument, Operation } from './openapi.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Response } from './openapi-responses.ts'

/** Schemas by the names that they have in the document. */
export type Resources = Readonly<Record<string, TSchema>>

export interface Reference {
  $ref: string
}

export type SharedOperation = Omit<Operation, 'responses'> & { responses: Record<string, Response | Reference> }

/** A document in which repeated parts are references to named components (D-114). */
export interface SharedDocument extends Omit<OpenApiDocument, 'paths' | 'components'> {
  paths: Record<string, Record<string, SharedOperation>>
  components: OpenApiDocument['components'] & { responses: Record<string, Response> }
}

/** Names of failures that many operations share, by status, codes and headers. */
const response_names: Readonly<Record<string, string>> = {
  '400 framework': 'BadRequest',
  '413 framework': 'PayloadTooLarge',
  '414 framework': 'UriTooLong',
  '415 framework': 'UnsupportedMediaType',
  '500 framework': 'InternalServerError',
  '503 framework Retry-After': 'ServiceUnavailable',
  '503 outcome_unknown outcome_unknown_keyed overloaded framework Retry-After': 'OutcomeUnknown',
  '401 unauthorized invalid_token WWW-Authenticate': 'Unauthorized',
  '401 unauthorized invalid_token insufficient_scope WWW-Authenticate': 'AppUnauthorized',
  '401 unauthorized invalid_token insufficient_scope client_unauthorized WWW-Authenticate': 'AppOrClientUnauthorized',
  '401 client_credentials_missing client_unauthorized WWW-Authenticate': 'ClientUnauthorized',
  '403 admin_only': 'AdminOnly',
  '403 client_not_approved client_lacks_scope not_app_owner': 'HostingForbidden',
  '404 not_found': 'NotFound',
  '422 validation_failed': 'ValidationFailed',
  '422 idempotency_key_reused validation_failed': 'KeyedValidationFailed',
  '429 rate_limited RateLimit RateLimit-Policy Retry-After': 'RateLimited',
  '429 rate_limited Retry-After': 'TooManyFailures',
}

function nameOf(status: string, { content, headers = {} }: Response) {
  const { schema, examples = {} } = content['application/json'] ?? { schema: {} }
  if (JSON.stringify(schema).includes('/OAuthError"')) return undefined
  return response_names[[status, ...Object.keys(examples), ...Object.keys(headers)].join(' ')]
}

/** The same document with named components for the resources of the contract and for failures that many operations share. */
export function shareComponents(document: OpenApiDocument, resources: Resources): SharedDocument {
  const responses: Record<string, Response> = {}
  const share = (operation: Operation): SharedOperation => ({
    ...operation,
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]): [string, Response | Reference] => {
        const name = nameOf(status, response)
        if (name === undefined) return [status, response]
        responses[name] ??= withSomeField(response)
        return [status, { $ref: `#/components/responses/${name}` }]
      }),
    ),
  })
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, operations]) => [
      path,
      Object.fromEntries(Object.entries(operations).map(([method, operation]) => [method, share(operation)])),
    ]),
  )
  const named = namedSchemas(resources)
  const { components } = document
  return {
    ...document,
    paths: withReferences(paths, named),
    webhooks: withReferences(document.webhooks, named),
    components: {
      ...components,
      schemas: { ...components.schemas, ...schemasOf(named) },
      responses: Object.fromEntries(Object.entries(responses).sort(([a], [b]) => a.localeCompare(b))),
    },
  }
}

/** The example of a validation error names a field of one operation; shared by all, it names a common one. */
function withSomeField(response: Response): Response {
  const json = JSON.stringify(response).replace(/("fields":\[\{"path":)"[^"]*"/, '$1"amount"')
  return JSON.parse(json) as Response
}

/** Names by the JSON of their schema. */
const namedSchemas = (resources: Resources) =>
  new Map(Object.entries(resources).map(([name, schema]) => [JSON.stringify(schema), name] as const))

const schemasOf = (named: ReadonlyMap<string, string>) =>
  Object.fromEntries(
    [...named].map(([json, name]) => {
      const schema = JSON.parse(json) as JsonSchema
      return [name, Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, withReferences(part, named)]))]
    }),
  )

/** The value with references in place of every schema that has a name. */
function withReferences<Value>(value: Value, named: ReadonlyMap<string, string>): Value {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: unknown) => withReferences(item, named)) as Value
  const name = 'properties' in value ? named.get(JSON.stringify(value)) : undefined
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` } as Value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withReferences(part, named)])) as Value
}

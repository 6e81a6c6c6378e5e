import type { JsonSchema } from './json-schema.ts'
import type { Operation } from './openapi.ts'
import type { Parameter } from './openapi-parameters.ts'
import { referenceTo, type Reference } from './openapi-references.ts'
import type { Response } from './openapi-responses.ts'

/** Parameters by their names in the document. */
export type SharedParameters = Readonly<Record<string, Pick<Parameter, 'in' | 'name'> & { schema: object }>>

/** A parameter of the document: the description is beside the schema, and `required` is true or absent. */
export type WrittenParameter = Omit<Parameter, 'required'> & { required?: true; description?: string }

const sorted = <Value>(values: ReadonlyMap<string, Value>): Record<string, Value> =>
  Object.fromEntries([...values].sort(([a], [b]) => a.localeCompare(b)))

/** A parameter of the document. */
export function writtenParameter({ name, in: place, required, schema }: Parameter): WrittenParameter {
  const { description, ...rest } = schema
  return {
    name,
    in: place,
    ...(required && { required }),
    ...(typeof description === 'string' && { description }),
    schema: rest,
  }
}

/** Parameters by the names of the contract. */
export class ParameterNames {
  private readonly names: ReadonlyMap<string, string>
  private readonly kept = new Map<string, WrittenParameter>()

  constructor(parameters: Readonly<Record<string, WrittenParameter>>) {
    this.names = new Map(Object.entries(parameters).map(([name, parameter]) => [this.keyOf(parameter), name]))
  }

  private keyOf({ required: _, ...parameter }: WrittenParameter) {
    return JSON.stringify(parameter)
  }

  refer(parameter: WrittenParameter): WrittenParameter | Reference {
    const name = this.names.get(this.keyOf(parameter))
    if (name === undefined) return parameter
    const kept = this.kept.get(name) ?? parameter
    // A parameter may be required in one operation and optional in another.
    if (kept.required !== parameter.required) return parameter
    this.kept.set(name, kept)
    return referenceTo('parameters', name)
  }

  used = () => sorted(this.kept)
}

/** The examples of failures by code; those in the OAuth format have separate names. */
export class FailureExamples {
  private readonly kept = new Map<string, { value: unknown }>()

  name(response: Response): Response {
    const media = response.content?.['application/json']
    if (!media?.examples) return response
    const prefix = isOAuth(response) ? 'oauth_' : ''
    const examples = Object.fromEntries(
      Object.entries(media.examples).map(([code, example]): [string, { value: unknown } | Reference] => {
        if (code === 'framework') return [code, example]
        const name = `${prefix}${code}`
        if (!this.kept.has(name)) this.kept.set(name, withSomeField(example))
        return [code, referenceTo('examples', name)]
      }),
    )
    return { ...response, content: { ...response.content, 'application/json': { ...media, examples } } } as Response
  }

  used = () => sorted(this.kept)
}

const isOAuth = ({ content }: Response) =>
  JSON.stringify(content?.['application/json']?.schema ?? {}).includes('/OAuthError"')

/** The example of a validation error names a field of its operation; the shared example names a common field. */
const withSomeField = (example: { value: unknown }) =>
  JSON.parse(JSON.stringify(example).replace(/("fields":\[\{"path":)"[^"]*"/, '$1"amount"')) as { value: unknown }

/** Responses that several operations share, by name. */
export class ResponseNames {
  private readonly uses = new Map<string, number>()
  private readonly kept = new Map<string, Response>()

  constructor(operations: readonly Pick<Operation, 'responses'>[]) {
    for (const response of operations.flatMap(({ responses }) => Object.values(responses))) {
      const json = JSON.stringify(response)
      this.uses.set(json, (this.uses.get(json) ?? 0) + 1)
    }
  }

  refer(responses: Record<string, Response>): Record<string, Response | Reference> {
    return Object.fromEntries(
      Object.entries(responses).map(([status, response]) => {
        const json = JSON.stringify(response)
        const name = (this.uses.get(json) ?? 0) > 1 ? responseName(status, response) : undefined
        if (name === undefined) return [status, response]
        const kept = this.kept.get(name) ?? response
        if (JSON.stringify(kept) !== json) throw new Error(`two responses have the name ${name}: ${status} ${json}`)
        this.kept.set(name, kept)
        return [status, referenceTo('responses', name)]
      }),
    )
  }

  used = () => sorted(this.kept)
}

/** The names of shared failures that are not named after their only code, by status, codes and headers. */
const response_names: Readonly<Record<string, string>> = {
  '400 framework': 'BadRequest',
  '413 framework': 'PayloadTooLarge',
  '414 framework': 'UriTooLong',
  '415 framework': 'UnsupportedMediaType',
  '431 framework': 'HeadersTooLarge',
  '500 framework': 'InternalServerError',
  '503 framework Retry-After': 'ServiceUnavailable',
  '503 outcome_unknown outcome_unknown_keyed overloaded framework Retry-After': 'OutcomeUnknown',
  '503 container_engine_unavailable framework Retry-After': 'ContainerEngineUnavailable',
  '401 unauthorized invalid_token WWW-Authenticate': 'Unauthorized',
  '401 unauthorized invalid_token insufficient_scope WWW-Authenticate': 'AppUnauthorized',
  '401 unauthorized invalid_token insufficient_scope client_unauthorized WWW-Authenticate': 'AppOrClientUnauthorized',
  '401 client_credentials_missing client_unauthorized WWW-Authenticate': 'ClientUnauthorized',
  '403 admin_only role_required second_factor_required': 'AdminOnly',
  '403 second_factor_required role_required': 'RoleRequired',
  '403 client_not_approved client_lacks_scope not_app_owner': 'HostingForbidden',
  '409 insufficient_points spending_limit_reached points_limit_reached': 'PointsNotMoved',
  '409 refund_exceeds_spend insufficient_points points_limit_reached': 'PointsNotReturned',
  '422 idempotency_key_reused validation_failed': 'KeyedValidationFailed',
  '422 invalid_code validation_failed': 'InvalidCode',
  '429 rate_limited RateLimit RateLimit-Policy Retry-After': 'RateLimited',
  '429 rate_limited Retry-After': 'TooManyFailures',
}

/** The name of a shared response, after its resource or its error. */
function responseName(status: string, response: Response) {
  if (!response.content) return 'NotModified'
  const { schema, examples = {} } = response.content['application/json'] ?? { schema: {} as JsonSchema }
  const headers = Object.keys(response.headers ?? {})
  if (status.startsWith('2')) {
    const resource = schema.$ref?.split('/').at(-1)
    return resource && `${headers.length > 0 ? 'Limited' : ''}${resource}`
  }
  const codes = Object.keys(examples)
  const name =
    response_names[[status, ...codes, ...headers].join(' ')] ?? (codes.length === 1 ? pascal(codes[0]!) : undefined)
  return name && `${isOAuth(response) ? 'OAuth' : ''}${name}`
}

const pascal = (code: string) => code.replace(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase())

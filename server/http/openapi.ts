import type { TSchema } from 'typebox'
import type { NeededRoles } from '../../contract/kinds/admin-roles.ts'
import type { MemberRole } from '../../contract/kinds/member-roles.ts'
import type { DecisionId } from '../../contract/decision-texts.ts'
import { bodyBytesMax, type Declaration, type Limit } from '../../contract/endpoint.ts'
import { scopes } from '../../contract/kinds/scopes.ts'
import type { SecretPermission } from '../../contract/kinds/secret-permissions.ts'
import type { JsonSchema } from './json-schema.ts'
import { error_schemas, headers, responsesOf, withExample, type Response } from './openapi-responses.ts'
import { parametersOf, type Parameter } from './openapi-parameters.ts'
import { webhookOperations, type WebhookDeclarations, type WebhookOperation } from './openapi-webhooks.ts'

export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  security: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Record<string, { schema: JsonSchema; example?: unknown }> }
  responses: Record<string, Response>
  'x-caller': 'anyone' | 'user' | 'admin' | 'app' | 'client'
  'x-secret-permission'?: SecretPermission
  'x-team-role'?: MemberRole
  'x-admin-roles'?: NeededRoles
  'x-body-bytes-max'?: number
  'x-rate-limit'?: { requests: number; seconds: number; per: string; setting?: string; 'x-decision': DecisionId }
  'x-decision'?: string
  'x-origin'?: 'extension'
}

export interface OpenApiDocument {
  openapi: '3.1.0'
  info: {
    title: string
    version: string
    description: string
    contact: { name: string; url?: string }
    license: { name: string; identifier: string }
    'x-decision': DecisionId
  }
  servers?: { url: string }[]
  tags: { name: string; description?: string }[]
  paths: Record<string, Record<string, Operation>>
  /** Requests that the service makes. */
  webhooks: Record<string, { post: WebhookOperation }>
  components: {
    schemas: Record<string, JsonSchema>
    headers: Record<string, JsonSchema>
    securitySchemes: ReturnType<typeof securitySchemes>
  }
}

export interface DocumentParts {
  endpoints: readonly Declaration[]
  /** All declarations by name: the names are the operations' ids. */
  operations: Readonly<Record<string, Declaration>>
  webhooks: WebhookDeclarations
  /** The description of each group of operations. */
  tags: Readonly<Record<string, string>>
  /** The base URL of the service; all other addresses in the document are relative to it. */
  public_url?: string
  version: string
  is_sandbox: boolean
}

/** Generates the OpenAPI 3.1 document from the declarations, in their order; the result is plain JSON. */
export function openApiDocument(parts: DocumentParts): OpenApiDocument {
  const { endpoints, webhooks, tags, public_url, version, is_sandbox } = parts
  const names = new Map(Object.entries(parts.operations).map(([name, endpoint]) => [endpoint, name]))
  const paths: OpenApiDocument['paths'] = {}
  for (const endpoint of endpoints) {
    const operations = (paths[endpoint.path] ??= {})
    operations[endpoint.method.toLowerCase()] = operationOf(endpoint, nameOf(endpoint, names))
  }
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: {
      title: is_sandbox ? 'Plaza API, in a sandbox' : 'Plaza API',
      version,
      description: about,
      contact: { name: 'The operator of this service', ...(public_url !== undefined && { url: public_url }) },
      license: { name: 'All rights reserved', identifier: 'LicenseRef-Plaza' },
      'x-decision': 'D-82',
    },
    ...(public_url !== undefined && { servers: [{ url: public_url }] }),
    tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({
      name,
      ...(tags[name] !== undefined && { description: tags[name] }),
    })),
    paths,
    webhooks: webhookOperations(webhooks),
    components: { schemas: error_schemas, headers, securitySchemes: securitySchemes(public_url ?? '') },
  }
  // typebox adds non-JSON properties to schemas; serialising drops them.
  return JSON.parse(JSON.stringify(document)) as OpenApiDocument
}

const about =
  'Accounts, points and OAuth 2.0 for other people’s apps. ' +
  '`x-decision` names the entry of docs/decisions.md that closes a point which the specification leaves open; ' +
  '`x-origin: extension` marks an operation that the specification does not have. ' +
  '`x-team-role` is the least role of the caller in the team, or in the team of the app (D-134). ' +
  '`x-admin-roles` are the roles of admins that may call it, beside administrators and, for a GET, auditors (D-135). ' +
  '`x-read-as` marks what other people read, a name or a text: it has a visible character and no bidirectional override. ' +
  'Unknown request fields are ignored, ids are UUIDs and times are UTC in ISO 8601. ' +
  'Every answer carries `X-Request-Id`. A limit in `x-rate-limit` with a `setting` can be changed by the operator.'

/** The addresses are absolute if the service knows its own. */
const securitySchemes = (public_url: string) => ({
  jwt: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The token that the login answers with: it acts for a user. Operations with x-caller admin need an admin.',
  },
  oauth2: {
    type: 'oauth2',
    description:
      'The access token of an app that acts for a user. PKCE with S256 (RFC 7636); a JWT is not accepted in its place. A token that is ' +
      'bound to a key is sent as `Authorization: DPoP` with a proof in the header `DPoP` (RFC 9449); a proof that is refused is 401 ' +
      '`invalid_dpop_proof` or `use_dpop_nonce`, with the nonce in the header `DPoP-Nonce`.',
    flows: {
      authorizationCode: {
        authorizationUrl: `${public_url}/oauth/authorize`,
        tokenUrl: `${public_url}/api/oauth/token`,
        refreshUrl: `${public_url}/api/oauth/token`,
        scopes: Object.fromEntries(
          Object.entries(scopes).map(([scope, { grants }]): [string, string] => [scope, grants]),
        ),
      },
    },
    'x-pkce': 'S256',
  },
  client: {
    type: 'http',
    scheme: 'basic',
    description:
      'The client_id and client_secret of an app, which acts for itself and for no user. A secret needs the permission in x-secret-permission.',
  },
})

function operationOf(endpoint: Declaration, operationId: string): Operation {
  const { tag, summary, description, secret_permission, decision, origin, limit } = endpoint
  const parameters = parametersOf(endpoint)
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: securityOf(endpoint),
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.body && { requestBody: requestBodyOf(endpoint) }),
    responses: responsesOf(endpoint),
    'x-caller': callerOf(endpoint),
    ...(secret_permission && { 'x-secret-permission': secret_permission }),
    ...(endpoint.team_role && { 'x-team-role': endpoint.team_role }),
    ...(endpoint.admin_roles && { 'x-admin-roles': endpoint.admin_roles }),
    ...(endpoint.body && { 'x-body-bytes-max': bodyBytesMax(endpoint) }),
    ...(limit && { 'x-rate-limit': rateLimitOf(endpoint, limit) }),
    ...(decision && { 'x-decision': decision }),
    ...(origin && { 'x-origin': origin }),
  }
}

function nameOf(endpoint: Declaration, names: ReadonlyMap<Declaration, string>) {
  const name = names.get(endpoint)
  if (name === undefined) throw new Error(`${endpoint.method} ${endpoint.path} is not in contract/operations.ts`)
  return name
}

/** An OAuth client may also authenticate in the header. */
function securityOf({ auth, errors }: Declaration): Operation['security'] {
  if (errors === 'oauth') return [{ client: [] }, {}]
  if (auth === 'none') return []
  if (auth === 'client') return [{ client: [] }]
  if (auth === 'agent') return [{ oauth2: [] }]
  if (typeof auth === 'string') return [{ jwt: [] }]
  return [{ oauth2: [auth.scope] }, ...(auth.or_client ? [{ client: [] }] : []), ...(auth.or_user ? [{ jwt: [] }] : [])]
}

function callerOf({ auth }: Declaration): Operation['x-caller'] {
  if (auth === 'none') return 'anyone'
  if (auth === 'agent') return 'app'
  if (typeof auth !== 'object') return auth
  return auth.or_user ? 'user' : 'app'
}

const principals = {
  anyone: 'client address',
  user: 'user',
  admin: 'user',
  app: 'user and app',
  client: 'app',
} as const

function rateLimitOf(endpoint: Declaration, { requests, seconds, setting }: Limit): Operation['x-rate-limit'] {
  const stated = { requests, seconds, per: principals[callerOf(endpoint)] }
  if (!setting) return { ...stated, 'x-decision': 'D-05' }
  return { ...stated, setting: `RATE_LIMIT_${setting.toUpperCase()}`, 'x-decision': 'D-06' }
}

function requestBodyOf(endpoint: Declaration): Operation['requestBody'] {
  const { accepts, documented_bodies } = endpoint
  const schema = endpoint.body as TSchema as JsonSchema
  const json = documented_bodies ? oneOf(documented_bodies.json) : schema
  const form = documented_bodies ? oneOf(documented_bodies.form) : schema
  return {
    required: documented_bodies !== undefined || (schema.required ?? []).length > 0,
    content: {
      'application/json': withExample(endpoint, 'body', json),
      ...(accepts === 'form' && { 'application/x-www-form-urlencoded': withExample(endpoint, 'body', form) }),
    },
  }
}

const oneOf = (schemas: readonly TSchema[]): JsonSchema => ({ oneOf: schemas as readonly unknown[] as JsonSchema[] })

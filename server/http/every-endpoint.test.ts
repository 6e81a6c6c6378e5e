import { expect, test } from 'vitest'
import { login, logout } from '../../contract/accounts.ts'
import { rejectApp } from '../../contract/admin-apps.ts'
import { PlazaClient } from '../../contract/client.ts'
import { sendDirectMessage } from '../../contract/conversations.ts'
import type { Declaration } from '../../contract/endpoint.ts'
import type { FailureCode } from '../../contract/errors.ts'
import { fieldMessage } from '../../contract/field-errors.ts'
import { requestable_scopes } from '../../contract/kinds/scopes.ts'
import { isPermitted, secret_permission_names, type SecretPermission } from '../../contract/kinds/secret-permissions.ts'
import { createSecret } from '../../contract/oauth-apps.ts'
import { disconnectApp } from '../../contract/oauth.ts'
import { operations, sandbox_operations } from '../../contract/operations.ts'
import { unblockUser } from '../../contract/social.ts'
import { faultOf } from '../../contract/schema.ts'
import type { Failure } from '../platform/failure.ts'
import { sharedService } from '../test/harness.ts'
import { allowHosting } from '../test/hosting-world.ts'
import {
  blank,
  fewer,
  invalid,
  more,
  no_id,
  outcome,
  refused,
  refusedByOAuth,
  required,
  unstorable,
} from '../test/refusals.ts'
import { digestTables } from '../test/table-digests.ts'
import { basicOf, raw, someApp, someTokens, someUser, theAdmin, world, suspend } from '../test/world.ts'
import type { JsonSchema } from './json-schema.ts'
import { exampleOf, typesOf } from './schema-example.ts'
import { compileCheck } from './validation.ts'

const plaza = await sharedService()
const { endpoints } = plaza.service.app
const admin = await theAdmin(plaza)
const { user, app, tokens } = await world(plaza)
/** The path of a call of the endpoint; the parameters have valid values unless others are given. */
function pathOf({ path, params }: Declaration, values: Record<string, string> = {}) {
  const examples = exampleOf((params ?? {}) as unknown as JsonSchema) as Record<string, string> | undefined
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? examples![name]!)
}

type Code = FailureCode | undefined
/** The error of a token that is valid for no endpoint. */
const everywhere = ({ auth }: Declaration): Code => (auth === 'client' || auth === 'none' ? undefined : 'invalid_token')
const forPeople = ({ auth }: Declaration): Code => (auth === 'user' || auth === 'admin' ? 'invalid_token' : undefined)

async function sessions() {
  const signIn = async ({ url }: { url: string }) =>
    (await new PlazaClient(url).result(login, { body: { email: user.email, password: user.password } })).token
  const ended = await signIn(plaza)
  await new PlazaClient(plaza.url, ended).result(logout)
  const expired = await signIn(await plaza.startAnother({ JWT_TTL: '1' }))
  const suspended = await someUser(plaza)
  await suspend(plaza, suspended)
  return { ended, expired, suspended: suspended.token }
}

async function accessTokens() {
  const expired = await someTokens(await plaza.startAnother({ ACCESS_TOKEN_TTL: '1' }), app, user)
  const [disconnected, unapproved, suspended] = [await world(plaza), await world(plaza), await world(plaza)]
  await disconnected.user.api.result(disconnectApp, { params: { app_id: disconnected.app.id } })
  await admin.api.result(rejectApp, { params: { id: unapproved.app.id }, body: {} })
  await suspend(plaza, suspended.user)
  return {
    expired: expired.access_token,
    disconnected: disconnected.tokens.access_token,
    unapproved: unapproved.tokens.access_token,
    suspended: suspended.tokens.access_token,
  }
}

const [jwt, access] = [await sessions(), await accessTokens()]
plaza.clock.advance(2)

/** One endpoint for each kind of caller: all other endpoints look up a token that is valid for none of them in the same way. */
const one_per_caller = [...new Map(endpoints.map((endpoint) => [JSON.stringify(endpoint.auth), endpoint])).values()]

const credentials: [name: string, token: string | null, codeOf: (endpoint: Declaration) => Code][] = [
  [
    'no token',
    null,
    ({ auth }) => (auth === 'none' ? undefined : auth === 'client' ? 'client_credentials_missing' : 'unauthorized'),
  ],
  ['a token that nobody issued', 'nonsense', (endpoint) => everywhere(endpoint)],
  ['the JWT of a session that ended', jwt.ended, everywhere],
  ['an expired JWT', jwt.expired, everywhere],
  ['the JWT of a suspended person', jwt.suspended, everywhere],
  ['a refresh token', tokens.refresh_token, everywhere],
  ['a session token', tokens.session_token, everywhere],
  ['an expired access token', access.expired, everywhere],
  ['an access token of an ended connection', access.disconnected, everywhere],
  ['an access token of an app whose approval was withdrawn', access.unapproved, everywhere],
  ['an access token for a suspended person', access.suspended, everywhere],
  ['an access token', tokens.access_token, forPeople],
  [
    'an access token without the scope',
    tokens.access_token,
    ({ auth }) => (typeof auth === 'object' && auth.scope !== 'profile:read' ? 'insufficient_scope' : undefined),
  ],
  [
    'the JWT of another person',
    user.token,
    ({ auth }) =>
      auth === 'admin' ? 'admin_only' : typeof auth === 'object' && !auth.or_user ? 'invalid_token' : undefined,
  ],
]

/** The tables, except the times of the last use of credentials, because refused calls count (D-38). */
async function written() {
  const { grants: _, connections: __, app_sessions: ___, ...tables } = await digestTables(plaza)
  return tables
}

test('D-04: a call with a wrong credential is refused at every endpoint, and nothing is written', async () => {
  const before = await written()
  const send = async ({ method, path }: Declaration, token: string | null) => {
    const headers = new Headers(token === null ? {} : { authorization: `Bearer ${token}` })
    return asJson(await raw(plaza, method, path, { headers }))
  }
  for (const [name, token, codeOf] of credentials)
    for (const endpoint of codeOf === everywhere ? one_per_caller : endpoints) {
      const [code, at] = [codeOf(endpoint), `${endpoint.method} ${endpoint.path} with ${name}`]
      if (code === undefined) continue
      expect([at, ...(await send({ ...endpoint, path: pathOf(endpoint) }, token))]).toEqual([at, ...refused(code)])
    }
  expect(await written()).toEqual(before)
})

async function allowedCallers() {
  const acting = await someApp(plaza, { scopes: requestable_scopes.filter((scope) => scope !== 'deploy:manage') })
  await allowHosting(plaza, acting)
  const { access_token } = await someTokens(plaza, acting, acting.owner, requestable_scopes)
  return ({ auth }: Declaration) => {
    if (auth === 'client') return basicOf(acting)
    return `Bearer ${auth === 'admin' ? admin.token : auth === 'user' ? user.token : access_token}`
  }
}

/** Status and body of an answer, which is JSON in UTF-8. */
function asJson({ headers, ...reply }: Awaited<ReturnType<typeof raw>>) {
  expect([reply.text, headers.get('content-type')]).toEqual([reply.text, 'application/json; charset=utf-8'])
  return outcome(reply)
}

const authorizationOf = await allowedCallers()

/** A permitted call of the endpoint with this path and body. */
async function call(endpoint: Declaration, path: string, body?: unknown) {
  const { method, auth } = endpoint
  const headers = {
    ...(auth !== 'none' && { authorization: authorizationOf(endpoint) }),
    ...(method !== 'GET' && { 'content-type': 'application/json' }),
  }
  const sent = method === 'GET' || body === undefined ? {} : { body: JSON.stringify(body) }
  return [endpoint.path, ...asJson(await raw(plaza, method, path, { headers, ...sent }))]
}

/** The names of the ids in the path of an endpoint. */
const idsOf = ({ params }: Declaration) =>
  Object.entries((params?.properties ?? {}) as Record<string, JsonSchema>).flatMap(([name, { format }]) =>
    format === 'uuid' ? [name] : [],
  )

test('D-04: every endpoint refuses a path without an id, and a body that is not an object', async () => {
  const before = await written()
  const [one] = endpoints.filter((endpoint) => idsOf(endpoint).length === 1)
  const [id = ''] = idsOf(one!)
  for (const [value, message] of Object.entries({ '1': no_id, 'urn:uuid:1': no_id, '%00': unstorable }))
    expect(await call(one!, pathOf(one!, { [id]: value }))).toEqual([one!.path, ...invalid(id, message)])
  for (const endpoint of endpoints) {
    const { path, body, errors, accepts_any_body } = endpoint
    for (const id of idsOf(endpoint))
      expect(await call(endpoint, pathOf(endpoint, { [id]: 'x' }))).toEqual([path, ...invalid(id, no_id)])
    if (body !== undefined && errors !== 'oauth' && !accepts_any_body)
      expect(await call(endpoint, pathOf(endpoint), [])).toEqual([path, ...invalid('', 'must be object')])
  }
  expect(await written()).toEqual(before)
})

/** Bodies for endpoints whose example breaks a rule that is checked before the id. */
const bodies: Record<string, object> = {
  '/api/auth/passkeys/{id}/delete': { password: user.password },
  '/api/oauth/my-apps/{id}/secrets': { password: user.password },
  '/api/deploy/apps/{id}': { port: 80 },
  '/api/admin/cases/{id}/decide': { actions: ['dismiss'], reason: 'x' },
  '/api/admin/users/{id}/roles': { roles: ['support'], reason: 'x', password: admin.password },
  '/api/admin/users/{id}/mute': { muted_until: null, reason: 'x' },
}

test('D-04: every endpoint returns 404 for an unknown id, and writes nothing', async () => {
  // Some endpoints allow five calls an hour, which the test of malformed ids uses up.
  await plaza.db.sql`delete from rate_limits`
  const before = await written()
  for (const endpoint of endpoints.filter((one) => idsOf(one).length > 0)) {
    const { path, body } = endpoint
    if (path === unblockUser.path) continue
    const example = body && (bodies[path] ?? exampleOf(body as unknown as JsonSchema))
    // A person who does not exist is not a friend either.
    const code = path === sendDirectMessage.path ? 'not_friends' : 'not_found'
    expect(await call(endpoint, pathOf(endpoint), example)).toEqual([path, ...refused(code)])
  }
  expect(await written()).toEqual(before)
})

const errorOf = (body: unknown) => (body as { error?: string } | undefined)?.error

test('D-133: every operation accepts only secrets with its permission, and a refused call writes nothing', async () => {
  const owned = await someApp(plaza)
  await allowHosting(plaza, owned)
  const { client_id } = owned
  const secretOf = async (held: SecretPermission) => {
    const sent = { params: { id: owned.id }, body: { permissions: [held], password: owned.owner.password } }
    const { client_secret } = await owned.owner.api.result(createSecret, sent)
    return [held, basicOf({ client_id, client_secret })] as const
  }
  const secrets = await Promise.all(secret_permission_names.map(secretOf))
  const unknown_token = { grant_type: 'refresh_token', refresh_token: 'x', token: 'x' }
  const calls = secrets.flatMap(([held, authorization]) =>
    endpoints.flatMap((endpoint) => {
      const { method, path, errors, secret_permission: permission } = endpoint
      if (permission === undefined) return []
      const send = async () => {
        const headers = { authorization, ...(method !== 'GET' && { 'content-type': 'application/json' }) }
        const body = method !== 'GET' && { body: JSON.stringify(errors === 'oauth' ? unknown_token : {}) }
        return outcome(await raw(plaza, method, pathOf(endpoint), { headers, ...body }))
      }
      const [status, body] = refused('secret_not_permitted')
      const refusal =
        errors === 'oauth' ? refusedByOAuth('unauthorized_client') : [status, { ...(body as object), permission }]
      return [{ at: `${method} ${path} with ${held}`, send, refusal, allowed: isPermitted([held], permission) }]
    }),
  )
  const before = await written()
  for (const { at, send, refusal } of calls.filter(({ allowed }) => !allowed))
    expect([at, ...(await send())]).toEqual([at, ...refusal])
  expect(await written()).toEqual(before)
  for (const { at, send, refusal } of calls.filter(({ allowed }) => allowed))
    expect([at, errorOf((await send())[1])]).not.toEqual([at, errorOf(refusal[1])])
})

const infinite = 'must be a finite number'
type Refused = [value: unknown, message: string][]

/** Values that break one keyword of a schema, each with the message of its error. */
function refusedBy(schema: JsonSchema, is_coerced: boolean): Refused {
  if (schema.type === undefined) return []
  const { enum: words, minLength, maxLength, minimum, maximum, minItems, maxItems, format, type } = schema
  const no_type = `must be ${[type].flat().join(' or ')}`
  const types = typesOf(schema)
  const of_type: Refused = [
    ...(types.includes('string') ? [] : [['x', no_type]]),
    ...(types.includes('string') && !is_coerced ? [[7, no_type]] : []),
    ...(types.includes('null') || is_coerced ? [] : [[null, no_type]]),
    ...(types.includes('integer')
      ? [
          [is_coerced ? '1.5' : 1.5, no_type],
          ['', no_type],
        ]
      : []),
    ...(types.includes('string') && is_coerced ? [['a\0', unstorable]] : []),
    ...(types.includes('integer') && is_coerced ? [['1e400', infinite]] : []),
  ] as Refused
  const bounds: Refused = [
    ...(typeof minLength === 'number' && minLength > 0 ? [['x'.repeat(minLength - 1), fewer(minLength)]] : []),
    ...(typeof maxLength === 'number' ? [['🎲'.repeat(maxLength + 1), more(maxLength)]] : []),
    ...(typeof minimum === 'number' ? [[minimum - 1, `must be >= ${minimum}`]] : []),
    ...(typeof maximum === 'number' ? [[maximum + 1, `must be <= ${maximum}`]] : []),
    ...(typeof minItems === 'number' && minItems > 0 ? [[[], fewer(minItems, 'items')]] : []),
    ...(typeof maxItems === 'number' ? [[Array(maxItems + 1).fill(''), more(maxItems, 'items')]] : []),
  ] as Refused
  const { pattern, 'x-read-as': read_as } = schema
  const fault = typeof pattern === 'string' && !new RegExp(pattern, 'u').test(' ') ? faultOf(pattern) : undefined
  const of_texts: Refused = [
    ...(fault === undefined ? [] : [[' ', fieldMessage(fault)]]),
    ...(read_as === undefined || minLength !== undefined ? [] : [[' ', blank]]),
  ] as Refused
  const of_words: Refused = Array.isArray(words) ? [['Other', `must be one of ${words.join(', ')}`]] : []
  const of_format: Refused = typeof format === 'string' ? [['x', `must match format "${format}"`]] : []
  return [...of_type, ...bounds, ...of_texts, ...of_words, ...of_format]
}

const parts = ['params', 'query', 'headers', 'body'] as const
const all_operations = { ...operations, ...sandbox_operations }
const declared = Object.entries(all_operations).flatMap(([name, operation]) =>
  operation.errors === 'oauth' ? [] : parts.flatMap((part) => (operation[part] ? [[name, part] as const] : [])),
)

/** Node refuses a header that contains NUL, and no header is an unbounded number. */
const isPossible = (part: string, why: string) => part !== 'headers' || (why !== unstorable && why !== infinite)

test('D-04: every limit of every declared field is enforced, and the error names the field', () => {
  const seen = new Set<string>()
  /** Fields with the same name and schema are checked once. */
  const isNew = (part: string) => (field: [string, JsonSchema]) => {
    const before = seen.size
    return seen.add(JSON.stringify([part, ...field])).size > before
  }
  for (const [name, part] of declared) {
    const schema = all_operations[name]![part] as unknown as JsonSchema
    const check = compileCheck(schema as never, part === 'query' ? 'querystring' : part)
    const example = exampleOf(schema) as Record<string, unknown>
    const fieldsOf = (sent: object) => {
      try {
        check(sent)
        return []
      } catch (error) {
        return (error as Failure).answer.fields ?? []
      }
    }
    for (const path of schema.required ?? []) {
      const { [path]: _, ...others } = example
      expect([name, ...fieldsOf(others)]).toEqual([name, { path, message: required }])
    }
    for (const [path, field] of Object.entries(schema.properties ?? {}).filter(isNew(part)))
      for (const [value, message] of refusedBy(field, part !== 'body').filter(([, why]) => isPossible(part, why)))
        expect([name, value, fieldsOf({ ...example, [path]: value })]).toEqual([
          name,
          value,
          expect.arrayContaining([{ path, message }]),
        ])
  }
})

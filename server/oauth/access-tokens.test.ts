import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { me } from '../../contract/accounts.ts'
import { updateUser as adminUpdateUser } from '../../contract/admin.ts'
import { failures, publicError, type FailureCode } from '../../contract/errors.ts'
import { endSession, getExternalUser, getSessionStatus } from '../../contract/external.ts'
import { verifyToken } from '../../contract/oauth.ts'
import { getAppBalance, getPoints, spendPoints, transferPoints } from '../../contract/points.ts'
import { deriveKey } from '../platform/secrets.ts'
import { sharedService, test_secret } from '../test/harness.ts'
import * as make from '../test/world.ts'

const plaza = await sharedService()
const anonymous = new PlazaClient(plaza.url)
const metadata = `Bearer resource_metadata="${plaza.url}/.well-known/oauth-protected-resource"`

/** Status, body and challenge of a refused Bearer call. */
const challenged = (code: FailureCode, parameters = '') => [
  failures[code].status,
  { error: publicError(code), message: failures[code].message },
  metadata + parameters,
]
const invalid = challenged('invalid_token', ', error="invalid_token"')
const answer = (reply: { status: number; body: unknown; headers: Headers }) => [
  reply.status,
  reply.body,
  reply.headers.get('www-authenticate'),
]

test('D-20: refresh token, session token, code and client secret open no endpoint', async () => {
  const { user, app, tokens } = await make.world(plaza)
  const { code } = await make.someCode(app, user)
  for (const secret of [tokens.refresh_token, tokens.session_token, code, app.client_secret, 'plz_at_', 'plz_at_x'])
    expect(answer(await anonymous.withToken(secret).call(getExternalUser))).toEqual(invalid)
})

test('RFC 9110 §11.1: the scheme is written in any case', async () => {
  const { tokens } = await make.world(plaza)
  const headers = { authorization: `bearer ${tokens.access_token}` }
  expect((await make.raw(plaza, 'GET', '/api/external/user', { headers })).status).toBe(200)
})

test('spec Authentication 1: a token in the query or the body is ignored', async () => {
  const { tokens } = await make.world(plaza)
  const parameter = `access_token=${tokens.access_token}`
  const by_query = await make.raw(plaza, 'GET', `/api/external/user?${parameter}`)
  expect(answer(by_query)).toEqual(challenged('unauthorized'))
  const body = JSON.stringify({ access_token: tokens.access_token })
  const headers = { 'content-type': 'application/json' }
  const by_body = await make.raw(plaza, 'POST', '/api/external/session/end', { headers, body })
  expect(answer(by_body)).toEqual(challenged('unauthorized'))
})

test('spec Authentication 7: each endpoint refuses a token without its scope with 401, naming it', async () => {
  const scopes = ['profile:read', 'points:read', 'points:spend', 'points:transfer', 'app:balance:read'] as const
  const [user, app] = [await make.someUser(plaza), await make.someApp(plaza, { scopes: [...scopes] })]
  const calls = {
    'profile:read': [
      (api: PlazaClient) => api.call(getExternalUser),
      (api: PlazaClient) => api.call(getSessionStatus),
      (api: PlazaClient) => api.call(endSession),
    ],
    'points:read': [(api: PlazaClient) => api.call(getPoints)],
    'points:spend': [(api: PlazaClient) => api.call(spendPoints, { body: { amount: 1 } })],
    'points:transfer': [
      (api: PlazaClient) => api.call(transferPoints, { body: { amount: 1, to_user_id: app.owner.id } }),
    ],
    'app:balance:read': [(api: PlazaClient) => api.call(getAppBalance)],
  }
  for (const scope of scopes) {
    const others = scopes.filter((other) => other !== scope)
    const { api } = await make.someTokens(plaza, app, user, others)
    const expected = challenged('insufficient_scope', `, error="insufficient_scope", scope="${scope}"`)
    for (const call of calls[scope]) expect(answer(await call(api))).toEqual(expected)
  }
})

test('D-21: an access token is valid for 3600 seconds, to the second', async () => {
  const { tokens } = await make.world(plaza)
  plaza.clock.advance(3599)
  expect((await tokens.api.call(getExternalUser)).status).toBe(200)
  plaza.clock.advance(1)
  expect(answer(await tokens.api.call(getExternalUser))).toEqual(invalid)
  const introspection = await anonymous.result(verifyToken, { body: { token: tokens.access_token } })
  expect(introspection).toEqual({ active: false, reason: 'expired' })
})

// The profile that a token opens (D-35)

test('D-35: the external profile, field by field', async () => {
  const { user, tokens } = await make.world(plaza)
  const { id, username, email } = user
  expect((await tokens.api.call(getExternalUser)).body).toEqual({
    user: { id, username, email, email_verified: true, tier: 'bronze', tier_emoji: '🥉' },
    id,
    sub: id,
    name: username,
    email,
    email_verified: true,
  })
})

test('D-35: the external profile says that an address is not verified, and follows a change of tier', async () => {
  const [app, user] = [await make.someApp(plaza), await make.someUser(plaza, { verified: false })]
  const { api } = await make.someTokens(plaza, app, user)
  const admin = await make.theAdmin(plaza)
  await admin.api.result(adminUpdateUser, { params: { id: user.id }, body: { tier: 'gold' } })
  expect(await api.result(getExternalUser)).toMatchObject({
    user: { email_verified: false, tier: 'gold', tier_emoji: '🥇' },
    email_verified: false,
  })
})

// The login JWT (D-15)

interface Parts {
  header?: Record<string, unknown>
  claims?: Record<string, unknown>
  key?: Buffer
  hash?: string
}

const decoded = (part: string | undefined) =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as Record<string, unknown>
const encoded = (part: Record<string, unknown>) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** The JWT with some parts changed, signed with the service's key by default. */
function forged(jwt: string, { header, claims, key = deriveKey(test_secret, 'jwt'), hash = 'sha256' }: Parts) {
  const [old_header, old_claims] = jwt.split('.')
  const text = `${encoded({ ...decoded(old_header), ...header })}.${encoded({ ...decoded(old_claims), ...claims })}`
  return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`
}
const asJwt = async (jwt: string) => answer(await anonymous.withToken(jwt).call(me))

test('D-15: a JWT built with the right key and claims is accepted, so that the next tests fail for their own reason', async () => {
  const { token: jwt } = await make.someUser(plaza)
  expect(forged(jwt, {})).toBe(jwt)
  expect((await asJwt(forged(jwt, { claims: { extra: 1 } })))[0]).toBe(200)
})

test('D-15: a JWT whose signature was changed or cut off is refused', async () => {
  const { token: jwt } = await make.someUser(plaza)
  const [header, claims, signature = ''] = jwt.split('.')
  const flipped = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1)
  for (const end of [flipped, signature.slice(0, -4), '', `${signature}.${signature}`])
    expect(await asJwt(`${header}.${claims}.${end}`)).toEqual(invalid)
  expect(await asJwt(`${header}.${claims}`)).toEqual(invalid)
})

test('D-15: a JWT without signature is refused, however `none` is spelled', async () => {
  const { token: jwt } = await make.someUser(plaza)
  for (const alg of ['none', 'None', 'NONE', 'nOnE']) {
    const [header, claims, signature] = forged(jwt, { header: { alg } }).split('.')
    for (const end of ['', signature]) expect(await asJwt(`${header}.${claims}.${end}`)).toEqual(invalid)
  }
})

test('D-15: a JWT of another algorithm is refused, even when the right key signed it', async () => {
  const { token: jwt } = await make.someUser(plaza)
  for (const [alg, hash] of Object.entries({ HS384: 'sha384', HS512: 'sha512', RS256: 'sha256', ES256: 'sha256' }))
    expect(await asJwt(forged(jwt, { header: { alg }, hash }))).toEqual(invalid)
})

test('D-15: a JWT that another key signed is refused', async () => {
  const { token: jwt } = await make.someUser(plaza)
  const others = ['', 'secret', test_secret, 'another-secret-that-is-as-long-as-the-rule-wants'].map((text) =>
    Buffer.from(text),
  )
  const own = deriveKey('another-secret-that-is-as-long-as-the-rule-wants', 'jwt')
  for (const key of [...others, own]) expect(await asJwt(forged(jwt, { key }))).toEqual(invalid)
  // RFC 8725 §3.10: nor with a key that the token brings along or names.
  const jwk = { kty: 'oct', k: own.toString('base64url'), kid: 'mine' }
  for (const header of [
    { jwk },
    { jwk, kid: 'mine' },
    { jku: 'http://127.0.0.1:1/keys' },
    { x5u: 'http://127.0.0.1:1/c' },
    { x5c: ['MA=='] },
  ])
    expect(await asJwt(forged(jwt, { header, key: own }))).toEqual(invalid)
})

test('D-15: a JWT whose kid is unknown, missing, a path or SQL is refused', async () => {
  const { token: jwt } = await make.someUser(plaza)
  const kids = ['x', '', '../../../dev/null', "' or '1'='1", null, 0, ['x'], { kid: 'x' }, undefined]
  for (const kid of kids) expect(await asJwt(forged(jwt, { header: { kid } }))).toEqual(invalid)
  expect(await asJwt(forged(jwt, { header: { kid: '/dev/null' }, key: Buffer.alloc(0) }))).toEqual(invalid)
})

test('D-15: a JWT issued in the future, or by another issuer, is refused', async () => {
  const { token: jwt } = await make.someUser(plaza)
  const now = Math.floor(plaza.clock.now().getTime() / 1000)
  for (const claims of [{ iat: now + 60 }, { iss: 'https://elsewhere.test' }, { iss: undefined }, { iss: '' }])
    expect(await asJwt(forged(jwt, { claims }))).toEqual(invalid)
})

test('D-15: a JWT that is expired or has no expiry is refused', async () => {
  const { token: jwt } = await make.someUser(plaza)
  const now = Math.floor(plaza.clock.now().getTime() / 1000)
  for (const exp of [now - 1, now, 0, undefined, null, String(now + 60)])
    expect(await asJwt(forged(jwt, { claims: { exp } }))).toEqual(invalid)
})

test('D-15: the login session of a JWT is its own user’s, and ends by itself whatever the JWT says', async () => {
  const [anna, berta] = [await make.someUser(plaza), await make.someUser(plaza)]
  expect(await asJwt(forged(anna.token, { claims: { sub: berta.id } }))).toEqual(invalid)
  for (const sid of ['01890000-0000-7000-8000-000000000000', undefined, 1])
    expect(await asJwt(forged(anna.token, { claims: { sid } }))).toEqual(invalid)
  const exp = Math.floor(plaza.clock.now().getTime() / 1000) + 365 * 86_400
  const immortal = forged(anna.token, { claims: { exp } })
  expect((await asJwt(immortal))[0]).toBe(200)
  plaza.clock.advance(43_200)
  expect(await asJwt(immortal)).toEqual(invalid)
})

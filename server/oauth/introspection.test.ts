import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { me } from '../../contract/accounts.ts'
import { getExternalUser, getSessionStatus } from '../../contract/external.ts'
import { refreshSession, revoke, token, verifyToken } from '../../contract/oauth.ts'
import { sharedService } from '../test/harness.ts'
import { outcome, refused, refusedByOAuth } from '../test/refusals.ts'
import * as make from '../test/world.ts'

const plaza = await sharedService()
const anonymous = new PlazaClient(plaza.url)
const as_form = { 'content-type': 'application/x-www-form-urlencoded' }
const as_json = { 'content-type': 'application/json' }

const introspect = (value: string) => anonymous.result(verifyToken, { body: { token: value } })
const inactive = (reason: string) => ({ active: false, reason })
const verify = (body: string, headers: Record<string, string>) =>
  make.raw(plaza, 'POST', '/api/oauth/token/verify', { headers, body })

/** RFC 7009, by a client with its secret; `changes` replaces or removes parameters. */
const revokes = (app: make.SomeApp, value: string, changes: Record<string, string | undefined> = {}) => {
  const { client_id, client_secret } = app
  return anonymous.call(revoke, { body: { client_id, client_secret, token: value, ...changes } })
}
const revoked = [200, {}]
const refresh = (app: make.SomeApp, refresh_token: string) =>
  anonymous.call(token, { body: make.refreshRequest(app, refresh_token) })
/** Whether an endpoint accepts the token; introspection must agree. */
async function works(access_token: string) {
  const { status } = await anonymous.withToken(access_token).call(getExternalUser)
  const { active } = await introspect(access_token)
  expect([status, active]).toEqual(active ? [200, true] : [401, false])
  return active
}

// Introspection (D-37)

test('spec Token introspection, D-37: an active token, with the stated fields and those of RFC 7662', async () => {
  const { user, app, tokens } = await make.world(plaza, { scopes: ['profile:read', 'points:read'] })
  const issued_at = plaza.clock.now().getTime()
  plaza.clock.advance(60)
  const reply = await anonymous.call(verifyToken, { body: { token: tokens.access_token } })
  expect(outcome(reply)).toEqual([
    200,
    {
      active: true,
      user_id: user.id,
      app_id: app.id,
      scopes: ['profile:read', 'points:read'],
      expires_at: new Date(issued_at + 3_600_000).toISOString(),
      scope: 'profile:read points:read',
      client_id: app.client_id,
      sub: user.id,
      exp: Math.floor(issued_at / 1000 + 3600),
      iat: Math.floor(issued_at / 1000),
      token_type: 'Bearer',
      aud: plaza.url,
    },
  ])
  expect(reply.headers.get('cache-control')).toBe('no-store')
})

test('D-37: an expired token is `expired`, and the response has no other field', async () => {
  const { tokens } = await make.world(plaza)
  plaza.clock.advance(3600)
  expect(await introspect(tokens.access_token)).toEqual(inactive('expired'))
})

test('D-37: every other kind of secret is `unknown`', async () => {
  const { user, app, tokens } = await make.world(plaza)
  const { code } = await make.someCode(app, user)
  for (const secret of [tokens.refresh_token, tokens.session_token, code, app.client_secret, user.token])
    expect(await introspect(secret)).toEqual(inactive('unknown'))
})

test('spec Errors 5: introspection never errors on a bad token', async () => {
  const { tokens } = await make.world(plaza)
  const { access_token } = tokens
  const flipped = access_token.slice(0, -2) + (access_token.at(-2) === 'A' ? 'B' : 'A') + access_token.at(-1)
  const random = randomBytes(32).toString('base64url')
  const odd = [' ', 'ü🥉', "' or 1=1 --", '%00', 'Bearer x', '{}', 'null', 'x'.repeat(60_000)]
  const near = [`plz_at_${random}`, random, access_token.slice(0, -1), `${access_token}A`, ` ${access_token}`, flipped]
  for (const bad of [...odd, ...near, access_token.toUpperCase()])
    expect(outcome(await verify(JSON.stringify({ token: bad }), as_json))).toEqual([200, inactive('unknown')])
})

test('D-84: a token that is missing, empty or no text is 200 and inactive, in any body that can be read', async () => {
  const malformed = [200, inactive('malformed')]
  for (const token of [undefined, '', null, 1, true, ['x'], { a: 1 }])
    expect([token, ...outcome(await verify(JSON.stringify({ token }), as_json))]).toEqual([token, ...malformed])
  for (const body of ['', '[]', 'null', '"plz_at_x"', '7', '{"Token":"x"}'])
    expect([body, ...outcome(await verify(body, as_json))]).toEqual([body, ...malformed])
  for (const body of ['', 'token=', 'token', '=x', 'client_id=x'])
    expect([body, ...outcome(await verify(body, as_form))]).toEqual([body, ...malformed])
  expect(outcome(await make.raw(plaza, 'POST', '/api/oauth/token/verify'))).toEqual(malformed)
})

test('D-03: a malformed body gets the framework’s response', async () => {
  expect(outcome(await verify('{', as_json))).toEqual([400, { errors: { detail: 'Bad Request' } }])
  const xml = await verify('<token/>', { 'content-type': 'text/xml' })
  expect(outcome(xml)).toEqual([415, { errors: { detail: 'Unsupported Media Type' } }])
})

test('D-22: introspection reads a form, with the hints and credentials that RFC 7662 clients send along', async () => {
  const { app, tokens } = await make.world(plaza)
  const { client_id, client_secret } = app
  const body = new URLSearchParams({ token: tokens.access_token, token_type_hint: 'access_token' }).toString()
  const basic = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`
  const expected = [200, await introspect(tokens.access_token)]
  expect(outcome(await verify(body, as_form))).toEqual(expected)
  expect(outcome(await verify(body, { ...as_form, authorization: basic }))).toEqual(expected)
  expect(outcome(await verify(`${body}&client_id=${client_id}&client_secret=wrong`, as_form))).toEqual(expected)
  expect(outcome(await verify(body, { ...as_form, authorization: 'Bearer nonsense' }))).toEqual(expected)
})

test('D-38: introspection does not count as use: 20 calls write no heartbeat and no last use', async () => {
  const { user, tokens } = await make.world(plaza)
  const { last_uses } = plaza.service.app
  const stamps = () => plaza.db.sql`
    select c.last_used_at, s.last_heartbeat_at from connections c join app_sessions s using (user_id, app_id)
     where user_id = ${user.id}`
  await last_uses.flush()
  const before = await stamps()
  expect(before).toHaveLength(1)
  plaza.clock.advance(5)
  for (let turn = 0; turn < 20; turn++) await introspect(tokens.access_token)
  await last_uses.flush()
  expect(await stamps()).toEqual(before)
})

// Revocation (D-36, RFC 7009)

test('RFC 7009 §2.1: an access token is revoked by itself; its refresh token stays valid', async () => {
  const { app, tokens } = await make.world(plaza)
  const reply = await revokes(app, tokens.access_token)
  for (const each of [reply, await revokes(app, tokens.access_token)]) expect(outcome(each)).toEqual(revoked)
  expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(await works(tokens.access_token)).toBe(false)
  const next = await anonymous.result(token, { body: make.refreshRequest(app, tokens.refresh_token) })
  expect(await works(next.access_token)).toBe(true)
})

test.each(['newest', 'used'])(
  'RFC 7009 §2.1, §2.2: the %s refresh token takes all tokens of its grant with it, and no other grant; again it is 200 too',
  async (which) => {
    const { user, app, tokens } = await make.world(plaza)
    const other = await make.someTokens(plaza, app, user)
    const next = await anonymous.result(token, { body: make.refreshRequest(app, tokens.refresh_token) })
    const value = which === 'newest' ? next.refresh_token : tokens.refresh_token
    for (let turn = 0; turn < 2; turn++) expect(outcome(await revokes(app, value))).toEqual(revoked)
    expect([await works(tokens.access_token), await works(next.access_token)]).toEqual([false, false])
    for (const gone of [tokens.refresh_token, next.refresh_token])
      expect(outcome(await refresh(app, gone))).toEqual(refusedByOAuth('invalid_grant'))
    expect(await works(other.access_token)).toBe(true)
  },
)

test('RFC 7009 §2.2: an unknown, expired or otherwise useless token is 200 as well, and nothing happens', async () => {
  const { user, app, tokens } = await make.world(plaza)
  const { code, code_verifier } = await make.someCode(app, user)
  for (const value of ['x', 'plz_at_x', 'plz_rt_x', 'plz_st_x', 'eyJ', 'a.b.c'])
    expect(outcome(await revokes(app, value))).toEqual(revoked)
  expect(await works(tokens.access_token)).toBe(true)
  await anonymous.result(token, { body: make.codeRequest(app, { code, code_verifier }) })
  plaza.clock.advance(3600)
  expect(outcome(await revokes(app, tokens.access_token))).toEqual(revoked)
})

const sessionOf = ({ access_token }: make.SomeTokens) => anonymous.withToken(access_token).result(getSessionStatus)

test('D-85: a session token ends its session, and nothing else', async () => {
  const { user, app, tokens } = await make.world(plaza)
  const other = await make.someTokens(plaza, app, user)
  expect(outcome(await revokes(app, tokens.session_token))).toEqual(revoked)
  expect((await sessionOf(tokens)).session_active).toBe(false)
  expect(outcome(await revokes(app, tokens.session_token))).toEqual(revoked)
  const renewed = await anonymous.call(refreshSession, { body: { token: tokens.session_token } })
  expect(outcome(renewed)).toEqual(refused('invalid_token'))
  expect((await sessionOf(other)).session_active).toBe(true)
  expect(await works(tokens.access_token)).toBe(true)
  expect((await refresh(app, tokens.refresh_token)).status).toBe(200)
})

test('D-85: an older token of a renewed session ends it too, as long as it is valid', async () => {
  const { app, tokens } = await make.world(plaza)
  plaza.clock.advance(60)
  await anonymous.result(refreshSession, { body: { token: tokens.session_token } })
  expect(outcome(await revokes(app, tokens.session_token))).toEqual(revoked)
  expect((await sessionOf(tokens)).session_active).toBe(false)
  const late = await make.world(plaza)
  plaza.clock.advance(600)
  const { session_token } = await anonymous.result(refreshSession, { body: { token: late.tokens.session_token } })
  plaza.clock.advance(600)
  expect(outcome(await revokes(late.app, late.tokens.session_token))).toEqual(revoked)
  expect((await sessionOf(late.tokens)).session_active).toBe(true)
  expect(outcome(await revokes(late.app, session_token))).toEqual(revoked)
  expect((await sessionOf(late.tokens)).session_active).toBe(false)
})

test('D-85: the session of another client is left alone, and so it is under a wrong secret', async () => {
  const { app, tokens } = await make.world(plaza)
  const stranger = await make.someApp(plaza)
  expect(outcome(await revokes(stranger, tokens.session_token))).toEqual(revoked)
  expect(outcome(await revokes(app, tokens.session_token, { client_secret: 'wrong' }))).toEqual(
    refusedByOAuth('invalid_client'),
  )
  expect((await sessionOf(tokens)).session_active).toBe(true)
})

test('D-85: a code, a client secret and a JWT are kinds that cannot be revoked; they stay valid', async () => {
  const { user, app, tokens } = await make.world(plaza)
  const { code, code_verifier } = await make.someCode(app, user)
  const stranger = await make.someApp(plaza)
  for (const value of [code, app.client_secret, user.token, 'plz_ac_x', 'plz_cs_x'])
    for (const client of [app, stranger])
      expect([value, ...outcome(await revokes(client, value))]).toEqual([
        value,
        ...refusedByOAuth('unsupported_token_type'),
      ])
  expect(outcome(await revokes(app, code, { client_secret: 'wrong' }))).toEqual(refusedByOAuth('invalid_client'))
  await anonymous.result(token, { body: make.codeRequest(app, { code, code_verifier }) })
  expect((await user.api.call(me)).status).toBe(200)
  expect(await works(tokens.access_token)).toBe(true)
})

test('RFC 7009 §2.1: the token of another client is left alone, in silence', async () => {
  const { app, tokens } = await make.world(plaza)
  const stranger = await make.someApp(plaza)
  for (const value of [tokens.access_token, tokens.refresh_token])
    expect(outcome(await revokes(stranger, value))).toEqual(revoked)
  expect(await works(tokens.access_token)).toBe(true)
  expect((await refresh(app, tokens.refresh_token)).status).toBe(200)
})

test('RFC 7009 §2.1: the client is checked first: no revocation under a wrong secret or an unknown client_id', async () => {
  const { app, tokens } = await make.world(plaza)
  const { refresh_token } = tokens
  expect(outcome(await revokes(app, refresh_token, { client_secret: 'wrong' }))).toEqual(
    refusedByOAuth('invalid_client'),
  )
  expect(outcome(await revokes(app, refresh_token, { client_id: 'nobody' }))).toEqual(refusedByOAuth('invalid_client'))
  expect(outcome(await revokes(app, '', {}))).toEqual(refusedByOAuth('invalid_request'))
  expect(await works(tokens.access_token)).toBe(true)
})

test('D-22, D-23: revocation reads a form and Basic credentials; wrong ones there are 401', async () => {
  const { app, tokens } = await make.world(plaza)
  const basic = (secret: string) => `Basic ${Buffer.from(`${app.client_id}:${secret}`).toString('base64')}`
  const send = (secret: string, body: string) =>
    make.raw(plaza, 'POST', '/api/oauth/revoke', { headers: { ...as_form, authorization: basic(secret) }, body })
  const body = `token=${tokens.access_token}&token_type_hint=refresh_token`
  const wrong = await send('wrong', body)
  expect([wrong.status, wrong.body]).toEqual([401, refusedByOAuth('invalid_client')[1]])
  expect(wrong.headers.get('www-authenticate')).toBe('Basic realm="plaza", charset="UTF-8"')
  expect(await works(tokens.access_token)).toBe(true)
  expect(outcome(await send(app.client_secret, `${body}&token=x`))).toEqual(refusedByOAuth('parameter_repeated'))
  expect(await works(tokens.access_token)).toBe(true)
  expect(outcome(await send(app.client_secret, body))).toEqual(revoked)
  expect(await works(tokens.access_token)).toBe(false)
})

test('RFC 7009 §5: a public client revokes its tokens without a secret', async () => {
  const { app, tokens } = await make.world(plaza)
  expect(outcome(await revokes(app, tokens.refresh_token, { client_secret: undefined }))).toEqual(revoked)
  expect(await works(tokens.access_token)).toBe(false)
})

test('spec Errors 5: a token with a NUL or half a surrogate pair is merely an unknown one', async () => {
  for (const [body, headers] of [
    ['{"token":"plz_at_\\u0000"}', as_json],
    ['{"token":"\\ud800"}', as_json],
    ['token=plz_at_%00', as_form],
  ] as const)
    expect([body, ...outcome(await verify(body, headers))]).toEqual([body, 200, inactive('unknown')])
})

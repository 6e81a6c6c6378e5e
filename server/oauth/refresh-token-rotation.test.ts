import { expect, test } from 'vitest'
import { getPoints } from '../../contract/points.ts'
import { getExternalUser } from '../../contract/external.ts'
import { token, verifyToken } from '../../contract/oauth.ts'
import { PlazaClient } from '../../contract/client.ts'
import { countBy, race, sharedService } from '../test/harness.ts'
import { outcome, refusedByOAuth } from '../test/refusals.ts'
import { long_sign_ins } from '../test/settings.ts'
import * as make from '../test/world.ts'

const plaza = await sharedService(long_sign_ins)
const anonymous = new PlazaClient(plaza.url)
const day = 86_400

/** A refresh by the app with this token; `changes` replaces or removes parameters. */
const refresh = (app: make.SomeApp, refresh_token: string, changes: Record<string, string | undefined> = {}) =>
  anonymous.call(token, { body: { ...make.refreshRequest(app, refresh_token), ...changes } })

/** A refresh that must succeed. */
const renewed = (app: make.SomeApp, refresh_token: string, scope?: string) =>
  anonymous.result(token, {
    body: { ...make.refreshRequest(app, refresh_token), ...(scope !== undefined && { scope }) },
  })

const active = async (access_token: string) =>
  (await anonymous.result(verifyToken, { body: { token: access_token } })).active
const refreshTokensStored = async () => (await plaza.db.sql`select token_hash from refresh_tokens`).length

test('spec Token response: a refresh answers a whole new pair, no session token, and exactly 200', async () => {
  const { app, tokens } = await make.world(plaza)
  const reply = await refresh(app, tokens.refresh_token)
  expect(outcome(reply)).toEqual([
    200,
    {
      access_token: expect.stringMatching(/^plz_at_[A-Za-z0-9_-]{43}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token_expires_in: 30 * day,
      refresh_token: expect.stringMatching(/^plz_rt_[A-Za-z0-9_-]{43}$/),
      scope: 'profile:read',
    },
  ])
  expect(reply.headers.get('cache-control')).toBe('no-store')
  if (!reply.ok) throw new Error('not refreshed')
  expect(reply.body.refresh_token).not.toBe(tokens.refresh_token)
  expect(reply.body.access_token).not.toBe(tokens.access_token)
})

test('D-26: the previous access token stays valid until it expires', async () => {
  const { app, tokens } = await make.world(plaza)
  plaza.clock.advance(100)
  const next = await renewed(app, tokens.refresh_token)
  plaza.clock.advance(3499)
  expect([await active(tokens.access_token), await active(next.access_token)]).toEqual([true, true])
  plaza.clock.advance(1)
  expect([await active(tokens.access_token), await active(next.access_token)]).toEqual([false, true])
})

test('spec Authentication 3, D-26: without client_secret a refresh is invalid_request, with a wrong one invalid_client; the token stays valid', async () => {
  const { app, tokens } = await make.world(plaza)
  const before = await refreshTokensStored()
  for (const [client_secret, code] of [
    [undefined, 'secret_missing'],
    ['', 'secret_missing'],
    [`${app.client_secret}x`, 'invalid_client'],
  ] as const) {
    const reply = await refresh(app, tokens.refresh_token, { client_secret })
    expect([...outcome(reply), reply.headers.get('www-authenticate')]).toEqual([...refusedByOAuth(code), null])
  }
  expect(await refreshTokensStored()).toBe(before)
  await renewed(app, tokens.refresh_token)
})

test('RFC 6749 §6: another app with valid credentials gets invalid_grant; the token stays its owner’s', async () => {
  const { app, tokens } = await make.world(plaza)
  const stranger = await make.someApp(plaza)
  expect(outcome(await refresh(stranger, tokens.refresh_token))).toEqual(refusedByOAuth('invalid_grant'))
  plaza.clock.advance(31)
  expect(outcome(await refresh(stranger, tokens.refresh_token))).toEqual(refusedByOAuth('invalid_grant'))
  await renewed(app, tokens.refresh_token)
  expect(outcome(await refresh(stranger, tokens.refresh_token))).toEqual(refusedByOAuth('invalid_grant'))
  plaza.clock.advance(31)
  expect(outcome(await refresh(stranger, tokens.refresh_token))).toEqual(refusedByOAuth('invalid_grant'))
  expect(await active(tokens.access_token)).toBe(true)
})

test('spec Token endpoint grants: a refresh without refresh_token is invalid_request', async () => {
  const { app } = await make.world(plaza)
  expect(outcome(await refresh(app, '', { refresh_token: undefined }))).toEqual(refusedByOAuth('invalid_request'))
  expect(outcome(await refresh(app, ''))).toEqual(refusedByOAuth('invalid_request'))
})

test('D-26: within 30 s the old token brings the very same pair', async () => {
  const { app, tokens } = await make.world(plaza)
  const next = await renewed(app, tokens.refresh_token)
  expect(await renewed(app, tokens.refresh_token)).toEqual(next)
  plaza.clock.advance(29)
  const { expires_in, refresh_token_expires_in, ...again } = await renewed(app, tokens.refresh_token)
  const seconds = { expires_in: expires_in + 29, refresh_token_expires_in: refresh_token_expires_in + 29 }
  expect({ ...again, ...seconds }).toEqual(next)
  expect(await active(next.access_token)).toBe(true)
})

test('D-26: the same pair comes even when that pair was itself refreshed, or seen in use, in the meantime', async () => {
  const { app, tokens } = await make.world(plaza)
  const second = await renewed(app, tokens.refresh_token)
  await anonymous.withToken(second.access_token).result(getExternalUser)
  const third = await renewed(app, second.refresh_token)
  expect(await renewed(app, tokens.refresh_token)).toEqual(second)
  expect(await renewed(app, second.refresh_token)).toEqual(third)
  expect([await active(second.access_token), await active(third.access_token)]).toEqual([true, true])
})

test('D-26: after 30 s the old token is invalid_grant and its grant is revoked; no other grant is', async () => {
  const { user, app, tokens } = await make.world(plaza)
  const same_app = await make.someTokens(plaza, app, user)
  const other_app = await make.someApp(plaza)
  const elsewhere = await make.someTokens(plaza, other_app, user)
  const second = await renewed(app, tokens.refresh_token)
  plaza.clock.advance(30)
  // A scope that it may not request does not protect the grant.
  const late = await refresh(app, tokens.refresh_token, { scope: 'points:transfer' })
  expect(outcome(late)).toEqual(refusedByOAuth('invalid_grant'))
  expect([await active(tokens.access_token), await active(second.access_token)]).toEqual([false, false])
  expect(outcome(await refresh(app, second.refresh_token))).toEqual(refusedByOAuth('invalid_grant'))
  expect([await active(same_app.access_token), await active(elsewhere.access_token)]).toEqual([true, true])
  await renewed(app, same_app.refresh_token)
  await renewed(other_app, elsewhere.refresh_token)
})

test('D-26: a used token ends the grant even when it comes back after its own 30 days', async () => {
  const { app, tokens } = await make.world(plaza)
  plaza.clock.advance(29 * day)
  const second = await renewed(app, tokens.refresh_token)
  plaza.clock.advance(day)
  const third = await renewed(app, second.refresh_token)
  expect(outcome(await refresh(app, tokens.refresh_token))).toEqual(refusedByOAuth('invalid_grant'))
  expect(await active(third.access_token)).toBe(false)
})

test('D-26: a late reuse without the right secret revokes nothing', async () => {
  const { app, tokens } = await make.world(plaza)
  const second = await renewed(app, tokens.refresh_token)
  plaza.clock.advance(31)
  expect(outcome(await refresh(app, tokens.refresh_token, { client_secret: 'wrong' }))).toEqual(
    refusedByOAuth('invalid_client'),
  )
  expect(await active(second.access_token)).toBe(true)
})

test('D-26: 50 parallel refreshes, on two instances, are one rotation: all get one and the same pair', async () => {
  const { app, tokens } = await make.world(plaza)
  const instances = [anonymous, new PlazaClient((await plaza.startAnother()).url)]
  const before = await refreshTokensStored()
  const replies = await race(plaza, 50, (at) =>
    instances[at % 2]!.call(token, { body: make.refreshRequest(app, tokens.refresh_token) }),
  )
  expect(countBy(replies, ({ status }) => status)).toEqual({ 200: 50 })
  const [pair, ...others] = new Set(replies.map(({ body }) => JSON.stringify(body)))
  expect(others).toEqual([])
  expect(await refreshTokensStored()).toBe(before + 1)
  const { access_token, refresh_token } = JSON.parse(pair!) as { access_token: string; refresh_token: string }
  expect(await active(access_token)).toBe(true)
  await renewed(app, refresh_token)
})

test('D-26: 50 parallel reuses after the window are all invalid_grant, and none brings a pair to life', async () => {
  const { app, tokens } = await make.world(plaza)
  const second = await renewed(app, tokens.refresh_token)
  plaza.clock.advance(31)
  const before = await refreshTokensStored()
  const replies = await race(plaza, 50, (at) => refresh(app, at % 2 ? tokens.refresh_token : second.refresh_token))
  for (const reply of replies.filter((_, at) => at % 2)) expect(outcome(reply)).toEqual(refusedByOAuth('invalid_grant'))
  expect((await refreshTokensStored()) - before).toBeLessThanOrEqual(1)
  const issued = replies.flatMap((reply) => (reply.ok ? [reply.body.access_token] : []))
  for (const access_token of issued) expect(await active(access_token)).toBe(false)
})

test('RFC 6749 §6: a narrower scope narrows the access token; the refresh token keeps the full scope, which may be named in any order', async () => {
  const { app, tokens } = await make.world(plaza, { scopes: ['profile:read', 'points:read'] })
  const narrow = await renewed(app, tokens.refresh_token, 'points:read')
  expect(narrow.scope).toBe('points:read')
  const api = anonymous.withToken(narrow.access_token)
  expect((await api.call(getPoints)).status).toBe(200)
  expect((await api.call(getExternalUser)).status).toBe(401)
  const named = 'points:read profile:read  points:read offline_access'
  const full = await renewed(app, narrow.refresh_token, named)
  expect([full.scope, (await renewed(app, full.refresh_token)).scope]).toEqual(
    Array(2).fill('profile:read points:read'),
  )
})

test('D-26: a wider or unknown scope is invalid_scope, and the token is not used up', async () => {
  const { app, user } = await make.world(plaza, { scopes: ['profile:read', 'points:read'] })
  const tokens = await make.someTokens(plaza, app, user, ['profile:read'])
  for (const scope of ['profile:read points:read', 'points:read', 'deploy:manage', 'email', 'profile:read\tx'])
    expect([scope, ...outcome(await refresh(app, tokens.refresh_token, { scope }))]).toEqual([
      scope,
      ...refusedByOAuth('invalid_scope'),
    ])
  plaza.clock.advance(31)
  expect((await renewed(app, tokens.refresh_token)).scope).toBe('profile:read')
})

test('D-26: within 30 s a used token is refused a wider scope too, and still brings its pair', async () => {
  const { app, user } = await make.world(plaza, { scopes: ['profile:read', 'points:read'] })
  const tokens = await make.someTokens(plaza, app, user, ['profile:read'])
  const next = await renewed(app, tokens.refresh_token)
  const before = await refreshTokensStored()
  for (const scope of ['points:read', 'profile:read points:transfer', 'email'])
    expect([scope, ...outcome(await refresh(app, tokens.refresh_token, { scope }))]).toEqual([
      scope,
      ...refusedByOAuth('invalid_scope'),
    ])
  expect(await refreshTokensStored()).toBe(before)
  expect(await renewed(app, tokens.refresh_token, 'profile:read')).toEqual(next)
  expect(await active(next.access_token)).toBe(true)
})

test('D-20: no other kind of secret works as a refresh token', async () => {
  const { user, app, tokens } = await make.world(plaza)
  const { code } = await make.someCode(app, user)
  const { access_token, session_token } = tokens
  for (const secret of [access_token, session_token, code, app.client_secret, user.token, 'plz_rt_', 'x'.repeat(4096)])
    expect(outcome(await refresh(app, secret))).toEqual(refusedByOAuth('invalid_grant'))
  expect(await active(access_token)).toBe(true)
})

test('D-21: a refresh token lasts 30 days from its own rotation, to the second', async () => {
  const { user, app, tokens } = await make.world(plaza)
  const late = await make.someTokens(plaza, app, user)
  plaza.clock.advance(30 * day - 1)
  const second = await renewed(app, tokens.refresh_token)
  plaza.clock.advance(1)
  expect(outcome(await refresh(app, late.refresh_token))).toEqual(refusedByOAuth('invalid_grant'))
  plaza.clock.advance(30 * day - 2)
  const third = await renewed(app, second.refresh_token)
  plaza.clock.advance(30 * day)
  expect(outcome(await refresh(app, third.refresh_token))).toEqual(refusedByOAuth('invalid_grant'))
})

test('D-150: a grant ends 180 days after its consent, however often it is renewed', async () => {
  const { app, tokens } = await make.world(plaza)
  let last = tokens
  for (let days = 25; days < 180; days += 25) {
    plaza.clock.advance(25 * day)
    last = { ...last, ...(await renewed(app, last.refresh_token)) }
    expect(last).toMatchObject({ expires_in: 3600, refresh_token_expires_in: Math.min(30, 180 - days) * day })
  }
  plaza.clock.advance(5 * day - 60)
  last = { ...last, ...(await renewed(app, last.refresh_token)) }
  expect(last).toMatchObject({ expires_in: 60, refresh_token_expires_in: 60 })
  plaza.clock.advance(60)
  expect(outcome(await refresh(app, last.refresh_token))).toEqual(refusedByOAuth('invalid_grant'))
  expect(await active(last.access_token)).toBe(false)
})

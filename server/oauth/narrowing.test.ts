import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { approveScopeRequest } from '../../contract/admin-apps.ts'
import { getExternalUser } from '../../contract/external.ts'
import { requestScopes, updateMyApp } from '../../contract/oauth-apps.ts'
import { listConnectedApps, token, verifyToken } from '../../contract/oauth.ts'
import { getPoints } from '../../contract/points.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { race, sharedService } from '../test/harness.ts'
import { invalid_grant, outcome, refused } from '../test/refusals.ts'
import * as make from '../test/world.ts'

const plaza = await sharedService()
const anonymous = new PlazaClient(plaza.url)
const both: Scope[] = ['profile:read', 'points:read']

const narrow = ({ id, owner }: make.SomeApp, allowed_scopes: Scope[]) =>
  owner.api.result(updateMyApp, { params: { id }, body: { allowed_scopes } })
const redirectTo = ({ id, owner }: make.SomeApp, ...redirect_uris: string[]) =>
  owner.api.result(updateMyApp, { params: { id }, body: { redirect_uris } })
const redeem = (app: make.SomeApp, code: { code: string; code_verifier: string }, redirect_uri = app.redirect_uri) =>
  anonymous.call(token, { body: { ...make.codeRequest(app, code), redirect_uri } })
const refresh = (app: make.SomeApp, refresh_token: string, scope?: string) =>
  anonymous.call(token, { body: { ...make.refreshRequest(app, refresh_token), ...(scope !== undefined && { scope }) } })
const scopeOf = (reply: { ok: boolean; body: unknown }) =>
  reply.ok ? (reply.body as { scope: string }).scope : reply.body
const introspect = (access_token: string) => anonymous.result(verifyToken, { body: { token: access_token } })
const invalid_scope = (reply: { status: number; body: unknown }) => [
  reply.status,
  (reply.body as { error: string }).error,
]

test('D-87: an access token loses a scope immediately, in every process, even if it is cached', async () => {
  const { app, tokens } = await make.world(plaza, { scopes: both })
  const other = await plaza.startAnother()
  const elsewhere = new PlazaClient(other.url, tokens.access_token)
  expect((await tokens.api.call(getPoints)).status).toBe(200)
  expect((await elsewhere.call(getPoints)).status).toBe(200)
  await narrow(app, ['profile:read'])
  expect(outcome(await tokens.api.call(getPoints))).toEqual(refused('insufficient_scope'))
  await expect.poll(async () => (await elsewhere.call(getPoints)).status).toBe(401)
  expect((await tokens.api.call(getExternalUser)).status).toBe(200)
  expect(await introspect(tokens.access_token)).toMatchObject({
    active: true,
    scope: 'profile:read',
    scopes: ['profile:read'],
  })
})

test('D-87: a pending code and a refresh get the remaining scopes; a removed scope cannot be requested', async () => {
  const { user, app, tokens } = await make.world(plaza, { scopes: both })
  const code = await make.someCode(app, user, both)
  await narrow(app, ['profile:read'])
  const redeemed = await redeem(app, code)
  expect([redeemed.status, scopeOf(redeemed)]).toEqual([200, 'profile:read'])
  expect(invalid_scope(await refresh(app, tokens.refresh_token, 'points:read'))).toEqual([400, 'invalid_scope'])
  const refreshed = await refresh(app, tokens.refresh_token)
  expect([refreshed.status, scopeOf(refreshed)]).toEqual([200, 'profile:read'])
  const access_token = refreshed.ok ? refreshed.body.access_token : ''
  expect(outcome(await anonymous.withToken(access_token).call(getPoints))).toEqual(refused('insufficient_scope'))
  const { connected_apps } = await user.api.result(listConnectedApps)
  expect(connected_apps.map(({ scopes }) => scopes)).toEqual([['profile:read']])
})

test('D-87: a repeated refresh returns the remaining scopes of its pair', async () => {
  const { app, tokens } = await make.world(plaza, { scopes: both })
  const first = await refresh(app, tokens.refresh_token)
  await narrow(app, ['points:read'])
  const again = await refresh(app, tokens.refresh_token)
  expect([again.status, scopeOf(again)]).toEqual([200, 'points:read'])
  expect(again.ok && first.ok && again.body.access_token === first.body.access_token).toBe(true)
})

test('D-87: where nothing is left, code, access token and refresh token are void, and nothing is issued', async () => {
  const { user, app, tokens } = await make.world(plaza, { scopes: both })
  const only_points = await make.someTokens(plaza, app, user, ['points:read'])
  const used = await make.someTokens(plaza, app, user, ['points:read'])
  await refresh(app, used.refresh_token)
  const code = await make.someCode(app, user, ['points:read'])
  const rows = () => plaza.db.sql`
    select (select count(*) from grants where app_id = ${app.id}) as grants,
           (select count(*) from access_tokens where app_id = ${app.id}) as tokens`
  const before = await rows()
  await narrow(app, ['profile:read'])
  expect(outcome(await redeem(app, code))).toEqual(invalid_grant)
  expect(outcome(await refresh(app, only_points.refresh_token))).toEqual(invalid_grant)
  expect(outcome(await refresh(app, used.refresh_token))).toEqual(invalid_grant)
  expect(outcome(await only_points.api.call(getPoints))).toEqual(refused('invalid_token'))
  expect(await introspect(only_points.access_token)).toEqual({ active: false, reason: 'revoked' })
  expect((await tokens.api.call(getExternalUser)).status).toBe(200)
  expect(await rows()).toEqual(before)
})

test('D-87: a scope that an admin restores counts again for users who granted it, and for no others', async () => {
  const { user, app, tokens } = await make.world(plaza, { scopes: both })
  const without = await make.someTokens(plaza, app, user, ['profile:read'])
  await narrow(app, ['profile:read'])
  const { id } = await app.owner.api.result(requestScopes, {
    params: { id: app.id },
    body: { requested_scopes: ['points:read'] },
  })
  await (await make.theAdmin(plaza)).api.result(approveScopeRequest, { params: { id } })
  await expect.poll(async () => (await tokens.api.call(getPoints)).status).toBe(200)
  expect(outcome(await without.api.call(getPoints))).toEqual(refused('insufficient_scope'))
})

test('D-87: a code for a redirect URI that was removed is void; one for another URI is not', async () => {
  const redirect_uris = ['https://a.example/cb', 'https://b.example/cb']
  const app = await make.someApp(plaza, { redirect_uris })
  const user = await make.someUser(plaza)
  const [gone, kept] = [
    await make.someCode(app, user),
    await make.someCode({ ...app, redirect_uri: redirect_uris[1]! }, user),
  ]
  const tokens = await make.someTokens(plaza, app, user)
  await redirectTo(app, 'https://b.example/cb')
  expect(outcome(await redeem(app, gone))).toEqual(invalid_grant)
  expect((await redeem(app, kept, redirect_uris[1])).status).toBe(200)
  expect((await tokens.api.call(getExternalUser)).status).toBe(200)
})

test('D-87: loopback ports may differ: a code is valid as long as its registered URI', async () => {
  const app = await make.someApp(plaza, { redirect_uris: ['http://127.0.0.1/cb', 'http://[::1]/cb'] })
  const user = await make.someUser(plaza)
  const at = (redirect_uri: string) => make.someCode({ ...app, redirect_uri }, user)
  const [kept, gone] = [await at('http://[::1]:4000/cb'), await at('http://127.0.0.1:5000/cb')]
  await redirectTo(app, 'http://[::1]/cb')
  expect(outcome(await redeem(app, gone, 'http://127.0.0.1:5000/cb'))).toEqual(invalid_grant)
  expect((await redeem(app, kept, 'http://[::1]:4000/cb')).status).toBe(200)
})

test('D-87: of 40 redemptions and refreshes during a narrowing, none yields a token with more than the allowed scopes', async () => {
  const { user, app } = await make.world(plaza, { scopes: both })
  const codes = await Promise.all(Array.from({ length: 20 }, () => make.someCode(app, user, both)))
  const pairs = await Promise.all(Array.from({ length: 20 }, () => make.someTokens(plaza, app, user, both)))
  const replies = await race(plaza, 41, async (at) => {
    if (at === 20) return narrow(app, ['profile:read']).then(() => undefined)
    return at < 20 ? redeem(app, codes[at]!) : refresh(app, pairs[at - 21]!.refresh_token)
  })
  for (const reply of replies) {
    if (!reply) continue
    expect(reply.status).toBe(200)
    const access_token = reply.ok ? reply.body.access_token : ''
    expect((await introspect(access_token)).scope).toBe('profile:read')
    expect(outcome(await anonymous.withToken(access_token).call(getPoints))).toEqual(refused('insufficient_scope'))
  }
})

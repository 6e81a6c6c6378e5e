import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { listMyApps, updateMyApp } from '../../contract/oauth-apps.ts'
import { disconnectApp } from '../../contract/oauth.ts'
import { getAnalytics, getOperatorApp, updateOperatorApp } from '../../contract/operators.ts'
import { spendPoints, transferPoints } from '../../contract/points.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { race, sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { givePoints, raw, someApp, someCode, someTokens, someUser, type SomeApp, type SomeUser } from '../test/world.ts'
import { long_lifetimes } from '../test/settings.ts'

const plaza = await sharedService(long_lifetimes)
const scopes: Scope[] = ['points:spend', 'points:transfer', 'app:balance:read']

/** An app connected by its owner and another user. */
async function operator() {
  const app = await someApp(plaza, { scopes })
  const user = await someUser(plaza)
  await givePoints(plaza, user, 100)
  return { app, user, owner: await someTokens(plaza, app, app.owner), tokens: await someTokens(plaza, app, user) }
}
const stored = async ({ id }: SomeApp) => (await plaza.db.sql`select * from oauth_apps where id = ${id}`)[0]
const day = 86_400

// Analytics

test('spec operator/analytics: counts of users, spends and awards, over 30 days by default', async () => {
  const { app, user, owner, tokens } = await operator()
  const analytics = async (query = {}) => outcome(await owner.api.call(getAnalytics, { query }))
  const none = { total_users: 2, total_spends: 0, total_awards: 0, window_days: 30 }
  expect(await analytics()).toEqual([200, { analytics: none }])
  for (const amount of [5, 7]) await tokens.api.result(spendPoints, { body: { amount } })
  await tokens.api.result(transferPoints, { body: { amount: 1, to_user_id: app.owner.id } })
  await tokens.api.call(spendPoints, { body: { amount: 1_000_000 } })
  await givePoints(plaza, user, 10, app.id)
  await givePoints(plaza, app.owner, 10, app.id)
  await givePoints(plaza, user, 10)
  const some = { ...none, total_spends: 2, total_awards: 2 }
  expect(await analytics(), 'D-49: movements, not points; refusals, transfers and others’ awards are none').toEqual([
    200,
    { analytics: some },
  ])
  await user.api.result(disconnectApp, { params: { app_id: app.id } })
  expect(await analytics({ window_days: 365 }), 'D-49: users ever connected').toEqual([
    200,
    { analytics: { ...some, window_days: 365 } },
  ])
})

test('D-49: users who connect concurrently, twice, or again after a disconnect count once', async () => {
  const app = await someApp(plaza, { scopes })
  const other = await plaza.startAnother()
  const users: SomeUser[] = []
  for (let made = 0; made < 20; made++) users.push(await someUser(plaza))
  const connect = (at: number) => {
    const user = users[at % users.length] as SomeUser
    return someCode(app, { ...user, api: new PlazaClient((at % 3 === 0 ? plaza : other).url, user.token) })
  }
  await race(plaza, 60, connect)
  await users[0]?.api.result(disconnectApp, { params: { app_id: app.id } })
  await connect(0)
  const [mine] = await app.owner.api.result(listMyApps)
  expect(mine?.total_users).toBe(20)
})

test('D-33, D-49: any user’s token reads analytics, and a token reads only those of its own app', async () => {
  const [one, two] = [await operator(), await operator()]
  await one.tokens.api.result(spendPoints, { body: { amount: 1 } })
  const both = await someTokens(plaza, two.app, one.user)
  const spends = async (api: typeof both.api) => (await api.result(getAnalytics)).analytics.total_spends
  expect([await spends(one.tokens.api), await spends(one.owner.api), await spends(both.api)]).toEqual([1, 1, 0])
  const query = `?app_id=${one.app.id}&client_id=${one.app.client_id}`
  const reply = await raw(plaza, 'GET', `/api/operator/analytics${query}`, {
    headers: { authorization: `Bearer ${both.access_token}` },
  })
  expect(reply.body).toMatchObject({ analytics: { total_users: 3, total_spends: 0 } })
})

test('D-49: a movement is in the window for exactly window_days, to the millisecond', async () => {
  const { owner, tokens } = await operator()
  const spends = async (window_days: number) =>
    (await owner.api.result(getAnalytics, { query: { window_days } })).analytics.total_spends
  await tokens.api.result(spendPoints, { body: { amount: 1 } })
  plaza.clock.advance(day)
  expect([await spends(1), await spends(2)]).toEqual([1, 1])
  plaza.clock.advance(0.001)
  expect([await spends(1), await spends(2)]).toEqual([0, 1])
  plaza.clock.advance(364 * day)
  expect([await spends(364), await spends(365)]).toEqual([0, 0])
})

// The app

test('spec GET operator/app: the app as its owner sees it, with total_users and without its secret', async () => {
  const { app, owner } = await operator()
  const [listed] = await app.owner.api.result(listMyApps)
  const { review: _, role: __, team_id: ___, team_name: ____, ...shown } = listed!
  expect(shown).toMatchObject({ id: app.id, total_users: 2 })
  expect(outcome(await owner.api.call(getOperatorApp))).toEqual([200, { app: shown }])
})

test('spec PUT operator/app: updates the sent fields only, returns the app without total_users', async () => {
  const { app, owner } = await operator()
  const { total_users: _, ...before } = (await owner.api.result(getOperatorApp)).app
  plaza.clock.advance(1)
  const updated_at = plaza.clock.now().toISOString()
  const change = {
    app_name: 'Kites',
    app_description: 'Fly them',
    redirect_uris: ['https://kites.example/cb', 'http://127.0.0.1/cb'],
    website_url: 'https://kites.example',
  }
  expect(outcome(await owner.api.call(updateOperatorApp, { body: change }))).toEqual([
    200,
    { app: { ...before, ...change, updated_at } },
  ])
  const cleared = await owner.api.result(updateOperatorApp, { body: { app_description: '', website_url: '' } })
  expect(cleared.app).toEqual({ ...before, ...change, app_description: null, website_url: null, updated_at })
  expect(await stored(app)).toMatchObject({ app_name: 'Kites', website_url: null })
})

test('spec PUT operator/app: accepts the response of GET unchanged; null clears a field', async () => {
  const { app, owner } = await operator()
  const put = async (body: unknown) =>
    outcome(
      await raw(plaza, 'PUT', '/api/operator/app', {
        headers: { authorization: `Bearer ${owner.access_token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )
  const { total_users, ...bare } = (await owner.api.result(getOperatorApp)).app
  expect(bare).toMatchObject({ app_description: null, website_url: null })
  expect(await put({ ...bare, total_users })).toEqual([200, { app: bare }])
  const filled = { ...bare, app_description: 'Fly them', website_url: 'https://kites.example' }
  expect(await put(filled)).toEqual([200, { app: filled }])
  expect(await put({ app_description: null })).toEqual([200, { app: { ...filled, app_description: null } }])
  expect(await put({ website_url: null })).toEqual([200, { app: bare }])
  expect(await stored(app)).toMatchObject({ app_description: null, website_url: null })
})

test('spec PUT operator/app: any other field is ignored (D-07), also those of my-apps', async () => {
  const { app, owner } = await operator()
  await app.owner.api.result(updateMyApp, { params: { id: app.id }, body: { logo_url: 'https://a.example/l.png' } })
  const [before, other] = [await stored(app), await someApp(plaza)]
  const reply = await raw(plaza, 'PUT', '/api/operator/app', {
    headers: { authorization: `Bearer ${owner.access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      logo_url: '',
      allowed_scopes: ['profile:read'],
      require_pkce: true,
      is_approved: false,
      listed: true,
      owner_id: other.owner.id,
      id: other.id,
      client_id: other.client_id,
    }),
  })
  expect(reply.status).toBe(200)
  expect(await stored(app)).toEqual({ ...before, updated_at: plaza.clock.now() })
})

test('D-33 operator/app: another user’s token is 403 not_app_owner, and nothing is written', async () => {
  const { app, tokens } = await operator()
  const before = await stored(app)
  expect(outcome(await tokens.api.call(getOperatorApp))).toEqual(refused('not_app_owner'))
  const body = { redirect_uris: ['https://thief.example/cb'] }
  expect(outcome(await tokens.api.call(updateOperatorApp, { body }))).toEqual(refused('not_app_owner'))
  expect(await stored(app)).toEqual(before)
})

test('D-33: the owner of one app has no rights in another', async () => {
  const [one, two] = [await operator(), await operator()]
  const guest: SomeUser = one.app.owner
  const theirs = await someTokens(plaza, two.app, guest)
  const before = await stored(two.app)
  expect(outcome(await theirs.api.call(updateOperatorApp, { body: { app_name: 'Mine' } }))).toEqual(
    refused('not_app_owner'),
  )
  expect([await stored(two.app), (await one.owner.api.result(getOperatorApp)).app.id]).toEqual([before, one.app.id])
})

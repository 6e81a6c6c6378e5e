import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { describeAuthorization, disconnectApp, listConnectedApps, setDailyLimit } from '../../contract/oauth.ts'
import { captureHold, createHold, createRefund } from '../../contract/payments.ts'
import { spendPoints, transferPoints } from '../../contract/points.ts'
import { countBy, race, sharedService } from '../test/harness.ts'
import { invalid, outcome, refused } from '../test/refusals.ts'
import { authorizationQuery, givePoints, pkce, someApp, someTokens, someUser, world } from '../test/world.ts'
import { long_lifetimes } from '../test/settings.ts'

// Sessions outlast the days that this file advances.
const plaza = await sharedService(long_lifetimes)
const scopes = ['profile:read', 'points:read', 'points:spend', 'points:transfer'] as const
const unknown_id = '01890000-0000-7000-8000-000000000000'

async function bounded(daily_limit: number | null) {
  const made = await world(plaza, { points: 1_000, scopes: [...scopes] })
  const { user, app, tokens } = made
  const bound = (limit: number | null) =>
    user.api.call(setDailyLimit, { params: { app_id: app.id }, body: { daily_limit: limit } })
  expect(outcome(await bound(daily_limit))).toEqual([200, { app_id: app.id, daily_limit }])
  const spend = async (amount: number) => outcome(await tokens.api.call(spendPoints, { body: { amount } }))
  const { client_id, client_secret } = app
  return { ...made, bound, spend, shop: new PlazaClient(plaza.url, { client_id, client_secret }) }
}
const over = refused('spending_limit_reached')
const transfersStored = async () => (await plaza.db.sql`select 1 from transfers`).length

test('D-100: spends, transfers and holds of 24 hours together stay within the limit; a call beyond it writes nothing', async () => {
  const { tokens, spend, shop } = await bounded(100)
  const friend = await someUser(plaza)
  expect((await spend(40))[0]).toBe(200)
  const transfer = (amount: number) => tokens.api.call(transferPoints, { body: { amount, to_user_id: friend.id } })
  expect((await transfer(30)).status).toBe(200)
  const { hold } = await tokens.api.result(createHold, { body: { amount: 20 } })
  const before = await transfersStored()
  expect(await spend(11)).toEqual(over)
  expect(outcome(await transfer(11))).toEqual(over)
  expect(outcome(await tokens.api.call(createHold, { body: { amount: 11 } }))).toEqual(over)
  expect(await transfersStored()).toBe(before)
  // The hold already counted; a capture counts only its amount, and the freed rest can be spent.
  await shop.result(captureHold, { params: { id: hold.id }, body: { amount: 5 } })
  expect((await spend(25))[0]).toBe(200)
  expect(await spend(1)).toEqual(over)
})

test('D-100: after 24 hours it can be spent again; a refund does not give it back before', async () => {
  const { spend, shop } = await bounded(50)
  const [, body] = await spend(50)
  const { transfer_id } = body as { transfer_id: string }
  await shop.result(createRefund, { body: { transfer_id } })
  expect(await spend(1)).toEqual(over)
  plaza.clock.advance(86_400)
  expect((await spend(50))[0]).toBe(200)
  expect(await spend(1)).toEqual(over)
})

test('D-100: it holds for one app and one person, can be changed and removed, and 0 allows nothing', async () => {
  const { user, app, bound, spend, tokens } = await bounded(0)
  expect(await spend(1)).toEqual(over)
  const other_app = await someApp(plaza, { scopes: [...scopes] })
  const other = await someTokens(plaza, other_app, user, [...scopes])
  expect((await other.api.call(spendPoints, { body: { amount: 5 } })).status).toBe(200)
  const neighbour = await someUser(plaza)
  await givePoints(plaza, neighbour, 10)
  const theirs = await someTokens(plaza, app, neighbour, [...scopes])
  expect((await theirs.api.call(spendPoints, { body: { amount: 5 } })).status).toBe(200)
  await bound(3)
  expect([(await spend(3))[0], (await spend(1))[0]]).toEqual([200, 409])
  await bound(null)
  expect((await tokens.api.call(spendPoints, { body: { amount: 500 } })).status).toBe(200)
})

test('D-100: of 50 parallel spends of 1 with a limit of 20, twenty succeed', async () => {
  const { tokens } = await bounded(20)
  const replies = await race(plaza, 50, () => tokens.api.call(spendPoints, { body: { amount: 1 } }))
  expect(countBy(replies, ({ status }) => status)).toEqual({ 200: 20, 409: 30 })
})

test('D-100: connected apps and the consent page show the limit, and it survives a disconnect', async () => {
  const { user, app } = await bounded(70)
  const shown = async () =>
    (await user.api.result(listConnectedApps)).connected_apps.map(({ daily_limit }) => daily_limit)
  expect(await shown()).toEqual([70])
  await user.api.result(disconnectApp, { params: { app_id: app.id } })
  const query = authorizationQuery(app, pkce().code_challenge)
  expect(await user.api.result(describeAuthorization, { query })).toMatchObject({ app_id: app.id, daily_limit: 70 })
  const tokens = await someTokens(plaza, app, user, [...scopes])
  expect(await shown()).toEqual([70])
  expect(outcome(await tokens.api.call(spendPoints, { body: { amount: 71 } }))).toEqual(over)
})

test('D-100: connected apps show the used part of the limit: movements of 24 hours and open holds of this app', async () => {
  const { user, app, tokens, spend, shop, bound } = await bounded(100)
  const used = async () =>
    (await user.api.result(listConnectedApps)).connected_apps.map(({ app_id, daily_limit_used }) => [
      app_id === app.id,
      daily_limit_used,
    ])
  expect(await used()).toEqual([[true, 0]])
  const friend = await someUser(plaza)
  const [, { transfer_id }] = (await spend(40)) as [number, { transfer_id: string }]
  plaza.clock.advance(3_600)
  await tokens.api.result(transferPoints, { body: { amount: 10, to_user_id: friend.id } })
  const { hold } = await tokens.api.result(createHold, { body: { amount: 20 } })
  expect(await used()).toEqual([[true, 70]])
  // The ledger enforces the same figure.
  expect([await spend(31), (await spend(30))[0]]).toEqual([over, 200])
  await shop.result(captureHold, { params: { id: hold.id }, body: { amount: 5 } })
  await shop.result(createRefund, { body: { transfer_id } })
  const other = await someApp(plaza, { scopes: [...scopes] })
  const others = await someTokens(plaza, other, user, [...scopes])
  await others.api.result(spendPoints, { body: { amount: 7 } })
  expect(await used()).toEqual([
    [false, null],
    [true, 85],
  ])
  plaza.clock.advance(82_800)
  expect((await used())[1]).toEqual([true, 45])
  plaza.clock.advance(3_600)
  expect((await used())[1]).toEqual([true, 0])
  await bound(null)
  expect((await used())[1]).toEqual([true, null])
})

test('D-100: an unknown app gets 404, a limit that is not an amount gets 422', async () => {
  const user = await someUser(plaza)
  const bound = async (app_id: string, daily_limit: number) =>
    outcome(await user.api.call(setDailyLimit, { params: { app_id }, body: { daily_limit } }))
  expect(await bound(unknown_id, 5)).toEqual(refused('not_found'))
  const app = await someApp(plaza)
  expect(await bound(app.id, -1)).toEqual(invalid('daily_limit', 'must be >= 0'))
  expect(await bound(app.id, 1.5)).toMatchObject([422, { fields: [{ path: 'daily_limit' }] }])
  expect((await plaza.db.sql`select 1 from spending_limits where user_id = ${user.id}`).length).toBe(0)
})

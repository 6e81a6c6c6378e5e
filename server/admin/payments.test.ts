import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { adminGetTransfer, adminListHolds, adminListTransfers } from '../../contract/admin-payments.ts'
import { captureHold, createHold, createRefund } from '../../contract/payments.ts'
import { spendPoints } from '../../contract/points.ts'
import { startTestService } from '../test/harness.ts'
import { invalid, outcome, refused } from '../test/refusals.ts'
import { theAdmin, world } from '../test/world.ts'

const plaza = await startTestService({ JWT_TTL: '31536000', ACCESS_TOKEN_TTL: '31536000' })
const admin = await theAdmin(plaza)
const unknown_id = '0198c1e2-7b3a-7c4d-9e5f-0a1b2c3d4e5f'

async function shop() {
  const made = await world(plaza, { points: 100, scopes: ['points:spend'] })
  const { client_id, client_secret } = made.app
  return { ...made, client: new PlazaClient(plaza.url, { client_id, client_secret }) }
}

test('D-81: an admin sees any movement by its id, with its accounts and refunds, without the app’s metadata', async () => {
  const { user, app, tokens, client } = await shop()
  const body = { amount: 30, reference: 'order 7', metadata: { note: 'for the app alone' } }
  const { transfer_id } = await tokens.api.result(spendPoints, { body })
  const { refund } = await client.result(createRefund, { body: { transfer_id, amount: 10, reason: 'late' } })
  const params = { id: transfer_id.toUpperCase() }
  const { transfer, refunds, refunded_amount } = await admin.api.result(adminGetTransfer, { params })
  const app_name = transfer.app_name
  expect(transfer).toEqual({
    id: transfer_id,
    kind: 'spend',
    amount: 30,
    from: { id: user.id, kind: 'user', name: user.username },
    to: { id: app.id, kind: 'app', name: app_name },
    app_id: app.id,
    app_name: expect.any(String) as string,
    description: null,
    reference: 'order 7',
    hold_id: null,
    refunded_transfer_id: null,
    inserted_at: expect.any(String) as string,
  })
  expect([refunds.map(({ id, from, to }) => [id, from.id, to.id]), refunded_amount]).toEqual([
    [[refund.id, app.id, user.id]],
    10,
  ])
  const absent = await admin.api.call(adminGetTransfer, { params: { id: unknown_id } })
  expect(outcome(absent)).toEqual(refused('not_found'))
})

test('D-81: holds of all apps are listed by status, app, person and reference; open ones also among many', async () => {
  const [one, other] = [await shop(), await shop()]
  const times: string[] = []
  const hold = async ({ tokens }: typeof one, reference: string) => {
    plaza.clock.advance(1)
    times.push(plaza.clock.now().toISOString())
    return (await tokens.api.result(createHold, { body: { amount: 10, reference } })).hold.id
  }
  const first = await hold(one, 'a')
  const captured = await hold(other, 'b')
  await other.client.result(captureHold, { params: { id: captured }, body: {} })
  const last = await hold(other, 'a')
  const list = async (query: object) => (await admin.api.result(adminListHolds, { query })).data.map(({ id }) => id)
  expect(await list({})).toEqual([last, captured, first])
  expect(await list({ status: 'open' })).toEqual([last, first])
  expect(await list({ status: 'captured' })).toEqual([captured])
  expect(await list({ app_id: one.app.id })).toEqual([first])
  expect(await list({ user_id: other.user.id, status: 'open' })).toEqual([last])
  expect(await list({ app_id: other.app.id, user_id: other.user.id, reference: 'b' })).toEqual([captured])
  expect(await list({ app_id: other.app.id, user_id: one.user.id })).toEqual([])
  const [at_first, at_second, at_third] = times
  expect(await list({ from: at_second })).toEqual([last, captured])
  expect(await list({ to: at_second, status: 'open' })).toEqual([first])
  expect(await list({ from: at_first, to: at_third })).toEqual([captured, first])
  expect(await list({ from: at_second, app_id: other.app.id, to: at_third })).toEqual([captured])
  expect(await list({ from: '0001-01-01T00:00:00Z', to: '1971-01-01T00:00:00Z' })).toEqual([])
  const backwards = await admin.api.call(adminListHolds, { query: { from: at_second!, to: at_first! } })
  expect(outcome(backwards)).toEqual(invalid('to', 'must be after from'))
  const page = await admin.api.result(adminListHolds, { query: { limit: 2 } })
  const next = await admin.api.result(adminListHolds, { query: { limit: 2, cursor: page.next_cursor! } })
  expect([...page.data, ...next.data].map(({ id }) => id)).toEqual([last, captured, first])
  expect(page.data[0]).toMatchObject({ username: other.user.username, app_name: expect.any(String) as string })
  expect(page.data[0]).not.toHaveProperty('metadata')
})

test('D-81: movements are listed by app, person, amount and time, newest first, page by page', async () => {
  const [one, other] = [await shop(), await shop()]
  const spend = async ({ tokens }: typeof one, amount: number) =>
    (await tokens.api.result(spendPoints, { body: { amount } })).transfer_id
  const [small, large, elsewhere] = [await spend(one, 3), await spend(one, 40), await spend(other, 40)]
  const list = async (query: object) => (await admin.api.result(adminListTransfers, { query })).data.map(({ id }) => id)
  expect((await list({})).slice(0, 3)).toEqual([elsewhere, large, small])
  expect(await list({ app_id: one.app.id })).toEqual([large, small])
  expect((await list({ user_id: one.user.id })).slice(0, 2)).toEqual([large, small])
  expect(await list({ app_id: other.app.id, user_id: one.user.id })).toEqual([])
  expect(await list({ app_id: one.app.id, amount_min: 4, amount_max: 40 })).toEqual([large])
  expect((await list({ amount_min: 40, amount_max: 40 })).slice(0, 2)).toEqual([elsewhere, large])
  expect(await list({ app_id: one.app.id, to: '2020-01-01T00:00:00Z' })).toEqual([])
  const { data, next_cursor } = await admin.api.result(adminListTransfers, {
    query: { app_id: one.app.id, limit: 1 },
  })
  expect(data).toMatchObject([{ id: large, from: { id: one.user.id }, to: { id: one.app.id, kind: 'app' } }])
  expect(await list({ app_id: one.app.id, limit: 1, cursor: next_cursor })).toEqual([small])
  expect(await list({ app_id: one.app.id, sort: 'inserted_at' })).toEqual([small, large])
  expect(
    await list({ app_id: one.app.id, sort: 'inserted_at', cursor: Buffer.from(small).toString('base64url') }),
  ).toEqual([large])
  const unordered = { query: { from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' } }
  expect((await admin.api.call(adminListTransfers, unordered)).status).toBe(422)
})

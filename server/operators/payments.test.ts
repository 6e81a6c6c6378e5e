import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { checkLedger } from '../../contract/admin.ts'
import * as of_owner from '../../contract/app-payments.ts'
import { captureHold, createHold, createRefund } from '../../contract/payments.ts'
import { spendPoints } from '../../contract/points.ts'
import { createWebhook } from '../../contract/webhooks.ts'
import { countBy, race, sharedService } from '../test/harness.ts'
import { startReceiver } from '../test/receiver.ts'
import { outcome, refused } from '../test/refusals.ts'
import { digestTables } from '../test/table-digests.ts'
import { waitUntil } from '../test/wait.ts'
import {
  givePoints,
  pointsOf,
  raw,
  someApp,
  someTokens,
  someUser,
  theAdmin,
  world,
  type SomeUser,
} from '../test/world.ts'

const plaza = await sharedService()
const scopes = ['points:spend'] as const
const text = expect.any(String) as string

async function shop(points = 100) {
  const made = await world(plaza, { points, scopes: [...scopes] })
  const { app, tokens } = made
  const spend = async (amount: number, more: { reference?: string; metadata?: Record<string, string> } = {}) =>
    (await tokens.api.result(spendPoints, { body: { amount, ...more } })).transfer_id
  const client = new PlazaClient(plaza.url, { client_id: app.client_id, client_secret: app.client_secret })
  return { ...made, client, owner: app.owner.api, params: { id: app.id }, spend }
}

test('D-99: the owner sees what the app sees, with the names of persons, and finds a person by name', async () => {
  const { user, app, owner, params, spend } = await shop()
  const other = await someUser(plaza)
  await givePoints(plaza, other, 50)
  const theirs = await someTokens(plaza, app, other, [...scopes])
  const first = await spend(30, { reference: 'order 7', metadata: { size: 'L' } })
  const { transfer_id: second } = await theirs.api.result(spendPoints, { body: { amount: 5 } })
  const { data, next_cursor } = await owner.result(of_owner.listTransfersOfMyApp, { params })
  expect([data.map(({ id, username }) => [id, username]), next_cursor]).toEqual([
    [
      [second, other.username],
      [first, user.username],
    ],
    null,
  ])
  expect(data[1]).toMatchObject({ amount: 30, reference: 'order 7', metadata: { size: 'L' }, user_id: user.id })

  const found = async (query: { username?: string; user_id?: string; reference?: string }) =>
    (await owner.result(of_owner.listTransfersOfMyApp, { params, query })).data.map(({ id }) => id)
  expect(await found({ username: other.username.toUpperCase() })).toEqual([second])
  expect(await found({ username: 'nobody-at-all' })).toEqual([])
  expect(await found({ username: other.username, user_id: user.id })).toEqual([])
  expect(await found({ username: user.username, reference: 'order 7' })).toEqual([first])

  const csv = await raw(plaza, 'GET', `/api/oauth/my-apps/${app.id}/transfers.csv?username=${other.username}`, {
    headers: { authorization: `Bearer ${app.owner.token}` },
  })
  expect([csv.status, csv.text.split('\r\n').length, csv.text.includes(second)]).toEqual([200, 3, true])
  expect(await owner.result(of_owner.getBalanceOfMyApp, { params })).toEqual({
    points: 35,
    total_earned: 35,
    total_spent: 0,
    held_for_app: 0,
    held_earnings: 0,
  })
})

test('D-98: the owner finds a payment with its hold, refunds a part with a reason, and sees the webhook deliveries', async () => {
  const { user, client, tokens, owner, params } = await shop()
  const receiver = await startReceiver()
  const { webhook } = await owner.result(createWebhook, { params, body: { url: receiver.url } })
  const { hold } = await tokens.api.result(createHold, { body: { amount: 40, reference: 'order 9' } })
  const { hold: captured } = await client.result(captureHold, { params: { id: hold.id }, body: { amount: 25 } })
  const transfer_id = captured.transfer_id!
  const headers = { 'idempotency-key': 'refund-1' }
  const body = { transfer_id, amount: 10, reason: 'arrived scratched' }
  const made = await owner.call(of_owner.refundOfMyApp, { params, body, headers })
  expect([made.status, made.body]).toMatchObject([
    201,
    { points: 15, refund: { amount: 10, description: 'arrived scratched', user_id: user.id } },
  ])
  const again = await owner.call(of_owner.refundOfMyApp, { params, body, headers })
  expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([made.body, 'true'])

  await waitUntil(() => receiver.received.length === 2, 'two deliveries')
  const shown = { params: { ...params, transfer_id } }
  await waitUntil(async () => {
    const { deliveries } = await owner.result(of_owner.getTransferOfMyApp, shown)
    return deliveries.length === 2 && deliveries.every(({ status }) => status === 'succeeded')
  }, 'the log of both')
  const payment = await owner.result(of_owner.getTransferOfMyApp, shown)
  expect(payment).toMatchObject({
    transfer: { id: transfer_id, amount: 25, hold_id: hold.id, username: user.username },
    hold: { id: hold.id, amount: 40, captured_amount: 25, status: 'captured' },
    refunds: [{ amount: 10 }],
    refunded_amount: 10,
    refundable_amount: 15,
  })
  // Two events in the same millisecond have no order.
  const told = payment.deliveries.toSorted((one, other) => (one.type < other.type ? -1 : 1))
  expect(told).toEqual(
    ['hold.captured', 'points.refunded'].map((type) => ({
      id: text,
      webhook_id: webhook.id,
      url: receiver.url,
      type,
      status: 'succeeded',
      attempts: 1,
      status_code: expect.any(Number) as number,
      inserted_at: text,
    })),
  )
  // A refund is a movement too, but cannot be refunded.
  const refund_id = payment.refunds[0]!.id
  const refund = await owner.result(of_owner.getTransferOfMyApp, { params: { ...params, transfer_id: refund_id } })
  expect(refund).toMatchObject({ hold: null, refunds: [], refunded_amount: 0, refundable_amount: 0 })
  expect(await pointsOf(user)).toBe(85)
})

test('D-98: of ten parallel refunds by the owner and by the app, those that fit succeed', async () => {
  const { user, client, owner, params, spend } = await shop()
  const transfer_id = await spend(6)
  const body = { transfer_id, amount: 1 }
  const replies = await race(plaza, 10, (at) =>
    at % 2 === 0 ? owner.call(of_owner.refundOfMyApp, { params, body }) : client.call(createRefund, { body }),
  )
  expect(countBy(replies, ({ status }) => status)).toEqual({ 201: 6, 409: 4 })
  expect(await pointsOf(user)).toBe(100)
})

test('D-97: the owner lists holds, and frees an open one; a second time it is settled', async () => {
  const { user, tokens, owner, params } = await shop()
  const { hold } = await tokens.api.result(createHold, { body: { amount: 40, reference: 'order 1' } })
  const list = async (query: object) =>
    (await owner.result(of_owner.listHoldsOfMyApp, { params, query })).data.map(({ id, username }) => [id, username])
  expect(await list({ status: 'open' })).toEqual([[hold.id, user.username]])
  expect(await list({ username: user.username, reference: 'order 2' })).toEqual([])
  expect(await list({ from: hold.inserted_at })).toEqual([[hold.id, user.username]])
  expect(await list({ to: hold.inserted_at })).toEqual([])
  const one = { params: { ...params, hold_id: hold.id } }
  expect((await owner.result(of_owner.getHoldOfMyApp, one)).hold).toEqual({ ...hold, username: user.username })
  const headers = { 'idempotency-key': 'void-1' }
  const voided = await owner.result(of_owner.voidHoldOfMyApp, { ...one, headers })
  expect(voided.hold).toMatchObject({ status: 'released', release_reason: 'voided' })
  expect(await owner.result(of_owner.voidHoldOfMyApp, { ...one, headers })).toEqual(voided)
  const late = await owner.call(of_owner.voidHoldOfMyApp, one)
  expect(outcome(late)).toEqual([409, { ...(refused('hold_settled')[1] as object), hold: voided.hold }])
  expect(await pointsOf(user)).toBe(100)
})

test('D-99: one search finds a reference among all own apps, but not in others’ apps', async () => {
  const { app, spend, user } = await shop()
  const [, other] = [await someApp(plaza, { owner: app.owner }), await shop()]
  await spend(1, { reference: 'order-44' })
  await other.spend(1, { reference: 'order-44' })
  const found = async (caller: SomeUser, q: string) =>
    (await caller.api.result(of_owner.searchMyApps, { query: { q } })).payments
  expect((await found(app.owner, 'order-44')).map(({ app_id }) => app_id)).toEqual([app.id])
  expect(await found(app.owner, 'order-4')).toEqual([])
  expect(await found(user, 'order-44')).toEqual([])
})

test('another’s app and another app’s payment or hold are 404, and nothing is written', async () => {
  const { tokens, owner, params, spend, user } = await shop()
  const transfer_id = await spend(10)
  const { hold } = await tokens.api.result(createHold, { body: { amount: 10 } })
  const other = await shop()
  const before = await digestTables(plaza)
  const body = { transfer_id }
  const outcomes = [
    await other.owner.call(of_owner.getBalanceOfMyApp, { params }),
    await other.owner.call(of_owner.getSeriesOfMyApp, { params }),
    await other.owner.call(of_owner.listTransfersOfMyApp, { params }),
    await other.owner.call(of_owner.getTransferOfMyApp, { params: { ...params, transfer_id } }),
    await other.owner.call(of_owner.getTransferOfMyApp, { params: { ...other.params, transfer_id } }),
    await other.owner.call(of_owner.refundOfMyApp, { params, body }),
    await other.owner.call(of_owner.refundOfMyApp, { params: other.params, body }),
    await other.owner.call(of_owner.listHoldsOfMyApp, { params }),
    await other.owner.call(of_owner.getHoldOfMyApp, { params: { ...params, hold_id: hold.id } }),
    await other.owner.call(of_owner.getHoldOfMyApp, { params: { ...other.params, hold_id: hold.id } }),
    await other.owner.call(of_owner.voidHoldOfMyApp, { params: { ...params, hold_id: hold.id } }),
    await other.owner.call(of_owner.voidHoldOfMyApp, { params: { ...other.params, hold_id: hold.id } }),
    await user.api.call(of_owner.listTransfersOfMyApp, { params }),
  ]
  expect(outcomes.map(outcome)).toEqual(outcomes.map(() => refused('not_found')))
  const csv = await raw(plaza, 'GET', `/api/oauth/my-apps/${params.id}/transfers.csv`, {
    headers: { authorization: `Bearer ${user.token}` },
  })
  expect([csv.status, JSON.parse(csv.text)]).toEqual(refused('not_found'))
  const too_much = await owner.call(of_owner.refundOfMyApp, { params, body: { transfer_id, amount: 11 } })
  expect(outcome(too_much)).toEqual(refused('refund_exceeds_spend'))
  expect(await digestTables(plaza)).toEqual(before)
})

test('after all of these tests the ledger balances', async () => {
  const { balanced, faults } = await (await theAdmin(plaza)).api.result(checkLedger)
  expect([balanced, faults]).toEqual([true, []])
})

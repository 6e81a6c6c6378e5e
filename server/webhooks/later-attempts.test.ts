import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { deleteAccount } from '../../contract/leaving.ts'
import { createRefund } from '../../contract/payments.ts'
import { spendPoints } from '../../contract/points.ts'
import {
  createWebhook,
  getDelivery,
  listDeliveries,
  redeliver,
  redeliverFailed,
  updateWebhook,
} from '../../contract/webhooks.ts'
import { startTestService } from '../test/harness.ts'
import { startReceiver } from '../test/receiver.ts'
import { outcome, refused } from '../test/refusals.ts'
import { digestTables } from '../test/table-digests.ts'
import { waitUntil } from '../test/wait.ts'
import { world, type SomeApp } from '../test/world.ts'

const plaza = await startTestService({ WEBHOOK_ADDRESSES: 'any' })

/** An app with a webhook at a receiver that fails, and what lists its deliveries. */
async function failing() {
  const made = await world(plaza, { points: 100, scopes: ['points:spend'] })
  const receiver = await startReceiver()
  receiver.answer((response) => response.writeHead(500).end('closed'))
  const { params, list } = await listen(made.app, receiver.url)
  const { transfer_id } = await made.tokens.api.result(spendPoints, {
    body: { amount: 3, reference: 'order 7', metadata: { size: 'L' }, description: 'A lantern' },
  })
  await waitUntil(async () => (await list())[0]?.attempts === 1, 'the first attempt')
  return { ...made, receiver, params, list, transfer_id }
}

async function listen(app: SomeApp, url: string) {
  const { webhook } = await app.owner.api.result(createWebhook, { params: { id: app.id }, body: { url } })
  const params = { id: app.id, webhook_id: webhook.id }
  const list = async () => (await app.owner.api.result(listDeliveries, { params })).data
  return { params, list }
}

test('D-101: nothing is redelivered by a webhook that is switched off: 409, and nothing is written', async () => {
  const { app, params, list, receiver } = await failing()
  const api = app.owner.api
  await api.result(updateWebhook, { params, body: { enabled: false } })
  const [delivery] = await list()
  await plaza.db.sql`
    update webhook_deliveries set status = 'failed', next_attempt_at = null where webhook_id = ${params.webhook_id}`
  const before = await digestTables(plaza)
  const since = '2020-01-01T00:00:00Z'
  for (const reply of [
    await api.call(redeliver, { params: { ...params, delivery_id: delivery!.id } }),
    await api.call(redeliverFailed, { params, body: { since } }),
  ])
    expect(outcome(reply)).toEqual(refused('webhook_off'))
  expect(await digestTables(plaza)).toEqual(before)
  receiver.answer((response) => response.writeHead(204).end())
  await api.result(updateWebhook, { params, body: { enabled: true } })
  expect(await api.result(redeliverFailed, { params, body: { since } })).toEqual({ redelivered: 1, has_more: false })
  await waitUntil(async () => (await list())[0]?.status === 'succeeded', 'the redelivery')
})

test('D-101: what waits for a later attempt goes to a new address at once, with all its retries; the old address hears no more', async () => {
  const { app, params, list, receiver } = await failing()
  plaza.clock.advance(6)
  plaza.service.app.webhooks.wake()
  await waitUntil(async () => (await list())[0]?.attempts === 2, 'the second attempt, after which it waits for minutes')
  const elsewhere = await startReceiver()
  elsewhere.answer((response) => response.writeHead(503).end())
  const heard = receiver.received.length
  await app.owner.api.result(updateWebhook, { params, body: { url: elsewhere.url } })
  await elsewhere.nth(1)
  await waitUntil(async () => (await list())[0]?.attempts === 3, 'the attempt there')
  const [waiting] = await list()
  // The first of all retries again: after 5 seconds, and a tenth of them at most.
  const wait_ms = Date.parse(waiting!.next_attempt_at!) - Date.parse(waiting!.last_attempt!.started_at)
  expect([waiting?.status, wait_ms < 7_000]).toEqual(['pending', true])
  // A change of something else leaves its time.
  await app.owner.api.result(updateWebhook, { params, body: { events: ['points.spent'] } })
  expect((await list())[0]?.next_attempt_at).toBe(waiting?.next_attempt_at)
  expect(receiver.received.length).toBe(heard)
})

test('D-101: a delivery of the ledger holds no payload of its own; it is the same at every attempt, and when it is shown', async () => {
  const { app, params, list, receiver, user, transfer_id } = await failing()
  const client = new PlazaClient(plaza.url, { client_id: app.client_id, client_secret: app.client_secret })
  // Ids of deliveries of one millisecond have no order.
  plaza.clock.advance(1)
  await client.result(createRefund, { body: { transfer_id, amount: 1, reason: 'scratched' } })
  await waitUntil(async () => (await list()).length === 2, 'the delivery of the refund')
  const stored = await plaza.db.sql`
    select type, data from webhook_deliveries where webhook_id = ${params.webhook_id} order by id`
  expect(stored).toEqual([
    { type: 'points.spent', data: null },
    { type: 'points.refunded', data: null },
  ])
  const [refunded, spent] = await list()
  expect([spent?.event_id, refunded?.type]).toEqual([transfer_id, 'points.refunded'])
  const { delivery } = await app.owner.api.result(getDelivery, { params: { ...params, delivery_id: spent!.id } })
  expect(receiver.received[0]?.body).toBe(delivery.request.body)
  expect(JSON.parse(delivery.request.body)).toMatchObject({
    type: 'points.spent',
    data: { transfer_id, user_id: user.id, amount: 3, reference: 'order 7', metadata: { size: 'L' } },
  })
})

test('D-106: of who left, deliveries tell ids and amounts only, and what servers answered is gone', async () => {
  const { app, user, params, list, transfer_id } = await failing()
  const [delivery] = await list()
  const read = () => app.owner.api.result(getDelivery, { params: { ...params, delivery_id: delivery!.id } })
  expect((await read()).delivery.attempt_log[0]?.answer).toBe('closed')
  await user.api.result(deleteAccount, { body: { password: user.password } })
  await waitUntil(async () => (await read()).delivery.attempt_log.every(({ answer }) => answer === null), 'the erasure')
  const shown = await read()
  const texts = { description: null, reference: null, metadata: null }
  expect(JSON.parse(shown.delivery.request.body)).toMatchObject({
    data: { transfer_id, user_id: user.id, amount: 3, ...texts },
  })
  expect(shown.delivery.attempt_log.at(-1)).toMatchObject({ number: 1, status_code: 500 })
})

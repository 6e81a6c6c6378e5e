import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { deleteAccount } from '../../contract/leaving.ts'
import { disconnectApp } from '../../contract/oauth.ts'
import { createHold, voidHold } from '../../contract/payments.ts'
import { spendPoints } from '../../contract/points.ts'
import {
  createWebhook,
  getDelivery,
  listDeliveries,
  redeliver,
  redeliverFailed,
  updateWebhook,
} from '../../contract/webhooks.ts'
import type { EraseRound } from '../platform/erasure.ts'
import { sharedService } from '../test/harness.ts'
import { startReceiver } from '../test/receiver.ts'
import { outcome, refused } from '../test/refusals.ts'
import { digestTables } from '../test/table-digests.ts'
import { waitUntil } from '../test/wait.ts'
import { world, type SomeApp } from '../test/world.ts'
import { eraseAnswersOfPayloads, eraseAnswersOfHolds, eraseAnswersOfMovements } from './leaving.store.ts'

const plaza = await sharedService()

/** An app with a webhook at a failing receiver, and a function that lists its deliveries. */
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

test('D-101: a webhook that is switched off redelivers nothing: 409, and nothing is written', async () => {
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

test('D-101: waiting retries go to a new address immediately, with all their attempts; the old address gets nothing more', async () => {
  const { app, params, list, receiver } = await failing()
  plaza.clock.advance(6)
  plaza.service.app.notified('webhooks')
  await waitUntil(async () => (await list())[0]?.attempts === 2, 'the second attempt, after which it waits for minutes')
  const elsewhere = await startReceiver()
  elsewhere.answer((response) => response.writeHead(503).end())
  const heard = receiver.received.length
  await app.owner.api.result(updateWebhook, { params, body: { url: elsewhere.url } })
  await elsewhere.nth(1)
  await waitUntil(async () => (await list())[0]?.attempts === 3, 'the attempt there')
  const [waiting] = await list()
  // The first retry starts over: after 5 seconds plus at most a tenth.
  const wait_ms = Date.parse(waiting!.next_attempt_at!) - Date.parse(waiting!.last_attempt!.started_at)
  expect([waiting?.status, wait_ms < 7_000]).toEqual(['pending', true])
  // Other changes do not change the time of the retry.
  await app.owner.api.result(updateWebhook, { params, body: { events: ['points.spent'] } })
  expect((await list())[0]?.next_attempt_at).toBe(waiting?.next_attempt_at)
  expect(receiver.received.length).toBe(heard)
})

test('D-101: thousands of waiting retries are made due immediately, also by a process that starts later', async () => {
  const { app, params } = await failing()
  const elsewhere = await startReceiver()
  elsewhere.answer((response) => response.writeHead(503).end())
  const tomorrow = new Date(plaza.clock.now().getTime() + 86_400_000)
  await plaza.db.sql`
    insert into webhook_deliveries (webhook_id, id, event_id, type, data, occurred_at, tries, next_attempt_at, inserted_at)
    select ${params.webhook_id}, new_id(now()), new_id(now()), 'webhook.test', '{}', now(), 7, ${tomorrow}, now()
      from generate_series(1, 2500)`
  // As if the process had ended before it completed the change.
  await plaza.db
    .sql`update webhooks set lease_owner = ${params.id}, lease_until = ${tomorrow} where id = ${params.webhook_id}`
  await app.owner.api.result(updateWebhook, { params, body: { url: elsewhere.url } })
  const waiting = async () => {
    const [row] = await plaza.db.sql<{ later: number; is_done: boolean }>`
      select (select count(*) from webhook_deliveries where webhook_id = w.id and next_attempt_at > ${tomorrow}::timestamptz - interval '1 hour')::integer as later,
             w.anew_since is null as is_done
        from webhooks w where w.id = ${params.webhook_id}`
    return row
  }
  expect(await waiting()).toEqual({ later: 2500, is_done: false })
  // By the service's clock, which is behind the database's.
  await plaza.db.sql`update webhooks set lease_until = ${plaza.clock.now()} where id = ${params.webhook_id}`
  await waitUntil(async () => (await waiting())?.is_done === true, 'the end of the change')
  expect(await waiting()).toEqual({ later: 0, is_done: true })
})

test('D-106: deliveries about a person who left contain ids and amounts only, and responses are erased', async () => {
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

test('D-106: responses about movements, freed holds and connections of a person who left are erased in rounds, each continuing the last', async () => {
  const { app, user, tokens, list } = await failing()
  const { hold } = await tokens.api.result(createHold, { body: { amount: 1 } })
  for (let amount = 1; amount <= 4; amount++) await tokens.api.result(spendPoints, { body: { amount } })
  const client = new PlazaClient(plaza.url, { client_id: app.client_id, client_secret: app.client_secret })
  await client.result(voidHold, { params: { id: hold.id } })
  await user.api.result(disconnectApp, { params: { app_id: app.id } })
  await waitUntil(async () => (await list()).length === 7, 'all deliveries')
  const ids = (await list()).map(({ id }) => id)
  await plaza.db.sql`
    insert into webhook_attempts (delivery_id, number, started_at, duration_ms, status_code, answer)
    select id, 1000, now(), 1, 500, 'closed' from webhook_deliveries where id = any(${ids}::uuid[])`
  const kept = async () => {
    const rows = await plaza.db.sql<{ type: string }>`
      select d.type from webhook_deliveries d join webhook_attempts a on a.delivery_id = d.id and a.number = 1000
       where d.id = any(${ids}::uuid[]) and a.answer is not null order by d.type`
    return rows.map(({ type }) => type)
  }
  const leaver = { user_id: user.id, app_ids: [] }
  const round = (erase: EraseRound) => plaza.db.transaction((tx) => erase(tx, leaver, 2))
  // The grant of points, and 5 spends.
  const movements = []
  for (let rounds = 0; rounds < 4; rounds++) movements.push(await round(eraseAnswersOfMovements))
  expect(movements).toEqual([2, 2, 2, 0])
  expect(await kept()).toEqual(['connection.ended', 'hold.released'])
  expect([await round(eraseAnswersOfHolds), await round(eraseAnswersOfHolds)]).toEqual([1, 0])
  expect(await kept()).toEqual(['connection.ended'])
  await round(eraseAnswersOfPayloads)
  expect(await kept()).toEqual([])
})

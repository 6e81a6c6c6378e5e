import { expect, test } from 'vitest'
import {
  createWebhook,
  listDeliveries,
  listWebhooks,
  redeliver,
  redeliverFailed,
  rotateWebhookSecret,
  testWebhook,
} from '../../contract/webhooks.ts'
import { countBy, race, sharedService } from '../test/harness.ts'
import { startReceiver } from '../test/receiver.ts'
import { outcome, refused } from '../test/refusals.ts'
import { raw, someApp } from '../test/world.ts'
import { purgeWebhooks } from './purge.service.ts'

const plaza = await sharedService()
const headers = (key: string) => ({ headers: { 'idempotency-key': key } })
const isReplayed = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed')

async function anAddress() {
  const [app, receiver] = [await someApp(plaza), await startReceiver()]
  return { app, receiver, params: { id: app.id }, body: { url: `${receiver.url}/hooks` } }
}

test('D-101: 20 equal registrations with one key at once, in two processes, are one webhook with one secret', async () => {
  const { app, params, body } = await anAddress()
  const other = await plaza.startAnother()
  const replies = await race(plaza, 20, (at) =>
    raw(at % 2 === 0 ? plaza : other, 'POST', `/api/oauth/my-apps/${app.id}/webhooks`, {
      headers: {
        authorization: `Bearer ${app.owner.token}`,
        'content-type': 'application/json',
        'idempotency-key': 'once',
      },
      body: JSON.stringify(body),
    }),
  )
  const { webhooks } = await app.owner.api.result(listWebhooks, { params })
  expect(webhooks.length).toBe(1)
  expect(countBy(replies, (reply) => String(isReplayed(reply)))).toEqual({ null: 1, true: 19 })
  expect(new Set(replies.map((reply) => JSON.stringify(outcome(reply)))).size).toBe(1)
  const [status, first] = outcome(replies[0]!) as [number, { webhook: unknown; secret: string }]
  expect([status, first.webhook]).toEqual([201, webhooks[0]])
  const [stored] = await plaza.db.sql<{ text: string }>`
    select string_agg(k::text, '') as text from webhook_request_keys k`
  expect(stored!.text).not.toContain(first.secret.slice(6))
})

test('D-101: another request under a key is refused, and a refused one leaves its key free', async () => {
  const { app, params, body, receiver } = await anAddress()
  const wrong = await app.owner.api.call(createWebhook, { params, body: { url: 'ftp://nowhere' }, ...headers('k') })
  expect(wrong.status).toBe(422)
  const first = await app.owner.api.call(createWebhook, { params, body, ...headers('k') })
  expect([first.status, isReplayed(first)]).toEqual([201, null])
  const changed = { url: `${receiver.url}/others` }
  const reused = await app.owner.api.call(createWebhook, { params, body: changed, ...headers('k') })
  expect(outcome(reused)).toEqual(refused('idempotency_key_reused'))
  const theirs = await anAddress()
  const of_another = await theirs.app.owner.api.call(createWebhook, {
    params: theirs.params,
    body: theirs.body,
    ...headers('k'),
  })
  expect([of_another.status, isReplayed(of_another)]).toEqual([201, null])
  expect((await app.owner.api.result(listWebhooks, { params })).webhooks.length).toBe(1)
})

test('D-101: a response with a secret is not repeated after the secret has expired', async () => {
  const { app, params, body } = await anAddress()
  const { webhook } = await app.owner.api.result(createWebhook, { params, body, ...headers('k') })
  const of_webhook = { ...params, webhook_id: webhook.id }
  await app.owner.api.result(rotateWebhookSecret, { params: of_webhook })
  expect(isReplayed(await app.owner.api.call(createWebhook, { params, body, ...headers('k') }))).toBe('true')
  await app.owner.api.result(rotateWebhookSecret, { params: of_webhook })
  const gone = await app.owner.api.call(createWebhook, { params, body, ...headers('k') })
  expect(outcome(gone)).toEqual(refused('not_found'))
})

test('D-101: a secret is rotated, a test sent and a delivery repeated once per key; keys are kept for 30 days', async () => {
  const { app, params, body, receiver } = await anAddress()
  const { webhook } = await app.owner.api.result(createWebhook, { params, body })
  const of_webhook = { ...params, webhook_id: webhook.id }
  const { api } = app.owner
  const twice = async <Reply extends { headers: Headers }>(call: () => Promise<Reply>) => {
    const [first, again] = [await call(), await call()]
    expect([isReplayed(first), isReplayed(again)]).toEqual([null, 'true'])
    expect(outcome(again as never)).toEqual(outcome(first as never))
    return first
  }
  await twice(() => api.call(rotateWebhookSecret, { params: of_webhook, ...headers('r') }))
  await twice(() => api.call(testWebhook, { params: of_webhook, ...headers('t') }))
  const { data } = await api.result(listDeliveries, { params: of_webhook })
  expect(data.length).toBe(1)
  await receiver.nth(1)
  const delivery_params = { ...of_webhook, delivery_id: data[0]!.id }
  await twice(() => api.call(redeliver, { params: delivery_params, ...headers('d') }))
  const since = plaza.clock.now().toISOString()
  await twice(() => api.call(redeliverFailed, { params: of_webhook, body: { since }, ...headers('f') }))
  const counts = () =>
    plaza.db.sql<{ count: number }>`select count(*) from webhook_request_keys where owner_id = ${app.owner.id}`
  const purge = () => purgeWebhooks({ db: plaza.db, clock: plaza.clock.now }, { rows_max: 3 })
  await purge()
  expect(await counts()).toEqual([{ count: 4 }])
  plaza.clock.advance(30 * 86_400 + 1)
  await purge()
  expect(await counts()).toEqual([{ count: 0 }])
})

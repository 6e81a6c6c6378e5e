import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import {
  createWebhook,
  deleteWebhook,
  getDelivery,
  listAppEvents,
  listDeliveries,
  listWebhooks,
  redeliver,
  redeliverFailed,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '../../contract/webhooks.ts'
import { decisions } from '../../contract/decisions.ts'
import { spendPoints } from '../../contract/points.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { PlazaClient } from '../../contract/client.ts'
import { race, startTestService } from '../test/harness.ts'
import { startReceiver } from '../test/receiver.ts'
import { invalid, outcome, refused } from '../test/refusals.ts'
import { waitUntil } from '../test/wait.ts'
import { givePoints, jsonCaller, someApp, someTokens, someUser, world, type SomeApp } from '../test/world.ts'

// The clock is set forward by days.
const plaza = await startTestService({ WEBHOOK_ADDRESSES: 'any', JWT_TTL: '31536000', ACCESS_TOKEN_TTL: '31536000' })
const scopes: Scope[] = ['points:spend']
const { retry_seconds } = decisions.webhooks
const unknown_id = '0198c1e2-7b3a-7c4d-9e5f-0a1b2c3d4e5f'
const https_error = 'must be an https URL with a host, and without user information, a fragment, spaces or backslashes'

const create = (app: SomeApp, body: { url: string; events?: ['points.spent'] }) =>
  app.owner.api.result(createWebhook, { params: { id: app.id }, body })

const verify = (secret: string, { body, headers }: { body: string; headers: object }) =>
  new Webhook(secret).verify(body, headers as Record<string, string>)

test('a webhook is registered, changed, listed and deleted; its secret is shown once and stored encrypted', async () => {
  const app = await someApp(plaza)
  const receiver = await startReceiver()
  const now = plaza.clock.now().toISOString()
  const { webhook, secret } = await create(app, { url: receiver.url })
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(webhook).toEqual({
    id: webhook.id,
    purpose: 'events',
    url: receiver.url,
    events: null,
    enabled: true,
    disabled_reason: null,
    disabled_at: null,
    failing_since: null,
    previous_secret_until: null,
    inserted_at: now,
    updated_at: now,
  })
  const params = { id: app.id, webhook_id: webhook.id }
  const listed = await app.owner.api.result(listWebhooks, { params })
  expect(listed).toEqual({ webhooks: [webhook] })
  const rows = await plaza.db.sql<{
    sealed: Buffer
  }>`select sealed from webhook_secrets where webhook_id = ${webhook.id}`
  const bytes = Buffer.from(secret.slice(6), 'base64')
  expect(rows.length).toBe(1)
  expect([rows[0]!.sealed.includes(bytes), rows[0]!.sealed.includes(secret.slice(6))]).toEqual([false, false])

  plaza.clock.advance(1)
  const changed = await app.owner.api.result(updateWebhook, {
    params,
    body: { url: `${receiver.url}/other`, events: ['points.spent'], enabled: false },
  })
  const later = plaza.clock.now().toISOString()
  expect(changed.webhook).toEqual({
    ...webhook,
    url: `${receiver.url}/other`,
    events: ['points.spent'],
    enabled: false,
    disabled_reason: 'owner',
    disabled_at: later,
    updated_at: later,
  })
  expect(outcome(await app.owner.api.call(testWebhook, { params }))).toEqual(refused('webhook_off'))
  const again = await app.owner.api.result(updateWebhook, { params, body: { events: null, enabled: true } })
  expect(again.webhook).toEqual({ ...webhook, url: `${receiver.url}/other`, updated_at: later })

  await app.owner.api.result(deleteWebhook, { params })
  expect(await app.owner.api.result(listWebhooks, { params })).toEqual({ webhooks: [] })
  expect(outcome(await app.owner.api.call(deleteWebhook, { params }))).toEqual(refused('not_found'))
  expect(await plaza.db.sql`select 1 from webhook_secrets where webhook_id = ${webhook.id}`).toEqual([])
  const [account] = await plaza.db.sql`select listened from point_accounts where id = ${app.id}`
  expect(account).toEqual({ listened: false })
  expect(plaza.logged()).not.toContain(secret.slice(6))
})

test('refused addresses are 422 and name the field, and nothing is written', async () => {
  const app = await someApp(plaza)
  const call = jsonCaller(plaza, app.owner.token)
  const path = `/api/oauth/my-apps/${app.id}/webhooks`
  const texts = [
    'nothing',
    'ftp://a.test/',
    'https:/a.test',
    'https://u:p@a.test/',
    'https://a.test/#x',
    'https://a.test:0/',
    'https://a .test/',
    'https://a.test\\x',
    ' https://a.test/',
  ]
  for (const url of texts) expect([url, await call('POST', path, { url })]).toEqual([url, invalid('url', https_error)])
  expect(await call('POST', path, { url: 'http://192.0.2.1/' })).toEqual(
    invalid('url', 'must be an https URL: plain http is for loopback addresses only'),
  )
  expect(await call('POST', path, { url: 'https://nowhere.invalid/' })).toEqual(
    invalid('url', 'must have a host that DNS knows'),
  )
  expect(await app.owner.api.result(listWebhooks, { params: { id: app.id } })).toEqual({ webhooks: [] })

  const { webhook } = await create(app, { url: 'https://127.0.0.1:9/' })
  const of_webhook = `${path}/${webhook.id}`
  expect(await call('PUT', of_webhook, { url: 'https://u@a.test/' })).toEqual(invalid('url', https_error))
  expect((await app.owner.api.result(listWebhooks, { params: { id: app.id } })).webhooks).toEqual([webhook])
})

test('webhooks of other owners get 404, at every call', async () => {
  const [app, stranger] = [await someApp(plaza), await someUser(plaza)]
  const { webhook } = await create(app, { url: 'https://127.0.0.1:9/' })
  const strange = jsonCaller(plaza, stranger.token)
  const paths = (id: string): [string, string, object?][] => [
    ['PUT', `${id}`, {}],
    ['DELETE', `${id}`],
    ['POST', `${id}/rotate-secret`],
    ['POST', `${id}/test`],
    ['POST', `${id}/redeliver-failed`, { since: '2026-01-01T00:00:00Z' }],
    ['GET', `${id}/deliveries`],
    ['GET', `${id}/deliveries/${unknown_id}`],
    ['POST', `${id}/deliveries/${unknown_id}/redeliver`],
  ]
  const base = `/api/oauth/my-apps/${app.id}/webhooks`
  for (const [method, path, body] of paths(webhook.id))
    expect([path, await strange(method, `${base}/${path}`, body)]).toEqual([path, refused('not_found')])
  expect(await strange('GET', base)).toEqual(refused('not_found'))
  expect(await strange('POST', base, { url: 'https://127.0.0.1:9/' })).toEqual(refused('not_found'))
})

test('an app has at most ten webhooks, even when they are registered in parallel', async () => {
  const app = await someApp(plaza)
  for (let at = 0; at < 8; at++) await create(app, { url: 'https://127.0.0.1:9/' })
  const replies = await race(plaza, 4, () =>
    app.owner.api.call(createWebhook, { params: { id: app.id }, body: { url: 'https://127.0.0.1:9/' } }),
  )
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409])
  expect(outcome(replies.find(({ status }) => status === 409)!)).toEqual(refused('too_many_webhooks'))
})

test('during a rotation both secrets sign; after a day only the new one; the one before an earlier rotation not at all', async () => {
  const app = await someApp(plaza)
  const receiver = await startReceiver()
  const { webhook, secret } = await create(app, { url: receiver.url })
  const params = { id: app.id, webhook_id: webhook.id }
  const send = async (count: number) => {
    await app.owner.api.result(testWebhook, { params })
    return receiver.nth(count)
  }
  // The turn in which the first is sent goes on while the secret is rotated.
  let finish = () => {}
  receiver.answer((response) => {
    if (receiver.received.length > 1) response.writeHead(204).end()
    else finish = () => response.writeHead(204).end()
  })
  const first = await send(1)
  expect(verify(secret, first)).toMatchObject({ type: 'webhook.test', data: { webhook_id: webhook.id } })
  const rotated = await app.owner.api.result(rotateWebhookSecret, { params })
  const until = new Date(plaza.clock.now().getTime() + 86_400_000).toISOString()
  expect(rotated.webhook).toEqual({ ...webhook, previous_secret_until: until })
  const second = await send(2)
  finish()
  expect(second.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/)
  for (const each of [secret, rotated.secret]) verify(each, second)

  const third = await app.owner.api.result(rotateWebhookSecret, { params })
  const signed = await send(3)
  for (const each of [rotated.secret, third.secret]) verify(each, signed)
  expect(() => verify(secret, signed)).toThrow('No matching signature found')
})

test('a test event is delivered only to its webhook, whatever its event types, and is in no list of events', async () => {
  const app = await someApp(plaza)
  const [receiver, silent] = [await startReceiver(), await startReceiver()]
  await create(app, { url: silent.url })
  const { webhook, secret } = await create(app, { url: receiver.url, events: ['points.spent'] })
  const params = { id: app.id, webhook_id: webhook.id }
  const { delivery } = await app.owner.api.result(testWebhook, { params })
  expect(delivery).toMatchObject({ type: 'webhook.test', status: 'pending', attempts: 0, last_attempt: null })
  expect(verify(secret, await receiver.nth(1))).toEqual({
    id: delivery.event_id,
    type: 'webhook.test',
    timestamp: delivery.timestamp,
    data: { webhook_id: webhook.id },
  })
  expect((await new PlazaClient(plaza.url, app).result(listAppEvents)).data).toEqual([])
  expect(silent.received).toEqual([])
})

test('a webhook gets the event types that it selected, and each webhook of an app has a separate delivery', async () => {
  const { app, tokens, user } = await world(plaza, { points: 100, scopes })
  const [spends, all] = [await startReceiver(), await startReceiver()]
  await create(app, { url: spends.url, events: ['points.spent'] })
  await create(app, { url: all.url })
  await givePoints(plaza, user, 5, app.id)
  await tokens.api.result(spendPoints, { body: { amount: 1 } })
  await all.nth(2)
  const got = await spends.nth(1)
  expect(got.event.type).toBe('points.spent')
  expect(all.received.map(({ event }) => event.type).sort()).toEqual(['points.awarded', 'points.spent'])
  expect(all.received.find(({ event }) => event.type === 'points.spent')?.event).toEqual(got.event)
  expect(spends.received.length).toBe(1)
})

test('deliveries are listed with their outcome, shown with request and answers, and repeated one by one or all that failed', async () => {
  const { app, tokens } = await world(plaza, { points: 100, scopes })
  const receiver = await startReceiver()
  receiver.answer((response) => response.writeHead(500, { 'content-type': 'text/plain' }).end('down\0 for today'))
  const { webhook } = await create(app, { url: receiver.url })
  const params = { id: app.id, webhook_id: webhook.id }
  const api = app.owner.api
  const since = plaza.clock.now().toISOString()
  await tokens.api.result(spendPoints, { body: { amount: 1 } })
  await receiver.nth(1)
  plaza.clock.advance(60)
  const between = plaza.clock.now().toISOString()
  await tokens.api.result(spendPoints, { body: { amount: 2 } })
  const list = async (status?: 'pending' | 'succeeded' | 'failed') =>
    (await api.result(listDeliveries, { params, query: status ? { status } : {} })).data
  // Ten attempts over three days; a failing address gets one at a time, one per second.
  for (let attempt = 1; attempt <= 10; attempt++) {
    await waitUntil(
      async () => {
        plaza.clock.advance(1)
        plaza.service.app.notified('webhooks')
        // One may be tried again while the other still waits for its turn.
        return (await list()).every(({ attempts }) => attempts >= attempt)
      },
      `attempt ${attempt}`,
      { timeout_ms: 60_000, interval_ms: 50 },
    )
    plaza.clock.advance((retry_seconds[attempt - 1] ?? 0) * 1.1)
  }
  const failed = await list('failed')
  expect(failed.map(({ attempts, next_attempt_at }) => [attempts, next_attempt_at])).toEqual([
    [10, null],
    [10, null],
  ])
  expect(failed[0]!.last_attempt).toMatchObject({ status_code: 500, error: null })
  expect(await list('succeeded')).toEqual([])
  expect(await list()).toEqual(failed)
  const listed = async (query: object) => (await api.result(listDeliveries, { params, query })).data
  expect(await listed({ from: since, to: between })).toEqual(failed.slice(1))
  expect(await listed({ from: between })).toEqual(failed.slice(0, 1))
  expect(await listed({ from: between, status: 'pending' })).toEqual([])
  expect(await listed({ from: failed[1]!.inserted_at, to: failed[0]!.inserted_at })).toEqual(failed.slice(1))
  expect(await listed({ from: '0001-01-01T00:00:00Z', to: '9999-01-01T00:00:00Z' })).toEqual(failed)
  const backwards = await api.call(listDeliveries, { params, query: { from: between, to: since } })
  expect(outcome(backwards)).toEqual(invalid('to', 'must be after from'))
  const page = await api.result(listDeliveries, { params, query: { limit: 1 } })
  expect(page.data).toEqual(failed.slice(0, 1))
  const rest = await api.result(listDeliveries, { params, query: { limit: 1, cursor: page.next_cursor! } })
  expect([rest.data, rest.next_cursor]).toEqual([failed.slice(1), null])

  const delivery_id = failed[0]!.id
  const shown = await api.result(getDelivery, { params: { ...params, delivery_id } })
  const sent = receiver.received.filter(({ event }) => event.id === failed[0]!.event_id)
  expect(sent.length).toBe(10)
  expect(new Set(sent.map(({ body }) => body))).toEqual(new Set([shown.delivery.request.body]))
  expect(shown.delivery.request.url).toBe(receiver.url)
  expect(shown.delivery.attempt_log.map(({ number }) => number)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
  expect(shown.delivery.attempt_log[9]).toMatchObject({ status_code: 500, error: null, answer: 'down\uFFFD for today' })

  await api.result(updateWebhook, { params, body: { enabled: true } })
  receiver.answer((response) => response.writeHead(200).end('thanks'))
  const before = receiver.received.length
  const asked = await api.result(redeliver, { params: { ...params, delivery_id } })
  expect(asked.delivery).toMatchObject({ id: delivery_id, status: 'pending', attempts: 10 })
  expect((await receiver.nth(before + 1)).event.id).toBe(failed[0]!.event_id)
  await expect.poll(() => list('succeeded')).toMatchObject([{ id: delivery_id, attempts: 11 }])

  // A leap second, which JavaScript cannot represent.
  const leap_second = await api.call(redeliverFailed, { params, body: { since: '2016-12-31T23:59:60Z' } })
  expect(outcome(leap_second)).toEqual(invalid('since', 'is not a moment'))
  const all = await api.result(redeliverFailed, { params, body: { since } })
  expect(all).toEqual({ redelivered: 1, has_more: false })
  expect((await receiver.nth(before + 2)).event.id).toBe(failed[1]!.event_id)
  await expect.poll(async () => (await list('succeeded')).length).toBe(2)
  expect(await api.result(redeliverFailed, { params, body: { since } })).toEqual({ redelivered: 0, has_more: false })
  const again = await api.result(redeliver, { params: { ...params, delivery_id } })
  expect(again.delivery.status).toBe('pending')
  await receiver.nth(before + 3)
})

test('deliveries that wait while a webhook is off are sent when it is on again; new events are only in the list of events', async () => {
  const { app, tokens } = await world(plaza, { points: 100, scopes })
  const receiver = await startReceiver()
  receiver.answer((response) => response.writeHead(503).end())
  const { webhook } = await create(app, { url: receiver.url })
  const params = { id: app.id, webhook_id: webhook.id }
  await tokens.api.result(spendPoints, { body: { amount: 1 } })
  await receiver.nth(1)
  await app.owner.api.result(updateWebhook, { params, body: { enabled: false } })
  await tokens.api.result(spendPoints, { body: { amount: 2 } })
  const client = new PlazaClient(plaza.url, app)
  await expect.poll(async () => (await client.result(listAppEvents)).data.length).toBe(2)
  receiver.answer((response) => response.writeHead(204).end())
  plaza.clock.advance(10)
  await app.owner.api.result(updateWebhook, { params, body: { enabled: true } })
  const second = await receiver.nth(2)
  expect([second.event.data.amount, second.event.id]).toEqual([1, receiver.received[0]!.event.id])
  await someTokens(plaza, app, app.owner, scopes)
  expect((await receiver.nth(3)).event.type).toBe('connection.created')
})

test('D-101: a webhook created while the last one is deleted gets its events', async () => {
  const { app, tokens } = await world(plaza, { points: 100, scopes })
  const receiver = await startReceiver()
  const { webhook } = await create(app, { url: receiver.url })
  const client = await plaza.db.pool.connect()
  const waiting = async () =>
    (
      await plaza.db.sql`
        select 1 from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`
    ).length
  try {
    await client.query('begin')
    await client.query('select from point_accounts where id = $1 for update', [app.id])
    const deleted = app.owner.api.result(deleteWebhook, { params: { id: app.id, webhook_id: webhook.id } })
    await waitUntil(async () => (await waiting()) === 1, 'the deletion at the account')
    let is_made = false
    const made = create(app, { url: `${receiver.url}/new` }).finally(() => (is_made = true))
    await waitUntil(async () => is_made || (await waiting()) === 2, 'the new webhook')
    await client.query('commit')
    await Promise.all([deleted, made])
  } finally {
    await client.query('rollback')
    client.release()
  }
  await tokens.api.result(spendPoints, { body: { amount: 1 } })
  const { path, event } = await receiver.nth(1)
  expect([path, event.type]).toEqual(['/new', 'points.spent'])
})

import { expect, test } from 'vitest'
import { adminListWebhooks } from '../../contract/admin-payments.ts'
import { listNotices } from '../../contract/notices.ts'
import {
  createWebhook,
  getDelivery,
  listDeliveries,
  listWebhooks,
  testWebhook,
  updateWebhook,
} from '../../contract/webhooks.ts'
import { spendPoints } from '../../contract/points.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { startTestDns } from '../test/dns-server.ts'
import { startTestService, type TestService } from '../test/harness.ts'
import { startReceiver } from '../test/receiver.ts'
import { invalid, outcome } from '../test/refusals.ts'
import { waitUntil } from '../test/wait.ts'
import { givePoints, someApp, someTokens, someUser, theAdmin, world, type SomeApp } from '../test/world.ts'
import { purgeWebhooks } from './purge.service.ts'

const dns = await startTestDns()
// The clock is set forward by days.
const plaza = await startTestService({ WEBHOOK_ADDRESSES: 'any', JWT_TTL: '31536000', ACCESS_TOKEN_TTL: '31536000' })
const strict = await startTestService({ DNS_SERVERS: dns.address })
const scopes: Scope[] = ['points:spend']

const create = async (app: SomeApp, url: string) => {
  const { webhook } = await app.owner.api.result(createWebhook, { params: { id: app.id }, body: { url } })
  return { id: app.id, webhook_id: webhook.id }
}
const deliveriesOf = async (app: SomeApp, params: { id: string; webhook_id: string }) =>
  (await app.owner.api.result(listDeliveries, { params })).data
/** The error or status of the newest attempt of the only delivery, once there is one. */
async function lastAttempt(app: SomeApp, params: { id: string; webhook_id: string }) {
  await waitUntil(async () => Boolean((await deliveriesOf(app, params))[0]?.last_attempt), 'an attempt')
  const { status_code, error } = (await deliveriesOf(app, params))[0]!.last_attempt!
  return status_code ?? error
}
/** Makes a new delivery fail after this time; returns once the failure is written or the webhook is off. */
async function failOnce(app: SomeApp, params: { id: string; webhook_id: string }, seconds: number) {
  plaza.clock.advance(seconds)
  const { delivery } = await app.owner.api.result(testWebhook, { params })
  await waitUntil(async () => {
    // A failing address gets one request per second.
    advance(plaza, 1)
    const shown = await app.owner.api.result(getDelivery, { params: { ...params, delivery_id: delivery.id } })
    const { webhooks } = await app.owner.api.result(listWebhooks, { params })
    return shown.delivery.attempts > 0 || !webhooks[0]!.enabled
  }, 'the failure')
}
/** Advances the clock and wakes the dispatcher. */
const advance = (service: TestService, seconds: number) => {
  service.clock.advance(seconds)
  service.service.app.notified('webhooks')
}

test('only public addresses are taken, at registration and at each connection: a name that changes to a private one gets nothing', async () => {
  const app = await someApp(strict)
  const inside = await startReceiver()
  const { port } = new URL(inside.url)
  const refusal = async (url: string) =>
    outcome(await app.owner.api.call(createWebhook, { params: { id: app.id }, body: { url } }))
  dns.addresses.set('private.test', [['127.0.0.1']])
  dns.addresses.set('both.test', [['1.1.1.1', '10.0.0.1']])
  const private_ones = ['127.0.0.1', '10.0.0.1', '[::1]', '169.254.169.254', '0x7f000001', 'private.test', 'both.test']
  for (const host of private_ones)
    expect([host, await refusal(`https://${host}:${port}/`)]).toEqual([
      host,
      invalid('url', 'must lead to public addresses only'),
    ])
  for (const host of ['none.test', 'localhost'])
    expect([host, await refusal(`https://${host}:${port}/`)]).toEqual([
      host,
      invalid('url', 'must have a host that DNS knows'),
    ])
  expect((await refusal(`http://1.1.1.1:${port}/`))[0]).toBe(422)

  dns.addresses.set('changes.test', [['1.1.1.1'], ['127.0.0.1']])
  const params = await create(app, `https://changes.test:${port}/`)
  await app.owner.api.result(testWebhook, { params })
  expect(await lastAttempt(app, params)).toBe('an address of the name is not allowed')
  expect(inside.received).toEqual([])
})

test('D-101: with WEBHOOK_ADDRESSES=any, names known to DNS_SERVERS or to the system are accepted', async () => {
  const open = await startTestService({ WEBHOOK_ADDRESSES: 'any', DNS_SERVERS: dns.address })
  const app = await someApp(open)
  const receiver = await startReceiver()
  const { port } = new URL(receiver.url)
  dns.addresses.set('inside.test', [['127.0.0.1']])
  for (const host of ['inside.test', 'localhost']) {
    const params = await create(app, `http://${host}:${port}/`)
    await app.owner.api.result(testWebhook, { params })
    expect([host, await lastAttempt(app, params)]).toEqual([host, 204])
  }
  dns.addresses.set('elsewhere.test', [['10.0.0.1']])
  const refusal = async (url: string) =>
    outcome(await app.owner.api.call(createWebhook, { params: { id: app.id }, body: { url } }))
  expect(await refusal(`https://none.test:${port}/`)).toEqual(invalid('url', 'must have a host that DNS knows'))
  expect((await refusal(`http://elsewhere.test:${port}/`))[0]).toBe(422)
})

test('a redirect is not followed, any status but 2xx and a refused connection are failures, and the beginning of the answer is kept', async () => {
  const app = await someApp(plaza)
  const [receiver, elsewhere] = [await startReceiver(), await startReceiver()]
  const answers: [number, boolean][] = [
    [302, false],
    [307, false],
    [404, false],
    [200, true],
    [299, true],
  ]
  for (const [status, is_success] of answers) {
    receiver.answer((response) => response.writeHead(status, { location: elsewhere.url }).end('x'.repeat(5_000) + 'é'))
    const params = await create(app, receiver.url)
    const { delivery } = await app.owner.api.result(testWebhook, { params })
    expect(await lastAttempt(app, params)).toBe(status)
    const shown = await app.owner.api.result(getDelivery, { params: { ...params, delivery_id: delivery.id } })
    expect([status, shown.delivery.status]).toEqual([status, is_success ? 'succeeded' : 'pending'])
    expect(shown.delivery.attempt_log[0]!.answer).toBe('x'.repeat(4_096))
  }
  expect(elsewhere.received).toEqual([])
  const closed = await create(app, 'http://127.0.0.1:1/')
  await app.owner.api.result(testWebhook, { params: closed })
  expect(await lastAttempt(app, closed)).toBe('the connection was refused')
})

test('a receiver that does not answer delays no other, not even of the same app, and gets at most 20 requests at once', async () => {
  const { app, tokens } = await world(plaza, { points: 1_000, scopes })
  const [slow, fast] = [await startReceiver(), await startReceiver()]
  const held: (() => void)[] = []
  slow.answer((response) => held.push(() => response.writeHead(204).end()))
  await create(app, slow.url)
  await create(app, fast.url)
  const thirty = Array.from({ length: 30 }, (_, at) => at + 1)
  await Promise.all(thirty.map((amount) => tokens.api.result(spendPoints, { body: { amount } })))
  await fast.nth(30)
  await slow.nth(20)
  expect(slow.received.length).toBe(20)
  slow.answer((response) => response.writeHead(204).end())
  for (const finish of held) finish()
  await slow.nth(30)
  const amounts = (received: typeof slow.received) =>
    received.map(({ event }) => Number(event.data.amount)).sort((a, b) => a - b)
  expect(amounts(slow.received)).toEqual(thirty)
  expect(amounts(fast.received)).toEqual(amounts(slow.received))
})

test('D-101: slow addresses of one person hold at most 119 of the 200 places, however many they are, and delay no other person', async () => {
  const [slow, fast] = [await startReceiver(), await startReceiver()]
  const held: (() => void)[] = []
  slow.answer((response) => held.push(() => response.writeHead(204).end()))
  const owner = await someUser(plaza)
  await givePoints(plaza, owner, 13)
  const apps = await Promise.all(Array.from({ length: 13 }, () => someApp(plaza, { owner, scopes })))
  const people = await Promise.all(apps.map((app) => someTokens(plaza, app, owner, scopes)))
  for (const [number, app] of apps.entries()) {
    plaza.clock.advance(3_600)
    for (let at = 0; at < 10; at++) await create(app, `${slow.url}/${number}/${at}`)
  }
  await Promise.all(people.map(({ api }) => api.result(spendPoints, { body: { amount: 1 } })))
  await slow.nth(100)
  const other = await someApp(plaza)
  await other.owner.api.result(testWebhook, { params: await create(other, fast.url) })
  await fast.nth(1)
  const addresses = () => new Set(slow.received.map(({ path }) => path)).size
  expect(addresses()).toBeLessThan(120)
  slow.answer((response) => response.writeHead(204).end())
  for (const finish of held) finish()
  await expect.poll(addresses).toBe(130)
})

test('a delivery is tried again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, and has then failed', async () => {
  const app = await someApp(plaza)
  const receiver = await startReceiver()
  receiver.answer((response) => response.writeHead(500).end())
  const params = await create(app, receiver.url)
  await app.owner.api.result(testWebhook, { params })
  await receiver.nth(1)
  const minutes = 60
  const hours = 3_600
  const delays = [5, 5 * minutes, 30 * minutes, 2 * hours, 5 * hours, 10 * hours, 14 * hours, 20 * hours, 24 * hours]
  for (const [at, delay] of delays.entries()) {
    await waitUntil(async () => (await deliveriesOf(app, params))[0]!.attempts === at + 1, `attempt ${at + 1}`)
    const { next_attempt_at, last_attempt } = (await deliveriesOf(app, params))[0]!
    const waits = (Date.parse(next_attempt_at!) - Date.parse(last_attempt!.started_at)) / 1_000
    expect(waits).toBeGreaterThanOrEqual(delay)
    expect(waits).toBeLessThanOrEqual(delay * 1.1)
    advance(plaza, delay * 1.1 + 1)
    await receiver.nth(at + 2)
  }
  await waitUntil(async () => (await deliveriesOf(app, params))[0]!.status === 'failed', 'the failure for good')
  expect((await deliveriesOf(app, params))[0]).toMatchObject({ attempts: 10, next_attempt_at: null })
})

test('after five days with failures only, a webhook is switched off and its owner is mailed once; a success restarts the count', async () => {
  const app = await someApp(plaza, { approved: false })
  const receiver = await startReceiver()
  let status = 500
  receiver.answer((response) => response.writeHead(status).end())
  const params = await create(app, receiver.url)
  const webhookNow = async () => (await app.owner.api.result(listWebhooks, { params })).webhooks[0]!
  const attempt = async (count: number) => {
    await app.owner.api.result(testWebhook, { params })
    await receiver.nth(count)
  }
  const day = 86_400
  await attempt(1)
  await waitUntil(async () => (await webhookNow()).failing_since !== null, 'the first failure')
  status = 204
  plaza.clock.advance(day * 4)
  await attempt(2)
  await waitUntil(async () => (await webhookNow()).failing_since === null, 'the success')
  // Failed deliveries are repeated too, one after another.
  await waitUntil(async () => {
    advance(plaza, 2)
    return (await deliveriesOf(app, params)).every((delivery) => delivery.status === 'succeeded')
  }, 'all deliveries')

  status = 500
  await attempt(receiver.received.length + 1)
  await waitUntil(async () => (await webhookNow()).failing_since !== null, 'the next failure')
  const failing = await webhookNow()
  expect(failing.enabled).toBe(true)
  const admin = await theAdmin(plaza)
  const shown = async () => (await admin.api.result(adminListWebhooks)).data.find(({ id }) => id === params.webhook_id)
  expect(await shown()).toEqual({
    id: params.webhook_id,
    url: receiver.url,
    app_id: app.id,
    app_name: expect.any(String) as string,
    owner_id: app.owner.id,
    owner_username: app.owner.username,
    failing_since: failing.failing_since,
    disabled_at: null,
  })
  for (let days = 1; days <= 4; days++) {
    expect(await webhookNow()).toMatchObject({ enabled: true, failing_since: failing.failing_since })
    await failOnce(app, params, day)
  }
  // The next retry of any of these deliveries is the last failure.
  advance(plaza, day + 60)
  await waitUntil(async () => !(await webhookNow()).enabled, 'the switch')
  expect((await shown())?.disabled_at).not.toBeNull()
  expect(await webhookNow()).toMatchObject({
    enabled: false,
    disabled_reason: 'failures',
    failing_since: failing.failing_since,
  })
  const mail = await plaza.mailTo(app.owner.email)
  expect(mail).toMatch(/^Subject: A webhook of App \S+ is switched off\r$/m)
  expect(mail).toContain(`${new URL(receiver.url).origin}\r\n`)
  expect(mail).toContain(`${plaza.url}/apps/${app.id}`)
  const { data: notices } = await app.owner.api.result(listNotices, { query: { kind: 'webhooks' } })
  expect(notices).toMatchObject([{ event: 'webhook_switched_off', count: 1, app_id: app.id, subject_id: app.id }])
  const sent = receiver.received.length
  advance(plaza, day)
  await app.owner.api.result(listWebhooks, { params })
  expect(receiver.received.length).toBe(sent)
})

test('D-101: a failure long after others, or at another address, starts a new series and does not switch the webhook off', async () => {
  const app = await someApp(plaza)
  const [receiver, elsewhere] = [await startReceiver(), await startReceiver()]
  for (const each of [receiver, elsewhere]) each.answer((response) => response.writeHead(500).end())
  const params = await create(app, receiver.url)
  const webhookNow = async () => (await app.owner.api.result(listWebhooks, { params })).webhooks[0]!
  const day = 86_400
  await failOnce(app, params, 0)
  const first = (await webhookNow()).failing_since!
  await failOnce(app, params, day * 1.9)
  expect(await webhookNow()).toMatchObject({ enabled: true, failing_since: first })
  // No attempts are made, as if every delivery had failed permanently.
  await failOnce(app, params, day * 7)
  const anew = await webhookNow()
  expect([anew.enabled, Date.parse(anew.failing_since!) - Date.parse(first) >= day * 8.9 * 1_000]).toEqual([true, true])
  for (let days = 1; days <= 4; days++) await failOnce(app, params, day)
  expect(await webhookNow()).toMatchObject({ enabled: true, failing_since: anew.failing_since })

  const same = await app.owner.api.result(updateWebhook, { params, body: { url: receiver.url } })
  expect(same.webhook.failing_since).toBe(anew.failing_since)
  const moved = await app.owner.api.result(updateWebhook, { params, body: { url: elsewhere.url } })
  expect(moved.webhook).toMatchObject({ enabled: true, failing_since: null })
  for (let days = 1; days <= 2; days++) await failOnce(app, params, day)
  const later = await webhookNow()
  expect([later.enabled, later.failing_since! > anew.failing_since!]).toEqual([true, true])
  expect(elsewhere.received.length).toBeGreaterThan(0)
})

test('deliveries, attempts and events are deleted after 30 days, and when the webhook is deleted', async () => {
  const service = await startTestService({ WEBHOOK_ADDRESSES: 'any', JWT_TTL: '31536000' })
  const { app, tokens } = await world(service, { points: 100, scopes })
  const receiver = await startReceiver()
  const params = await create(app, receiver.url)
  const gone = await create(app, receiver.url)
  for (let amount = 1; amount <= 5; amount++) await tokens.api.result(spendPoints, { body: { amount } })
  await receiver.nth(10)
  const counts = async () => {
    const [row] = await service.db.sql<Record<string, number>>`
      select (select count(*) from webhooks) as webhooks, (select count(*) from webhook_deliveries) as deliveries,
             (select count(*) from webhook_attempts) as attempts, (select count(*) from app_events) as events`
    return row
  }
  const purge = () => purgeWebhooks({ db: service.db, clock: service.clock.now }, { rows_max: 2 })
  await waitUntil(async () => (await counts())?.attempts === 10, 'all attempts')
  await purge()
  expect(await counts()).toEqual({ webhooks: 2, deliveries: 10, attempts: 10, events: 5 })
  await service.db.sql`update webhooks set deleted_at = ${service.clock.now()} where id = ${gone.webhook_id}`
  await purge()
  expect(await counts()).toEqual({ webhooks: 1, deliveries: 5, attempts: 5, events: 5 })
  // Deliveries that were being made while their webhook was purged.
  await service.db.sql`
    insert into webhook_deliveries (webhook_id, id, event_id, type, occurred_at, status, inserted_at)
    select gen_random_uuid(), id, event_id, type, occurred_at, status, inserted_at from webhook_deliveries`
  service.clock.advance(30 * 86_400 + 1)
  await purge()
  expect(await counts()).toEqual({ webhooks: 1, deliveries: 0, attempts: 0, events: 0 })
  expect(params.webhook_id).not.toBe(gone.webhook_id)
})

test.each([
  ['120', 120],
  ['Fri, 01 Jan 2100 00:00:00 GMT', 300],
  ['100000', 300],
  ['1', 5],
  ['soon', 5],
])(
  'D-101: Retry-After %s after a first failure is honoured, up to the delay of the attempt after: %i s',
  async (header, seconds) => {
    const app = await someApp(plaza)
    const receiver = await startReceiver()
    receiver.answer((response) => void response.writeHead(503, { 'retry-after': header }).end())
    const params = await create(app, receiver.url)
    await app.owner.api.result(testWebhook, { params })
    await lastAttempt(app, params)
    const [row] = await plaza.db.sql<{ next: Date }>`
    select next_attempt_at as next from webhook_deliveries where webhook_id = ${params.webhook_id}`
    const waits = (row!.next.getTime() - plaza.clock.now().getTime()) / 1_000
    expect(waits).toBeGreaterThan(seconds - 3)
    expect(waits).toBeLessThan(seconds * 1.1 + 1)
  },
)

test('D-101: a receiver that answers 410 is switched off immediately, and its owner is mailed; 404 is an ordinary failure', async () => {
  const app = await someApp(plaza)
  const receiver = await startReceiver()
  receiver.answer((response) => void response.writeHead(404).end())
  const params = await create(app, receiver.url)
  await failOnce(app, params, 0)
  const webhook = async () => (await app.owner.api.result(listWebhooks, { params })).webhooks[0]
  expect(await webhook()).toMatchObject({ enabled: true })
  receiver.answer((response) => void response.writeHead(410).end())
  await failOnce(app, params, 10)
  await waitUntil(async () => !(await webhook())!.enabled, 'the webhook to be off')
  expect(await webhook()).toMatchObject({ enabled: false, disabled_reason: 'failures' })
  const mail = await plaza.mailTo(app.owner.email, 0, 'is gone (410)')
  expect(mail).toContain(new URL(receiver.url).origin)
})

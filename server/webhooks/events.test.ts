import addFormats from 'ajv-formats'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { awardPoints } from '../../contract/admin.ts'
import { disconnectApp } from '../../contract/oauth.ts'
import { requestScopes } from '../../contract/oauth-apps.ts'
import { captureHold, createHold, createRefund, voidHold } from '../../contract/payments.ts'
import { createDeployment } from '../../contract/deployments.ts'
import { spendPoints } from '../../contract/points.ts'
import { webhook_payloads } from '../../contract/app-events.ts'
import { createWebhook, listAppEvents } from '../../contract/webhooks.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { PlazaClient } from '../../contract/client.ts'
import { startTestService } from '../test/harness.ts'
import { any_image, freshName, someContainerHost, someHostingApp } from '../test/hosting-world.ts'
import { startReceiver, type Received } from '../test/receiver.ts'
import { givePoints, someTokens, theAdmin, world } from '../test/world.ts'
import { hosting_settings } from '../test/settings.ts'

const plaza = await startTestService({ ...hosting_settings, WEBHOOK_ADDRESSES: 'any' })
const admin = await theAdmin(plaza)
const scopes: Scope[] = ['profile:read', 'points:read', 'points:spend']

const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)

/** A user with points and an app with a webhook; the receiver has received nothing yet. */
async function listening({ points = 100 } = {}) {
  const { user, app, tokens } = await world(plaza, { points, scopes })
  const receiver = await startReceiver()
  const { webhook, secret } = await app.owner.api.result(createWebhook, {
    params: { id: app.id },
    body: { url: `${receiver.url}/hooks?from=plaza` },
  })
  const client = new PlazaClient(plaza.url, app)
  return { user, app, tokens, receiver, webhook, secret, client }
}

/** Returns the event of a request after checking its signature and its schema. */
function verified(request: Received, secret: string) {
  const event = new Webhook(secret).verify(request.body, request.headers as Record<string, string>) as Received['event']
  expect(request.headers['webhook-id']).toBe(event.id)
  const declared = webhook_payloads[event.type as keyof typeof webhook_payloads]
  const check = ajv.compile(declared.payload)
  expect([event.type, check(event), check.errors]).toEqual([event.type, true, null])
  return event
}

test('D-101: every event has its exact payload and signature, and is in the list of events', async () => {
  const { user, app, tokens, receiver, secret, client } = await listening()
  const timestamp = plaza.clock.now().toISOString()
  const event = async (count: number) => verified(await receiver.nth(count), secret)
  const order = { reference: 'order-1', metadata: { item: 'lantern', size: 'größe 7' } }

  const spent = await tokens.api.result(spendPoints, { body: { amount: 30, description: 'A lantern', ...order } })
  const first = await event(1)
  expect(first).toEqual({
    id: first.id,
    type: 'points.spent',
    timestamp,
    data: { transfer_id: spent.transfer_id, user_id: user.id, amount: 30, description: 'A lantern', ...order },
  })
  expect(receiver.received[0]!.path).toBe('/hooks?from=plaza')
  expect(receiver.received[0]!.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'Plaza',
    'webhook-timestamp': String(Math.floor(plaza.clock.now().getTime() / 1000)),
  })

  const { refund } = await client.result(createRefund, {
    body: { transfer_id: spent.transfer_id, amount: 10, reason: 'Broken' },
  })
  expect((await event(2)).data).toEqual({
    transfer_id: refund.id,
    refunded_transfer_id: spent.transfer_id,
    user_id: user.id,
    amount: 10,
    reason: 'Broken',
    reference: 'order-1',
    metadata: null,
  })

  const { hold } = await tokens.api.result(createHold, { body: { amount: 20, ...order } })
  const captured = await client.result(captureHold, { params: { id: hold.id }, body: { amount: 15 } })
  expect([(await event(3)).type, (await event(3)).data]).toEqual([
    'hold.captured',
    {
      hold_id: hold.id,
      transfer_id: captured.hold.transfer_id,
      user_id: user.id,
      amount: 15,
      held_amount: 20,
      ...order,
    },
  ])

  const voided = await tokens.api.result(createHold, { body: { amount: 5 } })
  await client.result(voidHold, { params: { id: voided.hold.id } })
  expect([(await event(4)).type, (await event(4)).data]).toEqual([
    'hold.released',
    { hold_id: voided.hold.id, user_id: user.id, amount: 5, reason: 'voided', reference: null, metadata: null },
  ])

  await admin.api.result(awardPoints, {
    body: { user_id: user.id, amount: 7, app_id: app.id, description: 'A prize' },
  })
  const awarded = await event(5)
  expect([awarded.type, awarded.data]).toEqual([
    'points.awarded',
    { transfer_id: awarded.data.transfer_id, user_id: user.id, amount: 7, description: 'A prize' },
  ])

  const kept = await tokens.api.result(createHold, { body: { amount: 4 } })
  await user.api.result(disconnectApp, { params: { app_id: app.id } })
  const [six, seven] = [await event(6), await event(7)].sort((a, b) => a.type.localeCompare(b.type))
  expect([six!.type, six!.data]).toEqual(['connection.ended', { user_id: user.id }])
  expect([seven!.type, seven!.data]).toEqual([
    'hold.released',
    { hold_id: kept.hold.id, user_id: user.id, amount: 4, reason: 'disconnected', reference: null, metadata: null },
  ])

  await someTokens(plaza, app, user, ['points:read', 'profile:read'])
  const created = await event(8)
  expect([created.type, created.data]).toEqual([
    'connection.created',
    { user_id: user.id, scopes: ['points:read', 'profile:read'] },
  ])

  const listed = await client.result(listAppEvents)
  const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id)
  expect([...listed.data].sort(byId)).toEqual(receiver.received.map((request) => request.event).sort(byId))
  expect(listed.data[0]).toEqual(first)
  expect(listed.has_more).toBe(false)
})

test('nothing is recorded for a refused, replayed or unlistened cause, and never for scope requests', async () => {
  const { app, tokens, receiver, client, user } = await listening({ points: 50 })
  const headers = { 'idempotency-key': 'one' }
  await tokens.api.result(spendPoints, { body: { amount: 10 }, headers })
  await tokens.api.result(spendPoints, { body: { amount: 10 }, headers })
  expect((await tokens.api.call(spendPoints, { body: { amount: 1_000 } })).status).toBe(409)
  await app.owner.api.result(requestScopes, { params: { id: app.id }, body: { requested_scopes: ['points:transfer'] } })
  await givePoints(plaza, user, 5)
  await someTokens(plaza, app, user, scopes)
  const other = await world(plaza, { points: 10, scopes })
  await other.tokens.api.result(spendPoints, { body: { amount: 1 } })
  await tokens.api.result(spendPoints, { body: { amount: 2 } })
  await receiver.nth(2)
  const { data } = await client.result(listAppEvents)
  expect(data.map(({ type, data: { amount } }) => [type, amount])).toEqual([
    ['points.spent', 10],
    ['points.spent', 2],
  ])
  expect(receiver.received.length).toBe(2)
  const rows = await plaza.db.sql`select 1 from app_events where app_id = ${other.app.id}`
  expect(rows).toEqual([])
  const outbox = await plaza.db.sql`select 1 from app_event_outbox`
  expect(outbox).toEqual([])
})

test('an app that polls misses nothing: cursors continue after the last event, and recording starts with the first call', async () => {
  const { app, tokens } = await world(plaza, { points: 50, scopes })
  const client = new PlazaClient(plaza.url, app)
  await tokens.api.result(spendPoints, { body: { amount: 1 } })
  const begun = await client.result(listAppEvents)
  expect(begun).toEqual({
    data: [],
    next_cursor: null,
    has_more: false,
    recorded_since: plaza.clock.now().toISOString(),
  })
  for (const amount of [2, 3, 4]) await tokens.api.result(spendPoints, { body: { amount } })
  const seen: unknown[] = []
  let cursor: string | undefined
  const poll = async (limit = 2) => {
    const page = await client.result(listAppEvents, { query: { limit, ...(cursor !== undefined && { cursor }) } })
    seen.push(...page.data.map(({ data }) => data.amount))
    cursor = page.next_cursor ?? undefined
    return page
  }
  await expect.poll(async () => (await poll(), seen)).toEqual([2, 3, 4])
  expect((await poll()).data).toEqual([])
  await tokens.api.result(spendPoints, { body: { amount: 5 } })
  await expect.poll(async () => (await poll(), seen)).toEqual([2, 3, 4, 5])
})

test('events of one ledger batch are paged like single events: each once, with separate ids and payloads', async () => {
  const { app, user, tokens } = await world(plaza, { points: 5_000, scopes })
  const client = new PlazaClient(plaza.url, app)
  await client.result(listAppEvents)
  const amounts = Array.from({ length: 60 }, (_, n) => n + 1)
  const spent = await Promise.all(amounts.map((amount) => tokens.api.result(spendPoints, { body: { amount } })))
  const seen: { id: string; data: Record<string, unknown> }[] = []
  let cursor: string | undefined
  const poll = async () => {
    const page = await client.result(listAppEvents, { query: { limit: 7, ...(cursor !== undefined && { cursor }) } })
    seen.push(...page.data)
    cursor = page.next_cursor ?? undefined
    return seen.length
  }
  await expect.poll(poll).toBe(60)
  const [rows] = await plaza.db.sql<{ rows: number; events: number }>`
    select count(*) as rows, sum(cardinality(ids)) as events from app_events where app_id = ${app.id}`
  expect(rows!.events).toBe(60)
  expect(rows!.rows).toBeLessThan(60)
  const byAmount = (a: Record<string, unknown>, b: Record<string, unknown>) => Number(a.amount) - Number(b.amount)
  expect(seen.map(({ data }) => data).sort(byAmount)).toEqual(
    spent.map(({ transfer_id }, at) => ({
      transfer_id,
      user_id: user.id,
      amount: amounts[at],
      description: null,
      reference: null,
      metadata: null,
    })),
  )
  expect(new Set(seen.map(({ id }) => id)).size).toBe(60)
  expect(await poll()).toBe(60)
})

test('creating a deployment and observing another status or health are events; other changes are not', async () => {
  await someContainerHost(plaza)
  const app = await someHostingApp(plaza)
  const receiver = await startReceiver()
  const { secret } = await app.owner.api.result(createWebhook, { params: { id: app.id }, body: { url: receiver.url } })
  const subdomain = freshName()
  const { id } = await app.api.result(createDeployment, { body: { subdomain, image: any_image, tier: 'standard' } })
  const made = verified(await receiver.nth(1), secret)
  const data = { deployment_id: id, subdomain, status: 'pending', previous_status: null, health_status: null }
  expect([made.type, made.data]).toEqual(['deployment.changed', data])
  // As a worker writes it.
  await plaza.db.sql`update deployments set status = 'running', health_status = 'healthy' where id = ${id}`
  const changed = { ...data, status: 'running', previous_status: 'pending', health_status: 'healthy' }
  expect(verified(await receiver.nth(2), secret).data).toEqual(changed)
  await plaza.db
    .sql`update deployments set status = status, health_status = health_status, attempts = 3 where id = ${id}`
  await plaza.db.sql`update deployments set health_status = 'unhealthy' where id = ${id}`
  const ill = { ...changed, previous_status: 'running', health_status: 'unhealthy' }
  expect(verified(await receiver.nth(3), secret).data).toEqual(ill)
})

import { Failure } from '../platform/failure.ts'
import { firstId, newId, newIdAt } from '../platform/ids.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { cursorId, pageSize, toPage, type PageQuery } from '../platform/page.ts'
import { readSpan } from '../platform/time-span.ts'
import {
  findDelivery,
  insertDelivery,
  listAttempts,
  listDeliveriesAbout,
  listDeliveriesOf,
  resetDelivery,
  resetFailed,
  setDue,
  type DeliveryRow,
  type DeliveryStatus,
} from './deliveries.store.ts'
import { changeOnce, findAnswer } from './request-keys.service.ts'
import { bodyOf } from './rules.ts'
import { getEventsWebhook, getWebhook, type WebhooksDeps } from './service.ts'

/** Maximum attempts shown for a delivery, which may be repeated any number of times. */
const attempts_shown_max = 50
const deliveries_shown_max = 100
const reset_rows_max = 1_000
const reset_rounds_max = 50
const after_every_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

interface WebhookKey {
  app_id: string
  webhook_id: string
}

/** The kept deliveries about these transfers of an app, oldest first, up to a limit. */
export const listDeliveriesOfTransfers = ({ db }: Pick<WebhooksDeps, 'db'>, app_id: string, transfer_ids: string[]) =>
  listDeliveriesAbout(db, { app_id, transfer_ids, rows_max: deliveries_shown_max })

interface DeliveryKey extends WebhookKey {
  delivery_id: string
}

/** A page of the deliveries of a webhook, newest first. Fails with `not_found`. */
export async function listDeliveries(
  deps: WebhooksDeps,
  { app_id, webhook_id }: WebhookKey,
  query: PageQuery & { status?: DeliveryStatus; from?: string; to?: string },
) {
  await getWebhook(deps, app_id, webhook_id)
  const size = pageSize(query)
  const { since, until } = readSpan(query)
  // An id contains the time of `inserted_at`.
  const ends = [cursorId(query), until && firstId(until)].filter((id) => id !== null)
  const filter = {
    webhook_id,
    status: query.status ?? null,
    since_id: firstId(since ?? new Date(0)),
    before_id: ends.toSorted()[0] ?? after_every_id,
    rows_max: size + 1,
  }
  return toPage(await listDeliveriesOf(deps.db, filter), size, ({ id }) => id)
}

async function readDelivery(deps: WebhooksDeps, key: DeliveryKey) {
  await getWebhook(deps, key.app_id, key.webhook_id)
  return requireDelivery(deps.db, key)
}

async function requireDelivery(db: Sql, key: DeliveryKey) {
  const found = await findDelivery(db, key)
  if (!found) throw new Failure('not_found', key as unknown as Record<string, unknown>)
  return found
}

/** A delivery with its request and its attempts, the newest first. Fails with `not_found`. */
export async function getDelivery(deps: WebhooksDeps, key: DeliveryKey) {
  const { url, data, ...delivery } = await readDelivery(deps, key)
  const { event_id, type, timestamp: occurred_at } = delivery
  return {
    ...delivery,
    request: { url, body: bodyOf({ event_id, type, data, occurred_at }) },
    attempt_log: await listAttempts(deps.db, key.delivery_id, attempts_shown_max),
  }
}

/** Makes a webhook due in the transaction that wrote its deliveries. Fails with `webhook_off` if it is switched off. */
async function requireDue(tx: Tx, webhook_id: string, now: Date) {
  if (!(await setDue(tx, webhook_id, now))) throw new Failure('webhook_off', { webhook_id })
}

/**
 * Repeats a delivery now, with all retries. Fails with `not_found`, `webhook_off` if the webhook is switched off, or as `changeOnce`
 * does.
 */
export async function redeliver(deps: WebhooksDeps, owner_id: string, delivery: DeliveryKey, key?: string) {
  await readDelivery(deps, delivery)
  const now = deps.clock()
  const call = { owner_id, operation: 'redeliver', key, request: [delivery] }
  const made = await changeOnce<{ delivery: DeliveryRow }>(deps, call, async (tx) => {
    if (!(await resetDelivery(tx, { ...delivery, now })))
      throw new Failure('not_found', { delivery_id: delivery.delivery_id })
    await requireDue(tx, delivery.webhook_id, now)
    return { answer: { delivery: await requireDelivery(tx, delivery) } }
  })
  deps.wake()
  return made
}

interface Redelivered {
  redelivered: number
  has_more: boolean
}

/**
 * Repeats the failed deliveries of events since a time, in bounded rounds. With a key, a repeated call continues an interrupted one.
 * Fails with `not_found`, `webhook_off` if the webhook is switched off, or as `changeOnce` does.
 */
export async function redeliverFailed(
  deps: WebhooksDeps,
  owner_id: string,
  { app_id, webhook_id }: WebhookKey,
  since: Date,
  key?: string,
) {
  await getWebhook(deps, app_id, webhook_id)
  const call = { owner_id, operation: 'redeliver-failed', key, request: [app_id, webhook_id, since] }
  const earlier = await findAnswer<Redelivered>(deps, call)
  if (earlier) return earlier
  let redelivered = 0
  let has_more = true
  for (let rounds = reset_rounds_max; has_more && rounds > 0; rounds--) {
    const change = { webhook_id, since, now: deps.clock(), rows_max: reset_rows_max }
    const rows = await deps.db.transaction(async (tx) => {
      const reset = await resetFailed(tx, change)
      await requireDue(tx, webhook_id, change.now)
      return reset
    })
    redelivered += rows
    has_more = rows === reset_rows_max
    deps.wake()
  }
  return changeOnce<Redelivered>(deps, call, async () => ({ answer: { redelivered, has_more } }))
}

/**
 * Sends a test event to a webhook. Fails with `not_found`, `webhook_of_logout`, `webhook_off` if it is switched off, or
 * as `changeOnce` does.
 */
export async function testWebhook(
  deps: WebhooksDeps,
  owner_id: string,
  { app_id, webhook_id }: WebhookKey,
  key?: string,
) {
  await getEventsWebhook(deps, app_id, webhook_id)
  const now = deps.clock()
  const delivery = { app_id, webhook_id, delivery_id: newIdAt(now) }
  const event = { event_id: newId(), type: 'webhook.test', data: { webhook_id }, now }
  const call = { owner_id, operation: 'test', key, request: [app_id, webhook_id] }
  const made = await changeOnce<{ delivery: DeliveryRow }>(deps, call, async (tx) => {
    await insertDelivery(tx, { ...delivery, ...event })
    await requireDue(tx, webhook_id, now)
    return { answer: { delivery: await requireDelivery(tx, delivery) } }
  })
  deps.wake()
  return made
}

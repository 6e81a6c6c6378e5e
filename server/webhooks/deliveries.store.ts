import type { Static } from 'typebox'
import type { ResponseOf } from '../../contract/endpoint.ts'
import type { getTransferOfMyApp } from '../../contract/app-payments.ts'
import type { delivery } from '../../contract/webhook-fields.ts'
import { decisions } from '../../contract/decisions.ts'
import { firstId } from '../platform/ids.ts'
import { countRows, hasRows, type Sql, type Tx } from '../platform/postgres/database.ts'

const { answer_start_characters } = decisions.webhooks

export type DeliveryStatus = 'pending' | 'succeeded' | 'failed'

export type DeliveryRow = Static<typeof delivery>

export type LastAttempt = NonNullable<DeliveryRow['last_attempt']>

type FoundDelivery = Omit<DeliveryRow, 'last_attempt'> & { [Field in keyof LastAttempt]: LastAttempt[Field] | null }

function withLastAttempt<Row extends FoundDelivery>(found: Row) {
  const { started_at, duration_ms, status_code, error, answer, ...row } = found
  const last = { duration_ms: duration_ms ?? 0, status_code, error, answer }
  return { ...row, last_attempt: started_at === null ? null : { started_at, ...last } }
}

export interface DeliveriesFilter {
  webhook_id: string
  status: DeliveryStatus | null
  /** Included. */
  since_id: string
  /** Not included. */
  before_id: string
  rows_max: number
}

/** Deliveries of a webhook, newest first. Each branch walks the index that has its order. */
export async function listDeliveriesOf(db: Sql, filter: DeliveriesFilter) {
  const { webhook_id, status, since_id, before_id, rows_max } = filter
  const rows = await db.sql<FoundDelivery>`
    with page as (
      (select * from webhook_deliveries
        where ${status}::text is null and webhook_id = ${webhook_id}
          and id >= ${since_id} and id < ${before_id}
        order by id desc limit ${rows_max})
      union all
      (select * from webhook_deliveries
        where webhook_id = ${webhook_id} and status = ${status}
          and id >= ${since_id} and id < ${before_id}
        order by id desc limit ${rows_max})
    )
    select d.id, d.event_id, d.type, d.occurred_at as timestamp, d.status, d.attempts, d.next_attempt_at,
           d.inserted_at, a.started_at, a.duration_ms, a.status_code, a.error,
           left(a.answer, ${answer_start_characters}) as answer
      from page d
      left join webhook_attempts a on a.delivery_id = d.id and a.number = d.attempts
     order by d.id desc`
  return rows.map(withLastAttempt)
}

type WholeDelivery = FoundDelivery & { url: string; data: Record<string, unknown> }

/** A delivery of a webhook of this app, with the address and the data of its event. */
export async function findDelivery(db: Sql, key: { app_id: string; webhook_id: string; delivery_id: string }) {
  const [row] = await db.sql<WholeDelivery>`
    select d.id, d.event_id, d.type, coalesce(d.data, ledger_event_data(d.type, d.event_id)) as data,
           d.occurred_at as timestamp, d.status, d.attempts, d.next_attempt_at, d.inserted_at,
           w.url, a.started_at, a.duration_ms, a.status_code, a.error,
           left(a.answer, ${answer_start_characters}) as answer
      from webhook_deliveries d
      join webhooks w on w.id = d.webhook_id and w.app_id = ${key.app_id} and w.deleted_at is null
      left join webhook_attempts a on a.delivery_id = d.id and a.number = d.attempts
     where d.webhook_id = ${key.webhook_id} and d.id = ${key.delivery_id}`
  return row && withLastAttempt(row)
}

export type TransferDelivery = ResponseOf<typeof getTransferOfMyApp>['deliveries'][number]

/** The deliveries about these transfers, oldest first. An event about a movement has the movement's id. */
export const listDeliveriesAbout = (
  db: Sql,
  { app_id, transfer_ids, rows_max }: { app_id: string; transfer_ids: string[]; rows_max: number },
) =>
  db.sql<TransferDelivery>`
    select d.id, d.webhook_id, w.url, d.type, d.status, d.attempts, a.status_code, d.inserted_at
      from webhook_deliveries d
      join webhooks w on w.id = d.webhook_id and w.app_id = ${app_id} and w.deleted_at is null
      left join webhook_attempts a on a.delivery_id = d.id and a.number = d.attempts
     where d.event_id = any(${transfer_ids}::uuid[])
     order by d.occurred_at, d.id
     limit ${rows_max}`

export interface AttemptRow extends LastAttempt {
  number: number
}

/** The newest attempts of a delivery, newest first. */
export const listAttempts = (db: Sql, delivery_id: string, rows_max: number) =>
  db.sql<AttemptRow>`
    select number, started_at, duration_ms, status_code, error, answer
      from webhook_attempts where delivery_id = ${delivery_id} order by number desc limit ${rows_max}`

/**
 * Makes a webhook due now; returns false if it is switched off. Call it after writing the deliveries: see
 * release_webhook in functions.sql.
 */
export const setDue = (tx: Tx, webhook_id: string, now: Date) =>
  hasRows(tx.sql`
    update webhooks set due_at = least(coalesce(due_at, ${now}), ${now})
     where id = ${webhook_id} and disabled_at is null and deleted_at is null
    returning id`)

/** Makes a delivery pending now, with all its retries; false if it does not exist. */
export const resetDelivery = (
  tx: Tx,
  { webhook_id, delivery_id, now }: { webhook_id: string; delivery_id: string; now: Date },
) =>
  hasRows(tx.sql`
    update webhook_deliveries set status = 'pending', tries = 0, next_attempt_at = ${now}
     where webhook_id = ${webhook_id} and id = ${delivery_id}
    returning id`)

/** Makes up to `rows_max` failed deliveries of events since a time pending again; returns how many. */
export const resetFailed = (
  tx: Tx,
  { webhook_id, since, now, rows_max }: { webhook_id: string; since: Date; now: Date; rows_max: number },
) =>
  countRows(tx.sql`
    with failed as materialized (
      select id from webhook_deliveries
       where webhook_id = ${webhook_id} and status = 'failed' and occurred_at >= ${since}
       order by id desc limit ${rows_max}
    ), locked as materialized (
      select d.id from webhook_deliveries d
       where d.webhook_id = ${webhook_id} and d.id = any(array(select id from failed)) and d.status = 'failed'
       order by d.id for no key update
    )
    update webhook_deliveries d set status = 'pending', tries = 0, next_attempt_at = ${now}
      from locked
     where d.webhook_id = ${webhook_id} and d.id = locked.id
    returning d.id`)

export interface NewDelivery {
  webhook_id: string
  delivery_id: string
  event_id: string
  type: string
  data: Record<string, unknown>
  now: Date
}

/** Adds a delivery of a single event. */
export const insertDelivery = (tx: Tx, { webhook_id, delivery_id, event_id, type, data, now }: NewDelivery) =>
  tx.sql`
    insert into webhook_deliveries (webhook_id, id, event_id, type, data, occurred_at, next_attempt_at, inserted_at)
    values (${webhook_id}, ${delivery_id}, ${event_id}, ${type}, ${JSON.stringify(data)}::json, ${now}, ${now}, ${now})`

// Purge

/**
 * Deletes deliveries that are older, with their attempts; returns how many. Their ids contain the time of
 * `inserted_at`. Webhook ids are read from the deliveries, because a delivery written while its webhook was purged has
 * no webhook row.
 */
export const purgeOldDeliveries = (db: Sql, { before, rows_max }: { before: Date; rows_max: number }) =>
  countRows(db.sql`
    with recursive addressed as (
      (select webhook_id from webhook_deliveries order by webhook_id limit 1)
      union all
      select next.webhook_id
        from addressed a
       cross join lateral (
         select webhook_id from webhook_deliveries where webhook_id > a.webhook_id order by webhook_id limit 1
       ) next
    ), old as materialized (
      select d.webhook_id, d.id
        from addressed w
       cross join lateral (
         select webhook_id, id from webhook_deliveries
          where webhook_id = w.webhook_id and id < ${firstId(before)} order by id limit ${rows_max} for update skip locked
       ) d
       limit ${rows_max}
    ), attempts as (
      delete from webhook_attempts where delivery_id = any(array(select id from old))
    )
    delete from webhook_deliveries d using old where d.webhook_id = old.webhook_id and d.id = old.id
    returning 1`)

/** Deletes deliveries of one deleted webhook, and the webhook when it has none left; returns how many rows. */
export const purgeDeletedWebhook = (db: Sql, { rows_max }: { rows_max: number }) =>
  countRows(db.sql`
    with gone as materialized (
      select id from webhooks where deleted_at is not null order by id limit 1
    ), old as materialized (
      select d.webhook_id, d.id from gone join webhook_deliveries d on d.webhook_id = gone.id limit ${rows_max}
    ), attempts as (
      delete from webhook_attempts where delivery_id = any(array(select id from old))
    ), deliveries as (
      delete from webhook_deliveries d using old where d.webhook_id = old.webhook_id and d.id = old.id returning 1
    ), webhook as (
      delete from webhooks where id in (select id from gone) and not exists (select from old) returning 1
    )
    select 1 from deliveries union all select 1 from webhook`)

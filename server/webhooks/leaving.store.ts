import type { EraseRound } from '../platform/erasure.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'

/** Ends the deliveries of apps at once; their rows go by rounds. */
export const endWebhooks = async (tx: Tx, app_ids: string[]) => {
  await tx.sql`
    delete from webhook_secrets
     where webhook_id = any(array(select id from webhooks where app_id = any(${app_ids}::uuid[])))`
  await tx.sql`
    update webhooks set deleted_at = coalesce(deleted_at, now()), due_at = null where app_id = any(${app_ids}::uuid[])`
}

export const eraseDeliveriesOfApps: EraseRound = async (tx, { app_ids }, rows_max) => {
  const rows = await tx.sql<{ id: string }>`
    with gone as (
      delete from webhook_deliveries
       where ctid = any(array(
         select d.ctid from webhooks w join webhook_deliveries d on d.webhook_id = w.id
          where w.app_id = any(${app_ids}::uuid[]) limit ${rows_max}))
      returning id
    ), attempts as (
      delete from webhook_attempts a using gone where a.delivery_id = gone.id
    )
    select id from gone`
  if (rows.length < rows_max) {
    await tx.sql`
      delete from webhook_secrets
       where webhook_id = any(array(select id from webhooks where app_id = any(${app_ids}::uuid[])))`
    await tx.sql`delete from webhooks where app_id = any(${app_ids}::uuid[])`
  }
  return rows.length
}

export const eraseEventsOfApps: EraseRound = async (tx, { app_ids }, rows_max) => {
  await tx.sql`delete from app_event_readers where app_id = any(${app_ids}::uuid[])`
  await tx.sql`delete from app_event_outbox where app_id = any(${app_ids}::uuid[])`
  const rows = await tx.sql`
    delete from app_events
     where (app_id, seq) in (select app_id, seq from app_events where app_id = any(${app_ids}::uuid[]) limit ${rows_max})
    returning seq`
  return rows.length
}

/**
 * What other apps were told of the person keeps ids and amounts, and what their servers answered goes: here of the deliveries that hold
 * their payload, which are those of connections.
 */
export const eraseDeliveredTexts: EraseRound = async (tx, { user_id }, rows_max) => {
  const rows = await tx.sql<{ id: string }>`
    with emptied as (
      update webhook_deliveries
         set data = (select json_object_agg(
                              key, case when key in ('description', 'reason', 'reference', 'metadata') then null else value end)
                       from json_each(data))
       where ctid = any(array(
         select ctid from webhook_deliveries
          where data is not null and data ->> 'user_id' = ${user_id}
            and coalesce(data ->> 'description', data ->> 'reason', data ->> 'reference', data ->> 'metadata') is not null
          limit ${rows_max}))
      returning id
    ), attempts as (
      update webhook_attempts a set answer = null from emptied where a.delivery_id = emptied.id
    )
    select id from emptied`
  return rows.length
}

/**
 * What servers answered to the deliveries of the person's movements and freed holds. Their payload is read from those, so it has lost its
 * texts with them. Deliveries are kept for 30 days, and tell of nothing older.
 */
export const eraseAnswers: EraseRound = async (tx, { user_id }, rows_max) => {
  const rows = await tx.sql`
    with told_of as (
      select id from transfers
       where from_account = ${user_id} and seq >= coalesce(transfer_seq_at(now() - interval '31 days'), 0)
      union all
      select id from transfers
       where to_account = ${user_id} and seq >= coalesce(transfer_seq_at(now() - interval '31 days'), 0)
      union all
      select id from holds
       where user_id = ${user_id} and seq >= coalesce(hold_seq_at(null, ${user_id}, now() - interval '38 days'), 0)
    ), answered as materialized (
      select a.delivery_id, a.number
        from told_of t
       cross join lateral (select id from webhook_deliveries where event_id = t.id offset 0) d
       cross join lateral (
         select delivery_id, number from webhook_attempts where delivery_id = d.id and answer is not null offset 0) a
       limit ${rows_max}
    )
    update webhook_attempts a set answer = null
      from answered where a.delivery_id = answered.delivery_id and a.number = answered.number
    returning a.number`
  return rows.length
}

export const eraseRequestKeys: EraseRound = async (tx, { user_id }, rows_max) => {
  const rows = await tx.sql`
    delete from webhook_request_keys
     where ctid = any(array(select ctid from webhook_request_keys where owner_id = ${user_id} limit ${rows_max}))
    returning key`
  return rows.length
}

export const listWebhooksForExport = (db: Sql, owner_id: string) =>
  db.sql`
    select w.id, w.app_id, w.url, w.events, w.disabled_reason, w.inserted_at, w.updated_at
      from webhooks w join oauth_apps a on a.id = w.app_id
     where a.owner_id = ${owner_id} and w.deleted_at is null
     order by w.id limit 10000`

import { erasesRowsOf, type EraseRound, type Leaver } from '../platform/erasure.ts'
import { shortSection } from '../platform/export-section.ts'
import { countRows, type Sql, type Tx } from '../platform/postgres/database.ts'

/** Stops the deliveries of apps immediately; their rows are deleted in rounds. */
export const endWebhooks = async (tx: Tx, app_ids: string[]) => {
  await tx.sql`
    delete from webhook_secrets
     where webhook_id = any(array(select id from webhooks where app_id = any(${app_ids}::uuid[])))`
  await tx.sql`
    update webhooks set deleted_at = coalesce(deleted_at, now()), due_at = null where app_id = any(${app_ids}::uuid[])`
}

const eraseDeliveriesOfApps: EraseRound = async (tx, { app_ids }, rows_max) => {
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

const eraseRecordedEvents = erasesRowsOf('app_events', 'app_id', ({ app_ids }) => app_ids)

const eraseEventsOfApps: EraseRound = async (tx, leaver, rows_max) => {
  await tx.sql`delete from app_event_readers where app_id = any(${leaver.app_ids}::uuid[])`
  await tx.sql`delete from app_event_outbox where app_id = any(${leaver.app_ids}::uuid[])`
  return eraseRecordedEvents(tx, leaver, rows_max)
}

/**
 * Reduces stored payloads about the person to ids and amounts. Only deliveries of older versions store the payload of a movement; they
 * are kept for 30 days.
 */
const eraseDeliveredTexts: EraseRound = (tx, { user_id }, rows_max) =>
  countRows(tx.sql`
    update webhook_deliveries
       set data = (select json_object_agg(
                            key, case when key in ('description', 'reason', 'reference', 'metadata') then null else value end)
                     from json_each(data))
     where ctid = any(array(
       select ctid from webhook_deliveries
        where data is not null and data ->> 'user_id' = ${user_id}
          and coalesce(data ->> 'description', data ->> 'reason', data ->> 'reference', data ->> 'metadata') is not null
        limit ${rows_max}))
    returning id`)

/** Erases the responses to deliveries that store a payload about the person: connections, and movements of older versions. */
export const eraseAnswersOfPayloads: EraseRound = (tx, { user_id }, rows_max) =>
  countRows(tx.sql`
    update webhook_attempts set answer = null
     where ctid = any(array(
       select a.place
         from (select id from webhook_deliveries where data is not null and data ->> 'user_id' = ${user_id} offset 0) d
        cross join lateral (
          select ctid as place from webhook_attempts where delivery_id = d.id and answer is not null offset 0) a
        limit ${rows_max}))
    returning number`)

interface ToldOf {
  seq: number
  id: string
}

/**
 * Erases the responses to deliveries about the movements or holds of `list`, in the order of `seq`. A row does not show
 * whether its responses are erased, so each round continues where the last one of the same run ended. When each started
 * over, 150,000 movements took two minutes, and a round 2 s. Deliveries are kept for 30 days, so older movements are
 * skipped.
 */
function answersAbout(
  list: (tx: Tx, page: { user_id: string; after: number; rows_max: number }) => Promise<ToldOf[]>,
): EraseRound {
  const ends = new WeakMap<Leaver, number>()
  return async (tx, leaver, rows_max) => {
    const after = ends.get(leaver) ?? 0
    const rows = await list(tx, { user_id: leaver.user_id, after, rows_max })
    await tx.sql`
      update webhook_attempts set answer = null
       where ctid = any(array(
         select a.place
           from unnest(${rows.map(({ id }) => id)}::uuid[]) t(id)
          cross join lateral (select id from webhook_deliveries where event_id = t.id offset 0) d
          cross join lateral (
            select ctid as place from webhook_attempts where delivery_id = d.id and answer is not null offset 0) a))`
    tx.afterCommit(() => ends.set(leaver, rows.at(-1)?.seq ?? after))
    return rows.length
  }
}

/**
 * The person's movements. Payloads are read from them and have lost their texts with them. The page is read only from
 * the person's indexes: with more columns, PostgreSQL may scan everybody's movements, which are in the same order.
 */
export const eraseAnswersOfMovements = answersAbout(
  (tx, { user_id, after, rows_max }) =>
    tx.sql<ToldOf>`
    with span as materialized (
      select greatest(${after}::bigint + 1, transfer_seq_at(now() - interval '31 days')) as since_seq
    ), page as materialized (
      select seq
        from ((select seq from transfers
                where from_account = ${user_id} and seq >= (select since_seq from span) order by seq limit ${rows_max})
              union all
              (select seq from transfers
                where to_account = ${user_id} and seq >= (select since_seq from span) order by seq limit ${rows_max})) t
       order by seq limit ${rows_max}
    )
    select p.seq, t.id
      from page p cross join lateral (select id from transfers where seq = p.seq offset 0) t
     order by p.seq`,
)

/** The person's freed holds. A hold is open for a week at most. */
export const eraseAnswersOfHolds = answersAbout(
  (tx, { user_id, after, rows_max }) =>
    tx.sql<ToldOf>`
    with span as materialized (
      select greatest(${after}::bigint + 1, hold_seq_at(null, ${user_id}, now() - interval '38 days')) as since_seq
    )
    select seq, id from holds
     where user_id = ${user_id} and seq >= (select since_seq from span)
     order by seq limit ${rows_max}`,
)

const listWebhooksForExport = (db: Sql, owner_id: string) =>
  db.sql`
    select w.id, w.app_id, w.url, w.events, w.disabled_reason, w.inserted_at, w.updated_at
      from webhooks w join oauth_apps a on a.id = w.app_id
     where a.owner_id = ${owner_id} and a.team_id is null and w.deleted_at is null
     order by w.id limit 10000`

export const webhooks_erasure = [
  eraseDeliveriesOfApps,
  eraseEventsOfApps,
  eraseDeliveredTexts,
  eraseAnswersOfPayloads,
  eraseAnswersOfHolds,
  eraseAnswersOfMovements,
  erasesRowsOf('webhook_request_keys', 'owner_id'),
]

export const webhooks_sections = [shortSection('webhooks', listWebhooksForExport)]

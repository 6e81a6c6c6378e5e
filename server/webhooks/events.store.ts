import { countRows, firstRow, theValue, type Sql, type Tx } from '../platform/postgres/database.ts'
import type { EventFields } from './rules.ts'

/** Records that the app reads its events; returns the time since which they are recorded. */
export const noteReading = (tx: Tx, app_id: string, now: Date) =>
  theValue(tx.sql<{ recorded_since: Date }>`
    insert into app_event_readers as r (app_id, recorded_since, read_at)
    values (${app_id},
            coalesce((select min(inserted_at) from webhooks where app_id = ${app_id} and purpose = 'events' and deleted_at is null), ${now}), ${now})
    on conflict (app_id) do update set read_at = greatest(r.read_at, excluded.read_at)
    returning recorded_since`)

/** The time since which events are recorded, for an app that read them after `since`; otherwise undefined. */
export const findReader = (db: Sql, app_id: string, since: Date) =>
  firstRow(db.sql<{ recorded_since: Date }>`
    select recorded_since from app_event_readers where app_id = ${app_id} and read_at > ${since}`)

export interface EventRow extends EventFields {
  seq: number
}

/** Events of an app after this one, in the order in which they became visible. */
export const listEvents = (db: Sql, { app_id, after, rows_max }: { app_id: string; after: number; rows_max: number }) =>
  db.sql<EventRow>`
    select seq, event_id, type, coalesce(data, ledger_event_data(type, event_id)) as data, occurred_at
      from (select e.seq - cardinality(e.ids) + i.place as seq, i.id as event_id, e.type, e.data, e.occurred_at
              from (select * from app_events where app_id = ${app_id} and seq > ${after} order by seq limit ${rows_max}) e
             cross join lateral unnest(e.ids) with ordinality i(id, place)
             where e.seq - cardinality(e.ids) + i.place > ${after}
             order by 1
             limit ${rows_max}) n
     order by seq`

/** Deletes rows of events that were published earlier; returns how many. */
export const purgeOldEvents = (db: Sql, { before, rows_max }: { before: Date; rows_max: number }) =>
  countRows(db.sql`
    with old as (
      select app_id, seq from app_events where published_at < ${before} order by published_at limit ${rows_max}
    )
    delete from app_events e using old where e.app_id = old.app_id and e.seq = old.seq returning 1`)

/** Deletes up to `rows_max` records of apps that have not read their events since; returns the apps. */
export const deleteReaders = (tx: Tx, { before, rows_max }: { before: Date; rows_max: number }) =>
  tx.sql<{ app_id: string }>`
    delete from app_event_readers
     where app_id = any(array(
       select app_id from app_event_readers where read_at < ${before} order by app_id limit ${rows_max} for update skip locked))
    returning app_id`

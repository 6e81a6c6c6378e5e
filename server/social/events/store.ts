import { json, type Sql, type Tx } from '../../platform/postgres/database.ts'
import type { MessageRow } from '../chat.store.ts'

/** Where an event stands in the order of all; see the table `events` in the migrations. */
export interface Cursor {
  xid: number
  seq: number
}

export type EventKind = 'message' | 'friendship' | 'presence'

export interface EventRow extends Cursor {
  kind: EventKind
  channel_id: string | null
  user_id: string | null
  actor_id: string
  payload: Record<string, unknown>
}

export interface NewEvent {
  kind: EventKind
  user_id: string | null
  actor_id: string
  payload: Record<string, unknown>
}

/** The channel on which a transaction that writes events announces them, without saying what they are. */
export const events_channel = 'plaza_events'

/** Writes events in this order and wakes those who read them, once the transaction commits. */
export const insertEvents = (tx: Tx, events: NewEvent[], now: Date) =>
  tx.sql`
    with written as (
      insert into events (kind, user_id, actor_id, payload, inserted_at)
      select kind, user_id, actor_id, payload, ${now}
        from unnest(
          ${events.map(({ kind }) => kind)}::text[],
          ${events.map(({ user_id }) => user_id)}::uuid[],
          ${events.map(({ actor_id }) => actor_id)}::uuid[],
          ${events.map(({ payload }) => json(payload))}::jsonb[]
        ) with ordinality e(kind, user_id, actor_id, payload, at)
       order by at
      returning 1
    )
    select pg_notify(${events_channel}, '') from (select count(*) from written) counted`

interface AnyEventRow extends EventRow {
  /** Null in the one row that comes where there is no event. */
  kind: EventKind
  settled: boolean | null
  settled_xid: number
}

/** The place before which everything is settled: whatever is not yet written will stand behind it. */
export const findHorizon = async (db: Sql): Promise<Cursor> => ({ xid: await findOldestTransaction(db), seq: 0 })

/**
 * Where the transactions of this database stand, leaving those of others on the same server out: all before it are over,
 * for whoever reads after this. Dearer than a snapshot's own bound, which counts every database.
 */
export async function findOldestTransaction(db: Sql) {
  const [row] = await db.sql<{ xid: number }>`select oldest_transaction()::text::bigint as xid`
  return row?.xid ?? 0
}

interface NewEventsFilter {
  after: Cursor
  /** Transactions before this one are known to be over. */
  over_before: number
  rows_max: number
}

/**
 * The events after a place, in their order: those that are settled, the place up to which all are settled, and whether
 * others wait for a transaction that is still under way.
 */
export async function readEvents(db: Sql, { after, over_before, rows_max }: NewEventsFilter) {
  const rows = await db.sql<AnyEventRow>`
    select s.bound::text::bigint as settled_xid, e.xid < s.bound as settled,
           e.xid::text::bigint as xid, e.seq, e.kind, e.channel_id, e.user_id, e.actor_id, e.payload
      from (select greatest(pg_snapshot_xmin(pg_current_snapshot()), ${over_before}::text::xid8) as bound) s
      left join lateral (
        select *
          from events
         where (xid, seq) > (${after.xid}::text::xid8, ${after.seq}::bigint)
         order by xid, seq
         limit ${rows_max}
      ) e on true
     order by e.xid, e.seq`
  const events: EventRow[] = rows.filter(({ settled }) => settled)
  const last = events.at(-1)
  const full = last !== undefined && events.length === rows_max
  const upto: Cursor = full ? { xid: last.xid, seq: last.seq } : { xid: rows[0]?.settled_xid ?? 0, seq: 0 }
  return { events, upto, full, pending: rows.some(({ settled }) => settled === false) }
}

interface MissedFilter {
  user_id: string
  channel_ids: readonly string[]
  after: Cursor
  upto: Cursor
  rows_max: number
}

/** The events between two places that are for this user or of these channels, each kind walked by its own index. */
export const readMissed = (db: Sql, { user_id, channel_ids, after, upto, rows_max }: MissedFilter) =>
  db.sql<EventRow>`
    with bounds as (
      select ${after.xid}::text::xid8 as after_xid, ${after.seq}::bigint as after_seq,
             ${upto.xid}::text::xid8 as upto_xid, ${upto.seq}::bigint as upto_seq
    ), friends as (
      select high_id as id from friendships where low_id = ${user_id} and status = 'accepted'
      union all
      select low_id from friendships where high_id = ${user_id} and status = 'accepted'
    ), missed as (
      select e.*
        from bounds b, unnest(${channel_ids}::uuid[]) c(id)
       cross join lateral (
         select * from events
          where channel_id = c.id and (xid, seq) > (b.after_xid, b.after_seq) and (xid, seq) <= (b.upto_xid, b.upto_seq)
          order by xid, seq
          limit ${rows_max}
       ) e
      union all
      select e.*
        from bounds b
       cross join lateral (
         select * from events
          where user_id = ${user_id}
            and (xid, seq) > (b.after_xid, b.after_seq) and (xid, seq) <= (b.upto_xid, b.upto_seq)
          order by xid, seq
          limit ${rows_max}
       ) e
      union all
      select e.*
        from bounds b, friends f
       cross join lateral (
         select * from events
          where kind = 'presence' and actor_id = f.id
            and (xid, seq) > (b.after_xid, b.after_seq) and (xid, seq) <= (b.upto_xid, b.upto_seq)
          order by xid, seq
          limit ${rows_max}
       ) e
    )
    select xid::text::bigint as xid, seq, kind, channel_id, user_id, actor_id, payload
      from missed m
     order by m.xid, m.seq
     limit ${rows_max}`

/** Can what came after this place no longer be told in full: it was cleared away, or the place is not one of ours? */
export async function isCursorExpired(db: Sql, { xid, seq }: Cursor) {
  const [row] = await db.sql<{ lost: boolean }>`
    select (c.xid, c.seq) > (${xid}::text::xid8, ${seq}::bigint)
           or ${xid}::text::xid8 > pg_snapshot_xmax(pg_current_snapshot()) as lost
      from events_cleared c`
  return row?.lost ?? true
}

/** Deletes events older than a moment, oldest first and up to `rows_max`, and notes how far; tells how many. */
export async function purgeEvents(db: Sql, { before, rows_max }: { before: Date; rows_max: number }) {
  const rows = await db.sql<{ cleared: number }>`
    with old as (
      select xid, seq
        from (select xid, seq, inserted_at from events order by xid, seq limit ${rows_max}) oldest
       where inserted_at < ${before}
    ), gone as (
      delete from events e using old where e.xid = old.xid and e.seq = old.seq returning e.xid, e.seq
    ), noted as (
      update events_cleared c set xid = g.xid, seq = g.seq
        from (select xid, seq from gone order by xid desc, seq desc limit 1) g
       where (c.xid, c.seq) < (g.xid, g.seq)
    )
    select count(*) as cleared from gone`
  return rows[0]?.cleared ?? 0
}

/** Deletes what came here with a dump of another server, whose transactions were counted differently. */
export const purgeForeignEvents = (db: Sql) =>
  db.sql`
    with gone as (delete from events where xid > pg_snapshot_xmax(pg_current_snapshot()))
    update events_cleared set xid = '0', seq = 0 where xid > pg_snapshot_xmax(pg_current_snapshot())`

/** Messages as everybody may see them, with their channel. */
export const findMessagesById = (db: Sql, message_ids: string[]) =>
  db.sql<MessageRow & { channel_id: string }>`
    select m.id, m.channel_id, m.sender_id, u.username as sender_username, m.filtered_body, m.sent_at
      from messages m left join users u on u.id = m.sender_id
     where m.id = any(${message_ids}::uuid[])`

export interface Relation {
  user_id: string
  other_id: string
}

/** Who of these users has blocked whom of the others. */
export const findBlocksBetween = (db: Sql, user_ids: string[], other_ids: string[]) =>
  db.sql<Relation>`
    select blocker_id as user_id, blocked_id as other_id
      from blocks
     where blocker_id = any(${user_ids}::uuid[]) and blocked_id = any(${other_ids}::uuid[])`

/** Who of these users is suspended. */
export const findSuspended = (db: Sql, user_ids: string[]) =>
  db.sql<{ id: string }>`select id from users where id = any(${user_ids}::uuid[]) and suspended_at is not null`

/** Who of these users is a friend of whom of the others. */
export const findFriendsBetween = (db: Sql, user_ids: string[], other_ids: string[]) =>
  db.sql<Relation>`
    select low_id as user_id, high_id as other_id
      from friendships
     where status = 'accepted' and low_id = any(${user_ids}::uuid[]) and high_id = any(${other_ids}::uuid[])
    union all
    select high_id, low_id
      from friendships
     where status = 'accepted' and high_id = any(${user_ids}::uuid[]) and low_id = any(${other_ids}::uuid[])`

export const findUsernames = (db: Sql, user_ids: string[]) =>
  db.sql<{ id: string; username: string }>`select id, username from users where id = any(${user_ids}::uuid[])`

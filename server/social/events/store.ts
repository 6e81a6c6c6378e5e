import type { Static } from 'typebox'
import type { balance_event } from '../../../contract/social-fields.ts'
import { json, type Sql, type Tx } from '../../platform/postgres/database.ts'
import { removed_texts, type MessageRow } from '../chat.store.ts'
import type { Cursor } from './cursor.rules.ts'

export type EventKind = 'message' | 'friendship' | 'presence' | 'notice'

export interface EventRow extends Cursor {
  kind: EventKind
  channel_id: string | null
  user_id: string | null
  actor_id: string
  payload: Record<string, unknown>
  inserted_at: Date
}

export interface NewEvent {
  kind: EventKind
  user_id: string | null
  actor_id: string
  payload: Record<string, unknown>
}

/**
 * The NOTIFY channel that signals new events, with an empty payload. `functions.sql` also names it, because SQL has no
 * constants.
 */
export const events_channel = 'plaza_events'

/** Inserts events in this order; the commit notifies `events_channel`. */
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

/** Notifies the readers of a message of its change or removal, as an event of the kind `message`. */
export const insertMessageEvent = (
  tx: Tx,
  { channel_id, sender_id, message_id }: { channel_id: string; sender_id: string; message_id: string },
  change: 'removed' | 'changed',
  now: Date,
) =>
  tx.sql`
    with written as (
      insert into events (kind, channel_id, user_id, actor_id, payload, inserted_at)
      select 'message', t.event_channel_id, t.user_id, ${sender_id}, ${json({ message_id, [change]: true })}::jsonb || t.payload, ${now}
        from channels c cross join message_targets(c.id, c.type, c.low_id, c.high_id) t
       where c.id = ${channel_id}
      returning 1
    )
    select pg_notify(${events_channel}, '') from (select count(*) from written) counted`

interface AnyEventRow extends EventRow {
  /** Null in the single row that is returned without events. */
  kind: EventKind
  is_final: boolean | null
  horizon_xid: number
}

/** The cursor before which no more events can appear, because every earlier transaction has ended. */
export const findHorizon = async (db: Sql): Promise<Cursor> => ({ xid: await findOldestTransaction(db), seq: 0 })

/**
 * The oldest open transaction of this database: every later read sees all transactions before it ended. Costs more than
 * the bound of a snapshot, which counts the transactions of all databases of the server.
 */
export async function findOldestTransaction(db: Sql) {
  const [row] = await db.sql<{ xid: number }>`select oldest_transaction()::text::bigint as xid`
  return row?.xid ?? 0
}

interface NewEventsFilter {
  after: Cursor
  /** Transactions before this one are known to have ended. */
  over_before: number
  rows_max: number
}

/**
 * The events after a cursor, in order, up to the horizon, after which an open transaction may still add events. `upto`
 * is the end of the read range; `is_full` says that there may be more, `is_pending` that events wait behind the
 * horizon.
 */
export async function readEvents(db: Sql, { after, over_before, rows_max }: NewEventsFilter) {
  const rows = await db.sql<AnyEventRow>`
    select h.xid::text::bigint as horizon_xid, e.xid < h.xid as is_final,
           e.xid::text::bigint as xid, e.seq, e.kind, e.channel_id, e.user_id, e.actor_id, e.payload,
           e.inserted_at
      from (select greatest(pg_snapshot_xmin(pg_current_snapshot()), ${over_before}::text::xid8) as xid) h
      left join lateral (
        select *
          from events
         where (xid, seq) > (${after.xid}::text::xid8, ${after.seq}::bigint)
         order by xid, seq
         limit ${rows_max}
      ) e on true
     order by e.xid, e.seq`
  const events: EventRow[] = rows.filter(({ is_final }) => is_final)
  const last = events.at(-1)
  const is_full = last !== undefined && events.length === rows_max
  const upto: Cursor = is_full ? { xid: last.xid, seq: last.seq } : { xid: rows[0]?.horizon_xid ?? 0, seq: 0 }
  return { events, upto, is_full, is_pending: rows.some(({ is_final }) => is_final === false) }
}

export interface BalanceRow extends Static<typeof balance_event> {
  user_id: string
  /**
   * Changes after every attempt and with every new delivery, because dispatchers lease and release webhooks for these.
   * Null without webhooks.
   */
  webhooks_version: string | null
}

/** The balances of these people and of the apps in which they have a role, with the state of those apps' webhooks. */
export const listBalances = (db: Sql, user_ids: string[]) =>
  db.sql<BalanceRow>`
    select o.user_id, o.app_id, a.credited - a.debited - a.held as points, a.held, a.credited as total_earned,
           a.debited as total_spent,
           (select sum(w.xmin::text::bigint)::text from webhooks w where w.app_id = o.app_id and w.deleted_at is null) as webhooks_version
      from (
        select id as user_id, null::uuid as app_id, id as account_id from unnest(${user_ids}::uuid[]) p(id)
        union all
        select user_id, app_id, app_id from app_members where user_id = any(${user_ids}::uuid[]) and not lacks_second_factor
      ) o
      -- The limit forces one index lookup for each account: a join would read a small table as a whole, and keep that plan as it grows.
     cross join lateral (select * from point_accounts where id = o.account_id limit 1) a`

interface MissedFilter {
  user_id: string
  channel_ids: readonly string[]
  after: Cursor
  upto: Cursor
  rows_max: number
}

/**
 * The events between two cursors for this user: messages of these channels, the user's own, and friends' presence; each
 * by an index.
 */
export const readMissed = (db: Sql, { user_id, channel_ids, after, upto, rows_max }: MissedFilter) =>
  db.sql<EventRow>`
    with bounds as (
      select ${after.xid}::text::xid8 as after_xid, ${after.seq}::bigint as after_seq,
             ${upto.xid}::text::xid8 as upto_xid, ${upto.seq}::bigint as upto_seq
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
          where kind = 'presence' and actor_id = f.friend_id
            and (xid, seq) > (b.after_xid, b.after_seq) and (xid, seq) <= (b.upto_xid, b.upto_seq)
          order by xid, seq
          limit ${rows_max}
       ) e
       where f.user_id = ${user_id}
    )
    select xid::text::bigint as xid, seq, kind, channel_id, user_id, actor_id, payload
      from missed m
     order by m.xid, m.seq
     limit ${rows_max}`

/** Whether events after this cursor are missing, because some were purged or the cursor belongs to another database. */
export async function isCursorExpired(db: Sql, { xid, seq }: Cursor) {
  const [row] = await db.sql<{ lost: boolean }>`
    select (c.xid, c.seq) > (${xid}::text::xid8, ${seq}::bigint)
           or ${xid}::text::xid8 > pg_snapshot_xmax(pg_current_snapshot()) as lost
      from events_cleared c`
  return row?.lost ?? true
}

/**
 * Deletes up to `rows_max` events that are older than `before`, oldest first, and records how far. Returns the number.
 */
export async function purgeEvents(db: Sql, { before, rows_max }: { before: Date; rows_max: number }) {
  const rows = await db.sql<{ deleted: number }>`
    with old as (
      select xid, seq
        from (select xid, seq, inserted_at from events order by xid, seq limit ${rows_max}) oldest
       where inserted_at < ${before}
    ), deleted as (
      delete from events e using old where e.xid = old.xid and e.seq = old.seq returning e.xid, e.seq
    ), recorded as (
      update events_cleared c set xid = d.xid, seq = d.seq
        from (select xid, seq from deleted order by xid desc, seq desc limit 1) d
       where (c.xid, c.seq) < (d.xid, d.seq)
    )
    select count(*) as deleted from deleted`
  return rows[0]?.deleted ?? 0
}

/** Deletes events from a dump of another server, whose transaction ids are not valid here. */
export const purgeForeignEvents = (db: Sql) =>
  db.sql`
    with deleted as (delete from events where xid > pg_snapshot_xmax(pg_current_snapshot()))
    update events_cleared set xid = '0', seq = 0 where xid > pg_snapshot_xmax(pg_current_snapshot())`

/** Messages as their readers may see them, with their channel. */
export const findMessagesById = (db: Sql, message_ids: string[]) =>
  db.sql<MessageRow & { channel_id: string }>`
    select id, channel_id, sender_id, sender_username, sender_display_name, sender_picture_url, coalesce(filtered_body, ${removed_texts}::jsonb ->> removed_by) as filtered_body,
           sent_at, removed, removed_by, edited_at, reactions
      from shown_messages
     where id = any(${message_ids}::uuid[])`

/** The reactions to these messages as seen by those of these people who have blocked somebody who reacted (D-71). */
export const findReactionsSeen = (db: Sql, message_ids: string[], user_ids: string[]) =>
  db.sql<Relation & Pick<MessageRow, 'reactions'>>`
    select distinct b.blocker_id as user_id, m.id as other_id, reactions_seen_by(b.blocker_id, m.id, m.channel_id) as reactions
      from message_reactions r
      join messages m on m.id = r.message_id
      join blocks b on b.blocked_id = r.user_id and b.blocker_id = any(${user_ids}::uuid[])
     where r.message_id = any(${message_ids}::uuid[])`

export interface Relation {
  user_id: string
  other_id: string
}

export const findBlocksBetween = (db: Sql, user_ids: string[], other_ids: string[]) =>
  db.sql<Relation>`
    select blocker_id as user_id, blocked_id as other_id
      from blocks
     where blocker_id = any(${user_ids}::uuid[]) and blocked_id = any(${other_ids}::uuid[])`

export const findSuspended = (db: Sql, user_ids: string[]) =>
  db.sql<{ id: string }>`select id from users where id = any(${user_ids}::uuid[]) and suspended_at is not null`

export const findFriendsBetween = (db: Sql, user_ids: string[], other_ids: string[]) =>
  db.sql<Relation>`
    select user_id, friend_id as other_id
      from friends
     where user_id = any(${user_ids}::uuid[]) and friend_id = any(${other_ids}::uuid[])`

export const findUsernames = (db: Sql, user_ids: string[]) =>
  db.sql<{ id: string; username: string }>`select id, username from users where id = any(${user_ids}::uuid[])`

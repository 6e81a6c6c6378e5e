import { firstRow, type Sql, type Tx } from '../platform/postgres/database.ts'
import type { Cursor } from './events/cursor.rules.ts'

/** The reporters of a case who have not left, each with one report. */
export const listReportersOf = (db: Sql, case_id: string) =>
  db.sql<{ report_id: string; reporter_id: string; person_id: string }>`
    select distinct on (r.reporter_id) r.id as report_id, r.reporter_id, c.person_id
      from reports r join moderation_cases c on c.id = r.case_id
     where r.case_id = ${case_id} and r.reporter_id is not null
     order by r.reporter_id, r.id`

/**
 * The progress of the notices; undefined while another process holds the lock. A cursor from another server, restored from a dump, starts
 * over.
 */
export const lockMessageProgress = (tx: Tx): Promise<Cursor | undefined> =>
  firstRow(tx.sql<Cursor>`
    select least(next_xid, pg_snapshot_xmax(pg_current_snapshot()))::text::bigint as xid, next_seq as seq
      from notice_progress where source = 'messages' for update skip locked`)

export const setMessageProgress = (tx: Tx, { xid, seq }: Cursor) =>
  tx.sql`update notice_progress set next_xid = ${xid}::text::xid8, next_seq = ${seq} where source = 'messages'`

export interface MessageCount {
  user_id: string
  channel_id: string
  /** The author of a direct message; null for a table. */
  sender_id: string | null
  count: number
}

/**
 * The number of these messages that each recent writer of a table, or the other person in a direct conversation, may
 * not have read: without their own, without those before their own last one, and in a direct conversation without those
 * up to their read position.
 */
export const findMessageCounts = (
  db: Sql,
  { message_ids, writers_among_messages }: { message_ids: readonly string[]; writers_among_messages: number },
) =>
  db.sql<MessageCount>`
    with posted as (
      select m.channel_id, m.sender_id, m.sent_at, c.type = 'direct' as is_direct,
             case when c.low_id = m.sender_id then c.high_id else c.low_id end as other_id
        from messages m join channels c on c.id = m.channel_id and c.type in ('table', 'direct')
       where m.id = any(${message_ids}::uuid[]) and not exists (select from removed_messages r where r.message_id = m.id)
    ), writers as (
      select c.channel_id, last.sender_id as user_id, max(last.sent_at) as wrote_at
        from (select distinct channel_id from posted where not is_direct) c
       cross join lateral (
         select sender_id, sent_at from messages
          where channel_id = c.channel_id
          order by sent_at desc
          limit ${writers_among_messages}
       ) last
       group by c.channel_id, last.sender_id
    )
    select w.user_id, w.channel_id, null::uuid as sender_id, count(*) as count
      from writers w join posted p on p.channel_id = w.channel_id and p.sent_at > w.wrote_at
     where not exists (select from blocks b where b.blocker_id = w.user_id and b.blocked_id = p.sender_id)
     group by w.user_id, w.channel_id
    union all
    select p.other_id, p.channel_id, p.sender_id, count(*)
      from posted p
     where p.is_direct
       and not exists (select from channel_reads r
                        where r.user_id = p.other_id and r.channel_id = p.channel_id and r.read_at >= p.sent_at)
       and not exists (select from messages m
                        where m.channel_id = p.channel_id and m.sender_id = p.other_id and m.sent_at > p.sent_at)
       and not exists (select from blocks b where b.blocker_id = p.other_id and b.blocked_id = p.sender_id)
     group by p.other_id, p.channel_id, p.sender_id`

import type { Static } from 'typebox'
import type { notice } from '../../contract/notice-fields.ts'
import { purgesRowsOf } from '../platform/erasure.ts'
import type { AdminRole } from '../../contract/kinds/admin-roles.ts'
import type { NoticeEvent, NoticeKind } from '../../contract/kinds/notices.ts'
import { json, theValue, type Sql, type Tx } from '../platform/postgres/database.ts'

export type NoticeRow = Static<typeof notice>

export interface WrittenNotice {
  user_id: string
  about: string
  id: string
  kind: NoticeKind
  event: NoticeEvent
  count: number
  amount: number | null
  subject_id: string | null
  app_id: string | null
  reason: string | null
  /** Whether mails of its kind are gathered. */
  gathered: boolean
}

interface WriteOptions {
  now: Date
  /** Whether count and amount are added to an unread notice with the same cause. */
  adds: boolean
  mail_wait_seconds: number
  mail_every_seconds: number
}

/**
 * The first key of the locks of inboxes; the second is one of `inbox_locks`, because a transaction may write to
 * thousands of people.
 */
const inbox_key = 720546
const inbox_locks = 256

/**
 * Serializes writers to the same people until they commit, so that ids grow in the order of commits: a person who has
 * seen a notice can mark all up to it, and a notice that commits later has a higher id. Locks are taken in one order.
 */
export const lockInboxes = (tx: Tx, user_ids: readonly string[]) =>
  tx.sql`
    select pg_advisory_xact_lock(${inbox_key}::integer, locks.key)
      from (select distinct abs(hashtext(id::text) % ${inbox_locks}::integer) as key
              from unnest(${user_ids}::uuid[]) u(id) order by 1) locks`

/** The highest id among the notices of each of these people; null if there is none. */
export const findNewestIds = (tx: Tx, user_ids: readonly string[]) =>
  tx.sql<{ user_id: string; newest_id: string | null }>`
    select u.id as user_id,
           (select n.id from notices n where n.user_id = u.id order by n.id desc limit 1) as newest_id
      from unnest(${user_ids}::uuid[]) u(id)`

/**
 * Writes notices, each with one cause for one person, notifies the event streams, and makes wanted mails due. People
 * who are suspended or have muted the kind get none. Returns the people with a new row. Rows are locked in one order,
 * so that writers to the same people cannot deadlock.
 */
export async function insertNotices(tx: Tx, rows: readonly WrittenNotice[], options: WriteOptions) {
  const { now, adds, mail_wait_seconds, mail_every_seconds } = options
  const written = await tx.sql<{ user_id: string; is_new: boolean }>`
    with sent as (
      select *
        from unnest(
          ${rows.map(({ user_id }) => user_id)}::uuid[], ${rows.map(({ about }) => about)}::text[],
          ${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ kind }) => kind)}::text[],
          ${rows.map(({ event }) => event)}::text[], ${rows.map(({ count }) => count)}::integer[],
          ${rows.map(({ amount }) => amount)}::bigint[], ${rows.map(({ subject_id }) => subject_id)}::uuid[],
          ${rows.map(({ app_id }) => app_id)}::uuid[], ${rows.map(({ reason }) => reason)}::text[],
          ${rows.map(({ gathered }) => gathered)}::boolean[]
        ) s(user_id, about, id, kind, event, count, amount, subject_id, app_id, reason, gathered)
    ), wanted as (
      select s.*, coalesce(g.console, true) as in_console, s.gathered and coalesce(g.mail, false) as mailed
        from sent s
        join users u on u.id = s.user_id and u.suspended_at is null
        left join notice_settings g on g.user_id = s.user_id and g.kind = s.kind
       where coalesce(g.console, true) or (s.gathered and g.mail)
    ), written as (
      insert into notices as n (
        user_id, about, id, kind, event, count, amount, subject_id, app_id, reason, in_console, happened_at)
      select user_id, about, id, kind, event, count, amount, subject_id, app_id, reason, in_console, ${now}
        from wanted
       order by user_id, about
      on conflict (user_id, about) do update
         set id = excluded.id, event = excluded.event, subject_id = excluded.subject_id, app_id = excluded.app_id,
             reason = excluded.reason, in_console = excluded.in_console, happened_at = excluded.happened_at, read_at = null,
             count = excluded.count + case when ${adds} and n.read_at is null then n.count else 0 end,
             amount = excluded.amount + case when ${adds} and n.read_at is null then n.amount else 0 end
      returning n.user_id, n.in_console, n.xmax = 0 as is_new
    ), told as (
      insert into events (kind, user_id, actor_id, payload, inserted_at)
      select distinct 'notice', user_id, user_id, '{}'::jsonb, ${now}::timestamptz from written where in_console
    ), due as (
      update notice_settings g
         set mail_due_at = greatest(${now}::timestamptz + make_interval(secs => ${mail_wait_seconds}),
                                    g.mailed_at + make_interval(secs => ${mail_every_seconds}))
       where g.mail_due_at is null and (g.user_id, g.kind) in (select user_id, kind from wanted where mailed)
    )
    select user_id, is_new, case when in_console then pg_notify('plaza_events', '') end from written`
  return written.filter(({ is_new }) => is_new).map(({ user_id }) => user_id)
}

/** Deletes the oldest notices of these people beyond `kept_max`. */
export const trimNotices = (tx: Tx, user_ids: readonly string[], kept_max: number) =>
  tx.sql`
    delete from notices n
     using unnest(${user_ids}::uuid[]) u(id)
     where n.user_id = u.id
       and n.id <= (select o.id from notices o where o.user_id = u.id order by o.id desc offset ${kept_max} limit 1)`

/** Deletes notices whose cause has ended, and notifies the event streams. */
export const deleteNotices = (
  tx: Tx,
  { user_ids, about, now }: { user_ids: readonly string[]; about: string; now: Date },
) =>
  tx.sql`
    with gone as (
      delete from notices where user_id = any(${user_ids}::uuid[]) and about = ${about}
      returning user_id, in_console and read_at is null as counted
    ), told as (
      insert into events (kind, user_id, actor_id, payload, inserted_at)
      select 'notice', user_id, user_id, '{}'::jsonb, ${now}::timestamptz from gone where counted
    )
    select pg_notify('plaza_events', '') from gone where counted`

interface ListFilter {
  user_id: string
  kind: NoticeKind | null
  unread: boolean
  before_id: string | null
  rows_max: number
}

/** Notices, newest first, with current names. */
export const listNotices = (db: Sql, { user_id, kind, unread, before_id, rows_max }: ListFilter) =>
  db.sql<NoticeRow>`
    with page as (
      select * from notices
       where user_id = ${user_id} and in_console
         and id < coalesce(${before_id}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
         and (${kind}::text is null or kind = ${kind}) and (not ${unread}::boolean or read_at is null)
       order by id desc
       limit ${rows_max})
    select n.id, n.kind, n.event, n.count, n.amount, n.subject_id, n.app_id, n.reason, n.happened_at,
           n.read_at is not null as is_read,
           coalesce(person.username, channel.shown_ref_id, channel.ref_id, deployment.subdomain, team.name, app.app_name) as subject_name
      from page n
      left join users person on person.id = n.subject_id
      left join channels channel on channel.id = n.subject_id
      left join deployments deployment on deployment.id = n.subject_id
      left join teams team on team.id = n.subject_id
      left join oauth_apps app on app.id = n.app_id
     order by n.id desc`

export interface UnreadCount {
  user_id: string
  unread: number
}

/** The numbers of unread notices, counted up to a limit. */
export const countUnread = (db: Sql, user_ids: readonly string[], counted_max: number) =>
  db.sql<UnreadCount>`
    select u.id as user_id,
           (select count(*) from (
              select 1 from notices n where n.user_id = u.id and n.read_at is null and n.in_console limit ${counted_max}
            ) counted) as unread
      from unnest(${user_ids}::uuid[]) u(id)`

/** The notices to select: one, all up to one, or those with a cause. */
export interface ReadFilter {
  user_id: string
  id: string | null
  upto: string | null
  about: string | null
  now: Date
}

/**
 * Marks notices as read, and notifies the person's other event streams. A notice that a parallel event updates gets
 * another id and stays unread.
 */
export const markRead = (db: Sql, { user_id, id, upto, about, now }: ReadFilter) =>
  db.sql`
    with read as (
      update notices set read_at = ${now}
       where user_id = ${user_id} and read_at is null and in_console
         and (id = ${id} or id <= ${upto} or about = ${about})
      returning 1
    ), told as (
      insert into events (kind, user_id, actor_id, payload, inserted_at)
      select 'notice', ${user_id}, ${user_id}, '{}'::jsonb, ${now}::timestamptz where exists (select from read)
      returning 1
    )
    select pg_notify('plaza_events', '') from told`

export const hasNotice = (db: Sql, { user_id, id }: { user_id: string; id: string }) =>
  theValue(db.sql<{ found: boolean }>`
    select exists (select from notices where user_id = ${user_id} and id = ${id} and in_console) as found`)

export const purgeNotices = purgesRowsOf('notices', 'happened_at')

// The queues of admins

/** Admins with their roles. */
export const listAdmins = (db: Sql) =>
  db.sql<{ id: string; admin_roles: AdminRole[] }>`
    select id, admin_roles from users where is_admin and suspended_at is null order by id limit 1000`

/** Lowers the number of waiting items, if it decreased, without a new notice. */
export const correctCounts = (tx: Tx, { about, count }: { about: string; count: number }) =>
  tx.sql`update notices set count = ${count} where kind = 'review' and about = ${about} and count > ${count}`

/**
 * Deletes notices of empty queues, and of people who have lost the role for the queue, and notifies the event streams.
 */
export const deleteReviewNotices = (
  tx: Tx,
  {
    abouts,
    roles,
    now,
  }: { abouts: readonly string[]; roles: Readonly<Record<string, readonly AdminRole[]>>; now: Date },
) =>
  tx.sql`
    with gone as (
      delete from notices n
       where kind = 'review'
         and (about = any(${abouts}::text[]) or not exists (
                select from users u where u.id = n.user_id and (${json(roles)}::jsonb -> n.about) ?| u.admin_roles))
      returning user_id
    ), told as (
      insert into events (kind, user_id, actor_id, payload, inserted_at)
      select distinct 'notice', user_id, user_id, '{}'::jsonb, ${now}::timestamptz from gone
    )
    select pg_notify('plaza_events', '') from gone`

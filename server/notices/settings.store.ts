import type { GatheredEvent, GatheredKind, NoticeKind } from '../../contract/kinds/notices.ts'
import { firstRow, theRow, type Sql } from '../platform/postgres/database.ts'
import type { NoticeRow } from './store.ts'

export interface SettingRow {
  kind: NoticeKind
  console: boolean
  mail: boolean
}

export const listSettings = (db: Sql, user_id: string) =>
  db.sql<SettingRow>`select kind, console, mail from notice_settings where user_id = ${user_id}`

interface SettingChange {
  user_id: string
  kind: NoticeKind
  console: boolean | null
  mail: boolean | null
  /** Whether the kind is mailed by default. */
  mail_default: boolean
}

/** Changes the values that are not null. Turning mails off cancels a due mail. */
export const putSetting = (db: Sql, { user_id, kind, console, mail, mail_default }: SettingChange) =>
  theRow(db.sql<SettingRow>`
    insert into notice_settings as g (user_id, kind, console, mail)
    values (${user_id}, ${kind}, coalesce(${console}::boolean, true), coalesce(${mail}::boolean, ${mail_default}))
    on conflict (user_id, kind) do update
       set console = coalesce(${console}::boolean, g.console), mail = coalesce(${mail}::boolean, g.mail),
           mail_due_at = case when coalesce(${mail}::boolean, g.mail) then g.mail_due_at end
    returning kind, console, mail`)

export const findSetting = (db: Sql, user_id: string, kind: NoticeKind) =>
  firstRow(db.sql<SettingRow>`
    select kind, console, mail from notice_settings where user_id = ${user_id} and kind = ${kind}`)

// Gathered mails

/**
 * Claims up to `rows_max` due mails, longest due first: nobody else claims them, and the next mail of the kind waits
 * its full time.
 */
export const claimMails = (db: Sql, { now, rows_max }: { now: Date; rows_max: number }) =>
  db.sql<{ user_id: string; kind: NoticeKind }>`
    update notice_settings g set mail_due_at = null, mailed_at = ${now}
     where (user_id, kind) in (
       select user_id, kind from notice_settings
        where mail_due_at <= ${now} order by mail_due_at limit ${rows_max} for update skip locked)
    returning g.user_id, g.kind`

/** Unread notices of a kind that were not mailed yet, newest first. */
export const listUnmailed = (
  db: Sql,
  { user_id, kind, rows_max }: { user_id: string; kind: GatheredKind; rows_max: number },
) =>
  db.sql<Pick<NoticeRow, 'id' | 'count' | 'amount' | 'subject_name'> & { event: GatheredEvent }>`
    with page as (
      select n.* from notices n
        join notice_settings g on g.user_id = n.user_id and g.kind = n.kind and g.mail
       where n.user_id = ${user_id} and n.kind = ${kind} and n.read_at is null
         and n.id > coalesce(g.mailed_id, '00000000-0000-0000-0000-000000000000')
       order by n.id desc
       limit ${rows_max})
    select n.id, n.event, n.count, n.amount, coalesce(person.username, channel.shown_ref_id, channel.ref_id, app.app_name) as subject_name
      from page n
      left join users person on person.id = n.subject_id
      left join channels channel on channel.id = n.subject_id
      left join oauth_apps app on app.id = n.app_id
     order by n.id desc`

/**
 * Records the newest mailed notice. Also marks notices of a muted kind as read: they cannot be read in the console, and
 * later events would be added to a mailed notice.
 */
export const setMailed = (
  db: Sql,
  { user_id, kind, id, now }: { user_id: string; kind: NoticeKind; id: string; now: Date },
) =>
  db.sql`
    with read as (
      update notices set read_at = ${now}
       where user_id = ${user_id} and kind = ${kind} and id <= ${id} and not in_console and read_at is null
    )
    update notice_settings set mailed_id = ${id}
     where user_id = ${user_id} and kind = ${kind} and (mailed_id is null or mailed_id < ${id})`

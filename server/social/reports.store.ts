import type { report_reasons } from '../../contract/moderation-fields.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'

type Reason = (typeof report_reasons)[number]

export interface ReportRow {
  id: string
  case_id: string
  message_id: string | null
  user_id: string
  username: string | null
  reported_text: string | null
  reason: Reason
  note: string | null
  status: 'open' | 'acted' | 'dismissed'
  decided_at: Date | null
  inserted_at: Date
}

/** Serializes the reports of one person until the transaction ends. */
export const lockReporter = (tx: Tx, reporter_id: string) =>
  tx.sql`select pg_advisory_xact_lock(hashtextextended(${reporter_id}::uuid::text, 7205461342))`

export interface ReportedMessage {
  id: string
  sender_id: string
  removed: boolean
  /** Null if it was removed. */
  text: string | null
}

/** A message that the person can read; undefined if its sender has left. */
export async function findReportedMessage(
  db: Sql,
  { message_id, reporter_id }: { message_id: string; reporter_id: string },
) {
  const [row] = await db.sql<ReportedMessage>`
    select m.id, m.sender_id, m.removed, m.filtered_body as text
      from shown_messages m
      join channels c on c.id = m.channel_id and (c.type <> 'direct' or ${reporter_id} in (c.low_id, c.high_id))
     where m.id = ${message_id} and m.sender_username is not null`
  return row
}

/** Whether this person can be reported: exists and is not suspended. */
export async function isActivePerson(db: Sql, user_id: string) {
  const rows = await db.sql`select 1 from users where id = ${user_id} and suspended_at is null`
  return rows.length > 0
}

interface About {
  reporter_id: string
  person_id: string
  message_id: string | null
}

/** The newest report by this person of this message or person. */
export async function findReportOf(db: Sql, { reporter_id, person_id, message_id }: About) {
  const [row] = await db.sql<ReportRow>`
    select r.id, r.case_id, c.message_id, c.person_id as user_id, u.username, r.reported_text, r.reason, r.note,
           case when c.status = 'open' then 'open' when 'dismiss' = any(c.actions) then 'dismissed' else 'acted' end as status,
           c.decided_at, r.inserted_at
      from moderation_cases c
      join reports r on r.case_id = c.id and r.reporter_id = ${reporter_id}
      left join users u on u.id = c.person_id
     where c.person_id = ${person_id} and c.message_id is not distinct from ${message_id}::uuid
     order by c.id desc
     limit 1`
  return row
}

/** The number of the person's open reports, and the outcomes of those decided since a time. */
export async function countReports(db: Sql, { reporter_id, since }: { reporter_id: string; since: Date }) {
  const [row] = await db.sql<{ open: number; acted: number; dismissed: number }>`
    select count(*) filter (where c.status = 'open') as open,
           count(*) filter (where c.decided_at > ${since} and not 'dismiss' = any(c.actions)) as acted,
           count(*) filter (where c.decided_at > ${since} and 'dismiss' = any(c.actions)
                              and c.decided_by is not null) as dismissed
      from reports r join moderation_cases c on c.id = r.case_id
     where r.reporter_id = ${reporter_id}`
  return row ?? { open: 0, acted: 0, dismissed: 0 }
}

export interface NewCase {
  id: string
  person_id: string
  message_id: string | null
  now: Date
}

/** Adds a report to the open case of this message or person, or opens one; returns the id of the case. */
export async function joinCase(tx: Tx, { id, person_id, message_id, now }: NewCase) {
  const [row] =
    message_id === null
      ? await tx.sql<{ id: string }>`
        insert into moderation_cases as c (id, person_id, message_id, last_reported_at, inserted_at)
        values (${id}, ${person_id}, null, ${now}, ${now})
        on conflict (person_id) where status = 'open' and message_id is null
        do update set reports = c.reports + 1, last_reported_at = excluded.last_reported_at
        returning c.id`
      : await tx.sql<{ id: string }>`
        insert into moderation_cases as c (id, person_id, message_id, last_reported_at, inserted_at)
        values (${id}, ${person_id}, ${message_id}, ${now}, ${now})
        on conflict (message_id) where status = 'open' and message_id is not null
        do update set reports = c.reports + 1, last_reported_at = excluded.last_reported_at
        returning c.id`
  return row!.id
}

export interface NewReport {
  id: string
  case_id: string
  reporter_id: string
  reported_text: string | null
  reason: Reason
  note: string | null
  doubted: boolean
  now: Date
}

export const insertReport = (
  tx: Tx,
  { id, case_id, reporter_id, reported_text, reason, note, doubted, now }: NewReport,
) =>
  tx.sql`
    insert into reports (id, case_id, reporter_id, reported_text, reason, note, doubted, inserted_at)
    values (${id}, ${case_id}, ${reporter_id}, ${reported_text}, ${reason}, ${note}, ${doubted}, ${now})`

/** The reports of a person, the newest case first; `case_id` is the key of the pages. */
export const listReportsOf = (
  db: Sql,
  { reporter_id, before_id, rows_max }: { reporter_id: string; before_id: string | null; rows_max: number },
) =>
  db.sql<ReportRow>`
    select r.id, r.case_id, c.message_id, c.person_id as user_id, u.username, r.reported_text, r.reason, r.note,
           case when c.status = 'open' then 'open' when 'dismiss' = any(c.actions) then 'dismissed' else 'acted' end as status,
           c.decided_at, r.inserted_at
      from reports r
      join moderation_cases c on c.id = r.case_id
      left join users u on u.id = c.person_id
     where r.reporter_id = ${reporter_id} and (${before_id}::uuid is null or r.case_id < ${before_id})
     order by r.case_id desc
     limit ${rows_max}`

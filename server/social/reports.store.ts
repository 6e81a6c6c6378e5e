import type { Static } from 'typebox'
import type { LookPart } from '../../contract/kinds/reports.ts'
import type { report } from '../../contract/moderation-fields.ts'
import { firstRow, theRow, type Sql, type Tx } from '../platform/postgres/database.ts'

export interface ReportRow extends Static<typeof report> {
  case_id: string
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
export const findReportedMessage = (
  db: Sql,
  { message_id, reporter_id }: { message_id: string; reporter_id: string },
) =>
  firstRow(db.sql<ReportedMessage>`
    select m.id, m.sender_id, m.removed, m.filtered_body as text
      from shown_messages m
      join channels c on c.id = m.channel_id and (c.type <> 'direct' or ${reporter_id} in (c.low_id, c.high_id))
     where m.id = ${message_id} and m.sender_username is not null`)

/** A person who can be reported, that is, exists and is not suspended, with the parts of the profile. */
export const findReportedPerson = (db: Sql, user_id: string) =>
  firstRow(db.sql<{ display_name: string | null; picture: string | null }>`
    select display_name, picture_url as picture from users where id = ${user_id} and suspended_at is null`)

interface About {
  reporter_id: string
  person_id: string
  message_id: string | null
  part: LookPart | null
}

/** The newest report by this person of this message, person or part of a person. */
export const findReportOf = (db: Sql, { reporter_id, person_id, message_id, part }: About) =>
  firstRow(db.sql<ReportRow>`
    select r.id, r.kind, r.case_id, c.message_id, c.person_id as user_id, u.username, r.reported_text, r.reason, r.note,
           case when c.status = 'open' then 'open' when 'dismiss' = any(c.actions) then 'dismissed' else 'acted' end as status,
           c.decided_at, r.inserted_at
      from moderation_cases c
      join shown_reports r on r.case_id = c.id and r.reporter_id = ${reporter_id}
      left join users u on u.id = c.person_id
     where c.person_id = ${person_id} and c.message_id is not distinct from ${message_id}::uuid
       and r.part is not distinct from ${part}::text
     order by r.id desc
     limit 1`)

/** The number of the person's open reports, and the outcomes of those decided since a time. */
export const countReports = (db: Sql, { reporter_id, since }: { reporter_id: string; since: Date }) =>
  theRow(db.sql<{ open: number; acted: number; dismissed: number }>`
    select count(*) filter (where c.status = 'open') as open,
           count(*) filter (where c.decided_at > ${since} and not 'dismiss' = any(c.actions)) as acted,
           count(*) filter (where c.decided_at > ${since} and 'dismiss' = any(c.actions)
                              and c.decided_by is not null) as dismissed
      from reports r join moderation_cases c on c.id = r.case_id
     where r.reporter_id = ${reporter_id}`)

export interface NewCase {
  id: string
  person_id: string
  message_id: string | null
  reporter_id: string
  now: Date
}

/**
 * Adds a reporter, who counts once, to the open case of this message or person, or opens one; returns the id of the
 * case. Call it before `insertReport`.
 */
export async function joinCase(tx: Tx, { id, person_id, message_id, reporter_id, now }: NewCase) {
  const [row] =
    message_id === null
      ? await tx.sql<{ id: string }>`
        insert into moderation_cases as c (id, person_id, message_id, last_reported_at, inserted_at)
        values (${id}, ${person_id}, null, ${now}, ${now})
        on conflict (person_id) where status = 'open' and message_id is null
        do update
           set reports = c.reports
                 + case when exists (select from reports r where r.case_id = c.id and r.reporter_id = ${reporter_id}) then 0 else 1 end,
               last_reported_at = excluded.last_reported_at
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
  part: LookPart | null
  case_id: string
  reporter_id: string
  reported_text: string | null
  reason: ReportRow['reason']
  note: string | null
  doubted: boolean
  now: Date
}

export const insertReport = (
  tx: Tx,
  { id, part, case_id, reporter_id, reported_text, reason, note, doubted, now }: NewReport,
) =>
  tx.sql`
    insert into reports (id, part, case_id, reporter_id, reported_text, reason, note, doubted, inserted_at)
    values (${id}, ${part}, ${case_id}, ${reporter_id}, ${reported_text}, ${reason}, ${note}, ${doubted}, ${now})`

/** Stores the current picture of the person of a case until the case is decided. */
export const keepReportedPicture = (tx: Tx, { case_id, person_id }: { case_id: string; person_id: string }) =>
  tx.sql`
    insert into reported_pictures (case_id, picture_id, content)
    select ${case_id}, id, content from pictures where owner_id = ${person_id}
    on conflict do nothing`

/** The reports of a person, newest first. */
export const listReportsOf = (
  db: Sql,
  { reporter_id, before_id, rows_max }: { reporter_id: string; before_id: string | null; rows_max: number },
) =>
  db.sql<ReportRow>`
    select r.id, r.kind, r.case_id, c.message_id, c.person_id as user_id, u.username, r.reported_text, r.reason, r.note,
           case when c.status = 'open' then 'open' when 'dismiss' = any(c.actions) then 'dismissed' else 'acted' end as status,
           c.decided_at, r.inserted_at
      from shown_reports r
      join moderation_cases c on c.id = r.case_id
      left join users u on u.id = c.person_id
     where r.reporter_id = ${reporter_id} and (${before_id}::uuid is null or r.id < ${before_id})
     order by r.id desc
     limit ${rows_max}`

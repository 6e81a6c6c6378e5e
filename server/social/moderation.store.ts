import type { Static } from 'typebox'
import type { case_person, case_report, CaseAction, moderation_case } from '../../contract/moderation-fields.ts'
import { backup_lock } from '../platform/postgres/backup/lock.ts'
import {
  countRows,
  type Database,
  firstRow,
  hasRows,
  type Sql,
  theRow,
  theValue,
  type Tx,
} from '../platform/postgres/database.ts'
import { removed_text, removed_texts, type MessageRow } from './chat.store.ts'

export type CaseRow = Static<typeof moderation_case>

interface CaseFilter {
  status: 'open' | 'decided' | null
  user_id: string | null
  reporter_id: string | null
  cursor_id: string | null
  rows_max: number
}

/** Cases: the open ones oldest first, others newest first. The filter selects the index. */
export const listCases = (db: Sql, filter: CaseFilter) => {
  if (filter.reporter_id !== null) return listByReporter(db, filter)
  return filter.status === 'open' && filter.user_id === null ? listOpen(db, filter) : listNewest(db, filter)
}

const listOpen = async (db: Sql, { cursor_id, rows_max }: CaseFilter) => {
  const rows = await db.sql<{ id: string }>`
    select id from moderation_cases
     where status = 'open' and (${cursor_id}::uuid is null or id > ${cursor_id})
     order by id
     limit ${rows_max}`
  return readCases(db, rows)
}

const listNewest = async (db: Sql, { status, user_id, cursor_id, rows_max }: CaseFilter) => {
  const rows = await db.sql<{ id: string }>`
    select id from moderation_cases
     where (${status}::text is null or status = ${status}) and (${user_id}::uuid is null or person_id = ${user_id})
       and (${cursor_id}::uuid is null or id < ${cursor_id})
     order by id desc
     limit ${rows_max}`
  return readCases(db, rows)
}

const listByReporter = async (db: Sql, { status, user_id, reporter_id, cursor_id, rows_max }: CaseFilter) => {
  const rows = await db.sql<{ id: string }>`
    select distinct c.id
      from reports r join moderation_cases c on c.id = r.case_id
     where r.reporter_id = ${reporter_id} and (${cursor_id}::uuid is null or r.case_id < ${cursor_id})
       and (${status}::text is null or c.status = ${status}) and (${user_id}::uuid is null or c.person_id = ${user_id})
     order by c.id desc
     limit ${rows_max}`
  return readCases(db, rows)
}

/** These cases in this order. */
async function readCases(db: Sql, rows: { id: string }[]) {
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return []
  return db.sql<CaseRow>`
    select c.id, case when c.message_id is null then 'person' else 'message' end as kind, c.status, c.person_id,
           person.username as person_username, person.display_name as person_display_name,
           person.picture_url as person_picture_url, c.message_id,
           coalesce(m.filtered_body, ${removed_texts}::jsonb ->> m.removed_by) as text, c.reports,
           said.doubted_reports, said.kinds, said.reasons, c.actions, c.decision_reason as reason, c.muted_until,
           decider.username as decided_by_username, c.decided_at, c.inserted_at, c.last_reported_at
      from unnest(${ids}::uuid[]) with ordinality wanted(id, at)
      join moderation_cases c on c.id = wanted.id
      left join users person on person.id = c.person_id
      left join users decider on decider.id = c.decided_by
      left join shown_messages m on m.id = c.message_id
     cross join lateral (
       select count(*) filter (where r.doubted) as doubted_reports,
              coalesce(array_agg(distinct r.kind order by r.kind), '{}') as kinds,
              coalesce(array_agg(distinct r.reason order by r.reason), '{}') as reasons
         from shown_reports r where r.case_id = c.id
     ) said
     order by wanted.at`
}

export async function findCase(db: Sql, case_id: string) {
  const [row] = await readCases(db, [{ id: case_id }])
  return row
}

/** The newest cases about a person, except one. */
export const listEarlierCases = async (
  db: Sql,
  { person_id, case_id, rows_max }: { person_id: string; case_id: string; rows_max: number },
) => {
  const rows = await db.sql<{ id: string }>`
    select id from moderation_cases where person_id = ${person_id} and id <> ${case_id} order by id desc limit ${rows_max}`
  return readCases(db, rows)
}

/** The copies of reported pictures in a case, newest first. */
export const listReportedPictures = (db: Sql, { case_id, rows_max }: { case_id: string; rows_max: number }) =>
  db.sql<{ content: Buffer }>`
    select content from reported_pictures where case_id = ${case_id} order by picture_id desc limit ${rows_max}`

/** The newest reports of a case, with the outcomes of all reports by the same reporters. */
export const listReportsOfCase = (db: Sql, { case_id, rows_max }: { case_id: string; rows_max: number }) =>
  db.sql<Static<typeof case_report>>`
    select r.id, r.kind, r.reporter_id, u.username as reporter_username, u.inserted_at as reporter_since, r.doubted, r.reason, r.note,
           r.reported_text, r.inserted_at, counted.counts as reporter_counts
      from (select * from shown_reports where case_id = ${case_id} order by id desc limit ${rows_max}) r
      left join users u on u.id = r.reporter_id
     cross join lateral (
       select json_build_object(
                'open', count(*) filter (where c.status = 'open'),
                'acted', count(*) filter (where c.status = 'decided' and not 'dismiss' = any(c.actions)),
                'dismissed', count(*) filter (where c.status = 'decided' and 'dismiss' = any(c.actions))) as counts
         from reports other join moderation_cases c on c.id = other.case_id
        where other.reporter_id = r.reporter_id
     ) counted
     order by r.id desc`

/** The person of a case, who may have left. */
export const findCasePerson = (db: Sql, { person_id, now }: { person_id: string; now: Date }) =>
  theRow(db.sql<Static<typeof case_person>>`
    select p.id, u.username, u.inserted_at, coalesce(u.is_admin, false) as is_admin, u.suspended_at is not null as suspended,
           m.muted_until, counted.counts
      from (select ${person_id}::uuid as id) p
      left join users u on u.id = p.id
      left join chat_mutes m on m.user_id = p.id and m.muted_until > ${now}
     cross join lateral (
       select json_build_object(
                'open', count(*) filter (where status = 'open'),
                'acted', count(*) filter (where status = 'decided' and not 'dismiss' = any(actions)),
                'dismissed', count(*) filter (where status = 'decided' and 'dismiss' = any(actions))) as counts
         from moderation_cases c where c.person_id = p.id
     ) counted`)

/** The number of open cases about a person. */
export const countOpenCases = (db: Sql, person_id: string) =>
  theValue(db.sql<{ open: number }>`
    select count(*) as open from moderation_cases where person_id = ${person_id} and status = 'open'`)

/** A message and its neighbours in the channel, oldest first; a direct message alone. */
export const listContext = (
  db: Sql,
  { message_id, before, after }: { message_id: string; before: number; after: number },
) =>
  db.sql<MessageRow & { channel_id: string; reported: boolean }>`
    with reported as (
      select m.id, m.channel_id, m.sent_at from messages m join channels c on c.id = m.channel_id and c.type <> 'direct'
       where m.id = ${message_id}
    ), around as (
      select ${message_id}::uuid as id
      union
      (select m.id from messages m, reported r
        where m.channel_id = r.channel_id and m.sent_at < r.sent_at order by m.sent_at desc limit ${before})
      union
      (select m.id from messages m, reported r
        where m.channel_id = r.channel_id and m.sent_at > r.sent_at order by m.sent_at limit ${after})
    )
    select id, channel_id, sender_id, sender_username, sender_display_name, sender_picture_url, coalesce(filtered_body, ${removed_texts}::jsonb ->> removed_by) as filtered_body,
           sent_at, removed, removed_by, edited_at, reactions, id = ${message_id} as reported
      from around join shown_messages using (id)
     order by sent_at`

export interface CaseDecision {
  case_id: string
  actions: CaseAction[]
  reason: string
  muted_until: Date | null
  decided_by: string
  now: Date
}

/** Decides an open case and deletes its copies of pictures; undefined if it is not open. */
export const recordCaseDecision = (tx: Tx, { case_id, actions, reason, muted_until, decided_by, now }: CaseDecision) =>
  firstRow(tx.sql<{ person_id: string; message_id: string | null }>`
    with decided as (
      update moderation_cases
         set status = 'decided', actions = ${actions}, decision_reason = ${reason}, muted_until = ${muted_until},
             decided_by = ${decided_by}, decided_at = ${now}
       where id = ${case_id} and status = 'open'
      returning id, person_id, message_id
    ), copies as (
      delete from reported_pictures p using decided where p.case_id = decided.id
    )
    select person_id, message_id from decided`)

/** Hides the text of a message from all but admins; undefined if it was already removed. */
export const removeMessageText = (tx: Tx, { message_id, now }: { message_id: string; now: Date }) =>
  firstRow(tx.sql<{ channel_id: string; sender_id: string }>`
    with removed as (
      insert into removed_messages (message_id, removed_at)
      select id, ${now} from messages where id = ${message_id}
      on conflict (message_id) do nothing
      returning message_id
    )
    select m.channel_id, m.sender_id from messages m join removed r on r.message_id = m.id`)

/**
 * Overwrites the original texts of messages removed before a time; returns the number. Does nothing during a backup,
 * which copies rows of `messages` after its snapshot and would miss rows that change in between.
 */
export async function purgeRemovedMessages(
  db: Database,
  { before, rows_max, now }: { before: Date; rows_max: number; now: Date },
) {
  return db.transaction(async (tx) => {
    const [lock] = await tx.sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${backup_lock}::bigint) as taken`
    if (!lock?.taken) return 0
    return countRows(tx.sql`
      with due as (
        update removed_messages set purged_at = ${now}
         where message_id = any(array(
           select message_id from removed_messages where purged_at is null and removed_at < ${before}
            order by removed_at limit ${rows_max} for update skip locked))
        returning message_id
      ), edits as (
        delete from message_edits e using due d where e.message_id = d.message_id
      )
      update messages m set body = ${removed_text}, filtered_body = ${removed_text}
        from due d where m.id = d.message_id
      returning m.id`)
  })
}

export const isPerson = (db: Sql, user_id: string) => hasRows(db.sql`select 1 from users where id = ${user_id}`)

export interface ReportOutcome {
  reporter_id: string
  kind: 'message' | 'person'
  person_username: string | null
  actions: string[]
  inserted_at: Date
}

/** A decided report, for the mail to its reporter. */
export const findReportOutcome = (db: Sql, report_id: string) =>
  firstRow(db.sql<ReportOutcome>`
    select r.reporter_id, case when c.message_id is null then 'person' else 'message' end as kind,
           u.username as person_username, c.actions, r.inserted_at
      from reports r
      join moderation_cases c on c.id = r.case_id
      left join users u on u.id = c.person_id
     where r.id = ${report_id} and c.status = 'decided' and r.reporter_id is not null`)

import { erasesRowsOf, type EraseRound } from '../platform/erasure.ts'
import { longSection, shortSection, tableSection, type ExportPage } from '../platform/export-section.ts'
import { countRows, theValue, type Sql } from '../platform/postgres/database.ts'

/** The text of a message whose sender has left; the message keeps its place in the chat. */
const left_text = 'The person who wrote this has left.'

const eraseMessages: EraseRound = (tx, { user_id }, rows_max) =>
  countRows(tx.sql`
    update messages set body = ${left_text}, filtered_body = ${left_text}
     where id = any(array(
       select id from messages where sender_id = ${user_id} and body <> ${left_text} limit ${rows_max}))
    returning id`)

const eraseEdits: EraseRound = (tx, { user_id }, rows_max) =>
  countRows(tx.sql`
    delete from message_edits
     where message_id = any(array(
       select e.message_id from messages m join message_edits e on e.message_id = m.id
        where m.sender_id = ${user_id} limit ${rows_max}))
    returning message_id`)

/** Ends friendships and requests, and notifies the other users. */
const eraseFriendships: EraseRound = (tx, { user_id }, rows_max) =>
  countRows(tx.sql<{ id: string }>`
    with gone as (
      delete from friendships
       where id = any(array(
         (select id from friendships where low_id = ${user_id} limit ${rows_max})
         union (select id from friendships where high_id = ${user_id} limit ${rows_max})))
      returning *
    ), told as (
      insert into events (kind, user_id, actor_id, payload, inserted_at)
      select 'friendship', case when low_id = ${user_id} then high_id else low_id end, ${user_id},
             jsonb_build_object('friendship_id', id, 'status', 'removed', 'requester_id', requester_id), now()
        from gone where status in ('pending', 'accepted')
    ), withdrawn as (
      delete from notices n using gone g
       where n.user_id in (g.low_id, g.high_id) and n.about = 'friendship:' || g.id
    )
    select id, pg_notify('plaza_events', '') from gone`)

const eraseBlocks: EraseRound = (tx, { user_id }, rows_max) =>
  countRows(tx.sql`
    delete from blocks
     where seq = any(array(
       (select seq from blocks where blocker_id = ${user_id} limit ${rows_max})
       union (select seq from blocks where blocked_id = ${user_id} limit ${rows_max})))
    returning seq`)

/**
 * Deletes presence that a call, authorized earlier, wrote after the person left. `enqueueLeave` notifies the others.
 */
const erasePresence: EraseRound = async (tx, { user_id }) => {
  await tx.sql`
    update presence set current_game = null, lobby = null
     where user_id = ${user_id} and (current_game is not null or lobby is not null)`
  await tx.sql`
    update events set payload = payload || '{"current_game": null, "lobby": null}'
     where actor_id = ${user_id} and kind = 'presence' and coalesce(payload ->> 'current_game', payload ->> 'lobby') is not null`
  return 0
}

/**
 * Dismisses open cases about the person without an admin, and deletes their copies of pictures. Reporters get no
 * notice, and the dismissal does not count against them.
 */
const closeCases: EraseRound = (tx, { user_id }, rows_max) =>
  countRows(tx.sql`
    with closed as (
      update moderation_cases set status = 'decided', actions = '{dismiss}', decided_at = now()
       where id = any(array(
         select id from moderation_cases where person_id = ${user_id} and status = 'open' limit ${rows_max}))
         and status = 'open'
      returning id
    ), copies as (
      delete from reported_pictures p using closed where p.case_id = closed.id
    )
    select id from closed`)

/** Erases texts of reports by and about the person, and the reporter of their reports; decisions remain. */
const eraseReports: EraseRound = async (tx, { user_id }, rows_max) => {
  await tx.sql`delete from chat_mutes where user_id = ${user_id}`
  await tx.sql`
    update moderation_cases set decision_reason = null where person_id = ${user_id} and decision_reason is not null`
  return countRows(tx.sql`
    update reports
       set note = null, reported_text = case when reporter_id = ${user_id} then reported_text end,
           reporter_id = case when reporter_id = ${user_id} then null else reporter_id end
     where id = any(array(
       (select id from reports where reporter_id = ${user_id} limit ${rows_max})
       union
       (select r.id from moderation_cases c join reports r on r.case_id = c.id
         where c.person_id = ${user_id} and (r.note is not null or r.reported_text is not null) limit ${rows_max})))
    returning id`)
}

// Export

const listReportsBy = (db: Sql, { user_id, after, rows_max }: ExportPage) =>
  db.sql<{ id: string }>`
    select r.id, r.kind, c.message_id, r.reason, r.note, r.inserted_at
      from shown_reports r join moderation_cases c on c.id = r.case_id
     where r.reporter_id = ${user_id} and (${after}::uuid is null or r.id > ${after}) order by r.id limit ${rows_max}`

/** Cases about the person, without reporters. */
const listCasesAbout = (db: Sql, { user_id, after, rows_max }: ExportPage) =>
  db.sql<{ id: string }>`
    select id, message_id, status, actions, decision_reason, muted_until, decided_at, inserted_at,
           array(select encode(content, 'base64') from reported_pictures p where p.case_id = moderation_cases.id) as reported_pictures
      from moderation_cases
     where person_id = ${user_id} and (${after}::uuid is null or id > ${after}) order by id limit ${rows_max}`

const listMessagesOf = (db: Sql, { user_id, after, rows_max }: ExportPage) =>
  db.sql<{ id: string }>`
    select m.id, c.type as channel_type, case when c.type = 'direct' then u.username else coalesce(c.shown_ref_id, c.ref_id) end as channel_ref_id,
           m.sent_at, coalesce(e.body, m.body) as body, e.edited_at
      from messages m
      left join channels c on c.id = m.channel_id
      left join users u on u.id = case when c.low_id = ${user_id} then c.high_id else c.low_id end
      left join message_edits e on e.message_id = m.id
     where m.sender_id = ${user_id} and m.id > coalesce(${after}::uuid, '00000000-0000-0000-0000-000000000000')
     order by m.id limit ${rows_max}`

const listReactionsOf = (db: Sql, { user_id, after, rows_max }: ExportPage<{ message_id: string; name: string }>) =>
  db.sql<{ message_id: string; name: string }>`
    select message_id, name, inserted_at from message_reactions
     where user_id = ${user_id}
       and (message_id, name) > (coalesce(${after?.message_id}::uuid, '00000000-0000-0000-0000-000000000000'), coalesce(${after?.name}::text, ''))
     order by message_id, name limit ${rows_max}`

const listFriendshipsOf = (db: Sql, { user_id, after, rows_max }: ExportPage) =>
  db.sql<{ id: string }>`
    select f.id, u.id as user_id, u.username, f.status, f.requester_id = ${user_id} as requested_by_you, f.sent_at, f.changed_at
      from friendships f
      left join users u on u.id = case when f.low_id = ${user_id} then f.high_id else f.low_id end
     where (f.low_id = ${user_id} or f.high_id = ${user_id}) and (${after}::uuid is null or f.id > ${after})
     order by f.id limit ${rows_max}`

const listBlocksOf = (db: Sql, { user_id, after, rows_max }: ExportPage<number>) =>
  db.sql<{ seq: number }>`
    select b.seq, b.blocked_id as user_id, u.username, b.inserted_at
      from blocks b left join users u on u.id = b.blocked_id
     where b.blocker_id = ${user_id} and b.seq < coalesce(${after}::bigint, 9223372036854775807)
     order by b.seq desc limit ${rows_max}`

export const countFriends = (db: Sql, user_id: string) =>
  theValue(db.sql<{ friends: number }>`
    select count(*) as friends from friends where user_id = ${user_id}`)

export const social_erasure = [
  eraseMessages,
  eraseEdits,
  erasesRowsOf('message_reactions', 'user_id'),
  erasesRowsOf('channel_reads', 'user_id'),
  erasesRowsOf('message_keys', 'user_id'),
  eraseFriendships,
  eraseBlocks,
  erasePresence,
  closeCases,
  eraseReports,
]

export const social_sections = [
  longSection('friendships', listFriendshipsOf, ({ id }) => id),
  longSection('blocked', listBlocksOf, ({ seq }) => seq, ['seq']),
  shortSection(
    'presence',
    (db, user_id) => db.sql`select last_seen, current_game, lobby from presence where user_id = ${user_id}`,
  ),
  longSection('messages', listMessagesOf, ({ id }) => id),
  longSection('reactions', listReactionsOf, (row) => row),
  tableSection('read_positions', 'channel_reads', {
    columns: 'channel_id, read_at',
    key: { column: 'channel_id', type: 'uuid' },
  }),
  longSection('reports', listReportsBy, ({ id }) => id),
  longSection('moderation_cases', listCasesAbout, ({ id }) => id),
]

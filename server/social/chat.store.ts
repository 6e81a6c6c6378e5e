import type { Static } from 'typebox'
import type { raw_message } from '../../contract/admin.ts'
import { decisions } from '../../contract/decisions.ts'
import type { message } from '../../contract/social-fields.ts'
import { allValues, firstRow, json, type Sql, type Tx } from '../platform/postgres/database.ts'
import type { RowLocks } from '../platform/batching/row-locks.ts'

/** The text that replaces one that an admin removed. */
export const { removed_text } = decisions.moderation

/** The placeholder of a removed text, by who removed it. */
export const removed_texts = json({ admin: removed_text, sender: decisions.message_changes.deleted_text })

export interface ChannelRow {
  id: string
  type: 'lobby' | 'table'
  ref_id: string | null
}

type Identity = Omit<ChannelRow, 'id'>

export const findChannel = (db: Sql, { type, ref_id }: Identity) =>
  firstRow(db.sql<ChannelRow>`
    select id, type, coalesce(shown_ref_id, ref_id) as ref_id from channels where type = ${type} and coalesce(ref_id, '') = coalesce(${ref_id}::text, '')`)

interface NewChannel extends ChannelRow {
  /** The ref_id as people read it. */
  shown: string | null
  opened_by: string
  now: Date
}

/**
 * Inserts the channel under this id, or returns the existing one with this type and ref_id; undefined if it has a name and the caller
 * is muted.
 */
export const putChannel = (db: Sql, { id, type, ref_id, shown, opened_by, now }: NewChannel) =>
  firstRow(db.sql<ChannelRow>`
    insert into channels (id, type, ref_id, shown_ref_id, inserted_at)
    select ${id}, ${type}, ${ref_id}::text, ${shown}::text, ${now}
     where ${ref_id}::text is null
        or not exists (select from chat_mutes where user_id = ${opened_by} and muted_until > ${now})
    on conflict (type, coalesce(ref_id, '')) do update set type = excluded.type
    returning id, type, coalesce(shown_ref_id, ref_id) as ref_id`)

/** Channels whose masked name is not stored yet. */
export const listUnmasked = (db: Sql, rows_max: number) =>
  db.sql<{ id: string; ref_id: string }>`
    select id, ref_id from channels where ref_id is not null and shown_ref_id is null order by id limit ${rows_max}`

export const setShownNames = (db: Sql, names: { id: string; shown: string }[]) =>
  db.sql`
    update channels c set shown_ref_id = n.shown
      from unnest(${names.map(({ id }) => id)}::uuid[], ${names.map(({ shown }) => shown)}::text[]) n(id, shown)
     where c.id = n.id`

/** Of these ids, those of existing public channels. */
export const findChannelIds = (db: Sql, channel_ids: string[]) =>
  db.sql<{ id: string }>`select id from channels where id = any(${channel_ids}::uuid[]) and type <> 'direct'`

export interface Post {
  id: string
  channel_id: string
  sender_id: string
  body: string
  filtered_body: string
  idempotency_key: string | undefined
  /** Hash of the request with the key; set if there is a key. */
  request_hash: Buffer | undefined
}

export interface PostResult {
  /** `replayed`: an earlier call with the same key posted the message. */
  outcome: 'posted' | 'replayed' | 'key_reused' | 'unknown_channel' | 'not_friends' | 'muted'
  message_id: string
  /** Null unless `posted` or `replayed`, like `sent_at`. */
  filtered_body: string
  sent_at: Date
  sender_username: string | null
  sender_display_name: string | null
  sender_picture_url: string | null
  removed: boolean
  /** The end of the sender's mute; null unless `muted`. */
  muted_until: Date | null
}

/** Posts messages in order, in one transaction of one round trip; see `post_messages` in functions.sql. */
export const postMessages = (db: Sql, now: Date, posts: Post[]) =>
  db.sql<PostResult>`
    select outcome, message_id, filtered_body, sent_at, sender_username, removed, muted_until,
           u.display_name as sender_display_name, u.picture_url as sender_picture_url
      from post_messages(
        ${now},
        ${posts.map((post) => post.id)},
        ${posts.map((post) => post.channel_id)},
        ${posts.map((post) => post.sender_id)},
        ${posts.map((post) => post.body)},
        ${posts.map((post) => post.filtered_body)},
        ${posts.map((post) => post.idempotency_key ?? null)},
        ${posts.map((post) => post.request_hash ?? null)},
        true
      ) with ordinality as posted (outcome, message_id, filtered_body, sent_at, sender_username, removed, muted_until, place)
      left join users u on u.id = (${posts.map((post) => post.sender_id)}::uuid[])[place]
     order by place`

const channel_locks = 7_205_461_339

/** The locks of channels that `post_messages` takes. */
export const channelLocks = (db: Sql): RowLocks => ({
  async findLocked(channel_ids) {
    return allValues(db.sql<{ id: string }>`
      select id from unnest(${channel_ids}::uuid[]) id
       where not pg_try_advisory_xact_lock(hashtextextended(id::text, ${channel_locks}))`)
  },
  waitFor: (channel_id) =>
    db.sql`select pg_advisory_xact_lock(hashtextextended(${channel_id}::uuid::text, ${channel_locks}))`,
})

/** A message as one reader sees it: without its unfiltered text. */
export type ReadMessageRow = Static<typeof message>

/** A message as all its readers see it. */
export type MessageRow = Omit<ReadMessageRow, 'my_reactions'>

interface MessageFilter {
  channel_id: string
  reader_id: string
  /** Whether to leave out messages of users whom the reader has blocked. */
  hides_blocked: boolean
  before: Date | null
  rows_max: number
}

/** Messages of a channel, newest first. */
export const findMessages = (db: Sql, { channel_id, reader_id, hides_blocked, before, rows_max }: MessageFilter) =>
  db.sql<ReadMessageRow>`
    select m.id, m.sender_id, m.sender_username, m.sender_display_name, m.sender_picture_url,
           coalesce(m.filtered_body, ${removed_texts}::jsonb ->> m.removed_by) as filtered_body, m.sent_at, m.removed, m.removed_by,
           m.edited_at, reactions_seen_by(${reader_id}, m.id, m.channel_id) as reactions,
           array(select name from message_reactions r
                  where r.message_id = m.id and r.user_id = ${reader_id} and not m.removed) as my_reactions
      from shown_messages m
     where m.channel_id = ${channel_id} and m.sent_at < coalesce(${before}::timestamptz, 'infinity')
       and not (${hides_blocked}::boolean
                and exists (select 1 from blocks b where b.blocker_id = ${reader_id} and b.blocked_id = m.sender_id))
     order by m.sent_at desc
     limit ${rows_max}`

export const findMessage = (
  db: Sql,
  { message_id, channel_id, reader_id }: { message_id: string; channel_id: string; reader_id: string },
) =>
  firstRow(db.sql<ReadMessageRow>`
    select m.id, m.sender_id, m.sender_username, m.sender_display_name, m.sender_picture_url,
           coalesce(m.filtered_body, ${removed_texts}::jsonb ->> m.removed_by) as filtered_body, m.sent_at, m.removed, m.removed_by,
           m.edited_at, reactions_seen_by(${reader_id}, m.id, m.channel_id) as reactions,
           array(select name from message_reactions r
                  where r.message_id = m.id and r.user_id = ${reader_id} and not m.removed) as my_reactions
      from shown_messages m
     where m.id = ${message_id} and m.channel_id = ${channel_id}`)

/**
 * A message with its unfiltered text, for moderation only; includes removed messages until their text is purged, and direct ones only if
 * they were reported.
 */
export const findRawMessage = (tx: Tx, message_id: string) =>
  firstRow(tx.sql<Static<typeof raw_message>>`
    select m.id, m.channel_id, m.sender_id, u.username as sender_username, coalesce(e.body, m.body) as body,
           coalesce(e.filtered_body, m.filtered_body) as filtered_body, m.sent_at, r.removed_at
      from messages m
      join channels c on c.id = m.channel_id
      left join users u on u.id = m.sender_id
      left join message_edits e on e.message_id = m.id
      left join removed_messages r on r.message_id = m.id
     where m.id = ${message_id}
       and (c.type <> 'direct' or exists (select from moderation_cases k where k.message_id = m.id))`)

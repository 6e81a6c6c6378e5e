import type { ReactionName } from '../../contract/kinds/reactions.ts'
import { firstValue, hasRows, type Sql, type Tx } from '../platform/postgres/database.ts'
import type { ChannelRow } from './chat.store.ts'
import type { Pair } from './rules.ts'

/** The channel of two people, who may no longer be friends. */
export const findDirect = (db: Sql, { low_id, high_id }: Pair) =>
  firstValue(db.sql<{ id: string }>`
    select id from channels where low_id = ${low_id} and high_id = ${high_id}`)

/** Finds or creates the channel of two friends; undefined if they are not friends. */
export const putDirect = (db: Sql, { id, low_id, high_id, now }: Pair & { id: string; now: Date }) =>
  firstValue(db.sql<{ id: string }>`
    insert into channels (id, type, ref_id, shown_ref_id, low_id, high_id, inserted_at)
    select ${id}, 'direct', f.low_id || ' ' || f.high_id, '', f.low_id, f.high_id, ${now}
      from friendships f
     where f.low_id = ${low_id} and f.high_id = ${high_id} and f.status = 'accepted'
    on conflict (type, coalesce(ref_id, '')) do update set type = excluded.type
    returning id`)

/** A message in its channel, and the person who acts on it. */
export interface Acted {
  message_id: string
  channel_id: string
  user_id: string
}

interface Edit extends Acted {
  body: string
  filtered_body: string
  /** Only a message sent after this time may be edited. */
  sent_after: Date
  now: Date
}

/** Edits the person's own message; false if it may not be edited. */
export async function putEdit(tx: Tx, edit: Edit) {
  const { message_id, channel_id, user_id, body, filtered_body, sent_after, now } = edit
  return hasRows(tx.sql`
    insert into message_edits (message_id, body, filtered_body, edited_at)
    select m.id, ${body}, ${filtered_body}, ${now}
      from messages m join open_channels c on c.id = m.channel_id
     where m.id = ${message_id} and m.channel_id = ${channel_id} and m.sender_id = ${user_id} and m.sent_at > ${sent_after}
       and not exists (select from removed_messages r where r.message_id = m.id)
       and not exists (select from chat_mutes x where x.user_id = m.sender_id and x.muted_until > ${now})
    on conflict (message_id) do update
       set body = excluded.body, filtered_body = excluded.filtered_body, edited_at = excluded.edited_at
    returning message_id`)
}

/** Removes the text of the person's own message; false if it was already removed, or is not theirs. */
export const deleteText = (tx: Tx, { message_id, channel_id, user_id, now }: Acted & { now: Date }) =>
  hasRows(tx.sql`
    insert into removed_messages (message_id, removed_at, by_sender)
    select id, ${now}, true from messages
     where id = ${message_id} and channel_id = ${channel_id} and sender_id = ${user_id}
    on conflict (message_id) do nothing
    returning message_id`)

/** Adds a reaction; false if it exists, or the person may not react. */
export const putReaction = (
  tx: Tx,
  { message_id, channel_id, user_id, name, now }: Acted & { name: ReactionName; now: Date },
) =>
  hasRows(tx.sql`
    insert into message_reactions (message_id, user_id, name, inserted_at)
    select m.id, ${user_id}, ${name}, ${now}
      from messages m join open_channels c on c.id = m.channel_id
     where m.id = ${message_id} and m.channel_id = ${channel_id}
       and not exists (select from removed_messages r where r.message_id = m.id)
    on conflict do nothing
    returning message_id`)

/** Removes a reaction; false if there is none. */
export const deleteReaction = (tx: Tx, { message_id, channel_id, user_id, name }: Acted & { name: ReactionName }) =>
  hasRows(tx.sql`
    delete from message_reactions r using messages m
     where r.message_id = ${message_id} and r.user_id = ${user_id} and r.name = ${name}
       and m.id = r.message_id and m.channel_id = ${channel_id}
    returning r.message_id`)

/** Moves the person's read position forward to a message; false if the channel has no such message. */
export const moveRead = (db: Sql, { message_id, channel_id, user_id }: Acted) =>
  hasRows(db.sql`
    insert into channel_reads as r (user_id, channel_id, read_at)
    select ${user_id}, channel_id, sent_at from messages where id = ${message_id} and channel_id = ${channel_id}
    on conflict (user_id, channel_id) do update set read_at = greatest(r.read_at, excluded.read_at)
    returning read_at`)

export interface UnreadRow extends Omit<ChannelRow, 'id' | 'type'> {
  channel_id: string
  type: ChannelRow['type'] | 'direct'
  /** The other person of a direct conversation; null for a channel. */
  user_id: string | null
  username: string | null
  unread: number
  last_sent_at: Date | null
}

/**
 * The person's conversations and the channels with their latest read positions, newest message first, each with the
 * number of other people's messages after that position. Messages of blocked people count only in direct conversations.
 */
export const findUnread = (
  db: Sql,
  { user_id, counted_max, rows_max }: { user_id: string; counted_max: number; rows_max: number },
) =>
  db.sql<UnreadRow>`
    with own as (
      select id from channels where low_id = ${user_id}
      union all
      select id from channels where high_id = ${user_id}
      union
      (select channel_id from channel_reads where user_id = ${user_id} order by read_at desc limit ${rows_max})
    ), places as (
      select c.id, c.type, coalesce(c.shown_ref_id, c.ref_id) as ref_id, newest.sent_at as last_sent_at,
             case when c.low_id = ${user_id} then c.high_id else c.low_id end as other_id,
             coalesce(r.read_at, '-infinity') as read_at
        from own
        join channels c on c.id = own.id
        left join channel_reads r on r.user_id = ${user_id} and r.channel_id = c.id
        left join lateral (
          select sent_at from messages m where m.channel_id = c.id order by m.sent_at desc limit 1
        ) newest on true
       order by newest.sent_at desc nulls last
       limit ${rows_max}
    )
    select p.id as channel_id, p.type, p.ref_id, p.other_id as user_id, u.username, p.last_sent_at, counted.unread
      from places p
      left join users u on u.id = p.other_id
     cross join lateral (
       select count(*) as unread
         from (select from messages m
                where m.channel_id = p.id and m.sent_at > p.read_at and m.sender_id <> ${user_id}
                  and not exists (select from removed_messages r where r.message_id = m.id)
                  and (p.type = 'direct'
                       or not exists (select from blocks b where b.blocker_id = ${user_id} and b.blocked_id = m.sender_id))
                limit ${counted_max}) counted_message
     ) counted
     order by p.last_sent_at desc nulls last`

import { decisions } from '../../contract/decisions.ts'
import type { ReactionName } from '../../contract/kinds/reactions.ts'
import { readNoticeOfChat } from '../notices/service.ts'
import { secondsAfter } from '../platform/clock.ts'
import { Failure, orFail } from '../platform/failure.ts'
import { newId } from '../platform/ids.ts'
import type { Tx } from '../platform/postgres/database.ts'
import {
  readPage,
  refuseMuted,
  refuseUnknownChannels,
  sendMessage,
  type ChatDeps,
  type MessageQuery,
  type NewMessage,
} from './chat.service.ts'
import { findMessage, type ReadMessageRow } from './chat.store.ts'
import {
  deleteReaction,
  deleteText,
  findDirect,
  findUnread,
  moveRead,
  putDirect,
  putEdit,
  putReaction,
  type Acted,
} from './conversations.store.ts'
import { insertMessageEvent } from './events/store.ts'
import { findFriendship } from './friends.store.ts'
import { pairOf } from './rules.ts'

type Deps = Pick<ChatDeps, 'db' | 'clock' | 'filter'>

/** A public channel, or the conversation with another person. */
export type Place = { channel_id: string } | { user_id: string }

/** Fails with `not_found`. */
async function channelOf({ db }: Pick<Deps, 'db'>, reader_id: string, place: Place) {
  if ('channel_id' in place) {
    await refuseUnknownChannels({ db }, [place.channel_id])
    return place.channel_id
  }
  const channel_id = await findDirect(db, pairOf(reader_id, place.user_id))
  if (channel_id === undefined) throw new Failure('not_found', { ...place })
  return channel_id
}

/**
 * The messages of two people (D-161), newest first. Fails with `not_friends` if they are not friends and have no
 * messages.
 */
export async function listDirectMessages(
  { db }: Pick<Deps, 'db'>,
  reader_id: string,
  other_id: string,
  query: MessageQuery,
) {
  const pair = pairOf(reader_id, other_id)
  const channel_id = await findDirect(db, pair)
  if (channel_id !== undefined) return readPage({ db }, { channel_id, reader_id, hides_blocked: false }, query)
  if ((await findFriendship(db, pair))?.status === 'accepted') return []
  throw new Failure('not_friends', { other_id })
}

/** Writes to a friend (D-161). Fails with `not_friends` or as `sendMessage` does. */
export async function sendDirectMessage(
  deps: ChatDeps,
  sender_id: string,
  { user_id, ...sent }: Omit<NewMessage, 'channel_id'> & { user_id: string },
) {
  const pair = pairOf(sender_id, user_id)
  const now = deps.clock()
  const channel_id = (await findDirect(deps.db, pair)) ?? (await putDirect(deps.db, { ...pair, id: newId(), now }))
  if (channel_id === undefined) throw new Failure('not_friends', { user_id })
  return sendMessage(deps, sender_id, { channel_id, ...sent })
}

/**
 * Changes a message and publishes it if `write` changed something; returns the message as the person now sees it. Fails
 * with `not_found`.
 */
async function change(tx: Tx, about: Acted, kind: 'changed' | 'removed', now: Date, write: () => Promise<boolean>) {
  const changed = await write()
  const message = await orFail(findMessage(tx, { ...about, reader_id: about.user_id }), 'not_found', { ...about })
  if (changed) await insertMessageEvent(tx, { ...about, sender_id: message.sender_id }, kind, now)
  return { message, changed }
}

/**
 * Replaces the text of the person's own message (D-162), with bad words masked. Fails with `not_found`, `forbidden`,
 * `message_removed`, `edit_window_over`, `muted` and `not_friends`.
 */
export async function editMessage(
  deps: Deps,
  user_id: string,
  place: Place,
  { id: message_id, body }: { id: string; body: string },
) {
  const now = deps.clock()
  const about = { message_id, user_id, channel_id: await channelOf(deps, user_id, place) }
  const sent_after = secondsAfter(now, -decisions.message_changes.edit_seconds)
  return deps.db.transaction(async (tx) => {
    const edit = { ...about, body, filtered_body: deps.filter(body), sent_after, now }
    const { message, changed } = await change(tx, about, 'changed', now, () => putEdit(tx, edit))
    if (!changed) await refuseEdit(tx, { user_id, message, sent_after, now })
    return message
  })
}

interface RefusedEdit {
  user_id: string
  message: ReadMessageRow
  sent_after: Date
  now: Date
}

/** Fails with the reason why the message was not edited. */
async function refuseEdit(tx: Tx, { user_id, message, sent_after, now }: RefusedEdit): Promise<never> {
  const message_id = message.id
  if (message.sender_id !== user_id) throw new Failure('forbidden', { message_id })
  if (message.removed) throw new Failure('message_removed', { message_id })
  if (message.sent_at <= sent_after) throw new Failure('edit_window_over', { message_id })
  await refuseMuted(tx, user_id, now)
  throw new Failure('not_friends', { message_id })
}

/**
 * Removes the text of the person's own message, which keeps its place (D-162); repeatable. Fails with `not_found` and
 * `forbidden`.
 */
export async function deleteMessage(deps: Deps, user_id: string, place: Place, { id: message_id }: { id: string }) {
  const now = deps.clock()
  const about = { message_id, user_id, channel_id: await channelOf(deps, user_id, place) }
  return deps.db.transaction(async (tx) => {
    const { message } = await change(tx, about, 'removed', now, () => deleteText(tx, { ...about, now }))
    if (message.sender_id !== user_id) throw new Failure('forbidden', { message_id })
    return message
  })
}

interface Reaction {
  id: string
  name: ReactionName
}

/** Adds the person's reaction (D-162); repeatable. Fails with `not_found`, `message_removed` and `not_friends`. */
export async function addReaction(deps: Deps, user_id: string, place: Place, { id: message_id, name }: Reaction) {
  const now = deps.clock()
  const about = { message_id, user_id, channel_id: await channelOf(deps, user_id, place) }
  return deps.db.transaction(async (tx) => {
    const { message } = await change(tx, about, 'changed', now, () => putReaction(tx, { ...about, name, now }))
    if (message.removed) throw new Failure('message_removed', { message_id })
    if (!message.my_reactions.includes(name)) throw new Failure('not_friends', { message_id })
    return message
  })
}

/** Removes the person's reaction; repeatable. Fails with `not_found`. */
export async function removeReaction(deps: Deps, user_id: string, place: Place, { id: message_id, name }: Reaction) {
  const about = { message_id, user_id, channel_id: await channelOf(deps, user_id, place) }
  return deps.db.transaction(async (tx) => {
    const remove = () => deleteReaction(tx, { ...about, name })
    return (await change(tx, about, 'changed', deps.clock(), remove)).message
  })
}

/**
 * Marks the messages up to this one, and their notice, as read by the person (D-162); never moves back. Fails with
 * `not_found`.
 */
export async function markRead(deps: Pick<Deps, 'db' | 'clock'>, user_id: string, place: Place, message_id: string) {
  const channel_id = await channelOf(deps, user_id, place)
  if (!(await moveRead(deps.db, { user_id, channel_id, message_id }))) throw new Failure('not_found', { message_id })
  await readNoticeOfChat(deps.db, { user_id, channel_id, now: deps.clock() })
}

/** The person's newest conversations and channels with a read position, with their unread messages (D-162). */
export async function listUnread({ db }: Pick<Deps, 'db'>, user_id: string) {
  const places = await findUnread(db, {
    user_id,
    counted_max: decisions.message_changes.unread_max,
    rows_max: decisions.message_changes.places_max,
  })
  const direct = places.flatMap(({ user_id: other_id, username, unread, last_sent_at }) =>
    other_id === null ? [] : [{ user_id: other_id, username, unread, last_sent_at }],
  )
  const channels = places.flatMap(({ channel_id, type, ref_id, unread }) =>
    type === 'direct' ? [] : [{ channel_id, type, ref_id, unread }],
  )
  return { unread: direct.reduce((sum, { unread }) => sum + unread, 0), direct, channels }
}

import type { FriendshipStatus } from '../../../contract/states.ts'
import { unreadOf } from '../../notices/service.ts'
import type { Logger } from '../../platform/log.ts'
import { isDatabaseUnavailable, sqlState, type Database, type Sql } from '../../platform/postgres/database.ts'
import type { MessageRow } from '../chat.store.ts'
import { maskedPlace } from '../rules.ts'
import { nameFilter, type TextFilter } from '../text-filter.rules.ts'
import { idOf, type Cursor } from './cursor.rules.ts'
import { frameOf } from './frames.ts'
import {
  findBlocksBetween,
  findFriendsBetween,
  findReactionsSeen,
  findSuspended,
  findMessagesById,
  findUsernames,
  type EventRow,
  type Relation,
} from './store.ts'

/** A user who receives events: their own, those of friends, and those of these channels. */
export interface Subscriber {
  user_id: string
  channel_ids: readonly string[]
  /** Whether the stream includes unread notices. */
  notices: boolean
}

/** An event in the format of the stream. */
export interface Delivery extends Cursor {
  frame: string
}

/** The payload of a changed friendship, without the actor. */
export interface FriendshipPayload {
  friendship_id: string
  status: FriendshipStatus
  requester_id: string
}

/** Returns each subscriber's deliveries, in the order of the events. Fails for all if the database fails. */
export type FanOut = (events: readonly EventRow[], subscribers: readonly Subscriber[]) => Promise<Delivery[][]>

/** The payload of a presence event, with the names as sent. */
type PresencePayload = { status: string; last_seen: string; current_game: string | null; lobby: string | null }

/** Opens the fan-out. An event that cannot be delivered is skipped and logged; all others are delivered. */
export function openFanOut({ db, log, filter }: { db: Database; log: Logger; filter: TextFilter }): FanOut {
  const deps = { db, shown: nameFilter(filter) }
  let skipped = 0
  const skip = (event: EventRow, error: unknown) => {
    const { kind, actor_id } = event
    const about = { event: idOf(event), kind, actor_id, skipped: ++skipped, err: error }
    log.error(about, 'an event cannot be delivered and is skipped')
  }
  return (events, subscribers) => fanOut(deps, events, subscribers, skip)
}

interface Deps {
  db: Sql
  /** Masks bad words in the names of games and lobbies. */
  shown: TextFilter
}

type Skip = (event: EventRow, error: unknown) => void

/** Finds an undeliverable event by halving the list until it is alone. */
async function fanOut(
  deps: Deps,
  events: readonly EventRow[],
  subscribers: readonly Subscriber[],
  skip: Skip,
): Promise<Delivery[][]> {
  try {
    return await fanOutAll(deps, events, subscribers)
  } catch (error) {
    const [first] = events
    if (!isErrorOfEvent(error) || first === undefined) throw error
    if (events.length === 1) {
      skip(first, error)
      return subscribers.map(() => [])
    }
    const half = Math.ceil(events.length / 2)
    const before = await fanOut(deps, events.slice(0, half), subscribers, skip)
    const after = await fanOut(deps, events.slice(half), subscribers, skip)
    return before.map((deliveries, at) => [...deliveries, ...(after[at] ?? [])])
  }
}

/** A fault in the payload of an event, or a value that the database rejects. */
const isErrorOfEvent = (error: unknown) => !isDatabaseUnavailable(error) && (sqlState(error)?.startsWith('22') ?? true)

/**
 * Reads the current messages, blocks, friends and suspensions together: no user gets a message of a user whom they have
 * blocked, their reactions, or the presence of a user who is not a friend.
 */
async function fanOutAll({ db, shown }: Deps, events: readonly EventRow[], subscribers: readonly Subscriber[]) {
  const deliveries = subscribers.map((): Delivery[] => [])
  const recipientsOf = indexSubscribers(events, subscribers)
  const wanted = events.filter((event) => event.kind === 'presence' || recipientsOf(event).length > 0)
  if (wanted.length === 0 || subscribers.length === 0) return deliveries
  const facts = await readFacts(db, wanted, subscribers)
  for (const event of wanted) {
    const recipients = recipientsOf(event, facts.friends.get(event.actor_id))
    const data = recipients.length > 0 ? dataOf(event, facts, shown) : undefined
    if (!data) continue
    const frame = frameOf(event, nameOf(event), data)
    for (const at of recipients) {
      const user_id = subscribers[at]?.user_id
      if (!mayReceive(event, user_id, facts)) continue
      const reactions = reactionsFor(event, user_id, facts)
      const own_frame = reactions ? frameOf(event, nameOf(event), { ...data, reactions }) : frame
      deliveries[at]?.push({ xid: event.xid, seq: event.seq, frame: own_frame })
    }
  }
  return deliveries
}

/**
 * Returns a function that lists, for an event, the positions of the subscribers whom it may concern; for a presence
 * event those among the given friends.
 */
function indexSubscribers(events: readonly EventRow[], subscribers: readonly Subscriber[]) {
  const by_channel = new Map<string, number[]>()
  for (const { channel_id } of events) if (channel_id !== null) by_channel.set(channel_id, [])
  const by_user = new Map<string, number[]>()
  const noticed_by_user = new Map<string, number[]>()
  for (const [at, { user_id, channel_ids, notices }] of subscribers.entries()) {
    addTo(by_user, user_id, at)
    if (notices) addTo(noticed_by_user, user_id, at)
    for (const channel_id of channel_ids) by_channel.get(channel_id)?.push(at)
  }
  return ({ kind, channel_id, user_id }: EventRow, friend_ids: readonly string[] = []): readonly number[] => {
    if (kind === 'presence') return friend_ids.flatMap((friend_id) => by_user.get(friend_id) ?? [])
    if (kind === 'notice') return noticed_by_user.get(user_id ?? '') ?? []
    return (channel_id === null ? by_user.get(user_id ?? '') : by_channel.get(channel_id)) ?? []
  }
}

function addTo<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item) {
  const known = lists.get(key)
  if (known) known.push(item)
  else lists.set(key, [item])
}

type Facts = Awaited<ReturnType<typeof readFacts>>

async function readFacts(db: Sql, events: readonly EventRow[], subscribers: readonly Subscriber[]) {
  const actorsOf = (kind: EventRow['kind']) => [
    ...new Set(events.filter((event) => event.kind === kind).map(({ actor_id }) => actor_id)),
  ]
  const [senders, changers, present] = [actorsOf('message'), actorsOf('friendship'), actorsOf('presence')]
  const noticed = actorsOf('notice')
  const user_ids = [...new Set(subscribers.map(({ user_id }) => user_id))]
  const message_ids = events.filter(({ kind }) => kind === 'message').map(messageId)
  const [messages, blocks, friends, suspended, usernames, unread] = await Promise.all([
    message_ids.length > 0 ? findMessagesById(db, message_ids) : [],
    senders.length > 0 ? findBlocksBetween(db, user_ids, senders) : [],
    present.length > 0 ? findFriendsBetween(db, user_ids, present) : [],
    present.length > 0 ? findSuspended(db, present) : [],
    changers.length > 0 ? findUsernames(db, changers) : [],
    noticed.length > 0 ? unreadOf(db, noticed) : [],
  ])
  const with_reactions = messages.flatMap(({ id, reactions }) => (reactions.length > 0 ? [id] : []))
  const seen = with_reactions.length > 0 ? await findReactionsSeen(db, with_reactions, user_ids) : []
  return {
    messages: new Map(messages.map((message) => [message.id, message])),
    reactions: new Map(seen.map((one) => [relationKey(one), one.reactions])),
    blocks: new Set(blocks.map(relationKey)),
    /** Subscribed users who are friends of each actor of a presence event. */
    friends: usersByOther(friends),
    suspended: new Set(suspended.map(({ id }) => id)),
    usernames: new Map(usernames.map(({ id, username }) => [id, username])),
    unread: new Map(unread.map((count) => [count.user_id, count.unread])),
  }
}

function usersByOther(relations: readonly Relation[]) {
  const users = new Map<string, string[]>()
  for (const { user_id, other_id } of relations) addTo(users, other_id, user_id)
  return users
}

/** The presence shown for a suspended user. */
const offline = { status: 'offline', current_game: null, lobby: null }

/** The name under which an event is sent. */
function nameOf({ kind, channel_id, payload }: EventRow) {
  if (kind === 'notice') return 'notices'
  if (kind !== 'message') return kind
  const is_changed = payload.changed === true || payload.removed === true
  if (channel_id === null) return is_changed ? 'direct_message_changed' : 'direct_message'
  return payload.removed === true ? 'message_removed' : is_changed ? 'message_changed' : kind
}

const messageId = ({ payload }: EventRow) => (payload as { message_id: string }).message_id
const relationKey = ({ user_id, other_id }: Relation) => `${user_id} ${other_id}`

const mayReceive = ({ kind, actor_id: other_id }: EventRow, user_id: string | undefined, { blocks }: Facts) =>
  user_id !== undefined && (kind !== 'message' || !blocks.has(relationKey({ user_id, other_id })))

/** The reactions to a message for a reader who does not see all of them. */
const reactionsFor = (event: EventRow, user_id: string | undefined, { reactions }: Facts) =>
  user_id !== undefined && event.kind === 'message'
    ? reactions.get(relationKey({ user_id, other_id: messageId(event) }))
    : undefined

/** A direct message names the other person instead of its channel, whose id no client gets. */
function messageData({ channel_id, payload }: EventRow, message: (MessageRow & { channel_id: string }) | undefined) {
  if (!message || channel_id !== null) return message
  const { channel_id: _, ...shown } = message
  return { user_id: payload.with_id, ...shown }
}

/** The data of an event; undefined if its subject no longer exists. */
function dataOf(
  event: EventRow,
  { messages, usernames, suspended, unread }: Facts,
  shown: TextFilter,
): object | undefined {
  const { kind, actor_id: user_id, payload } = event
  if (kind === 'message') return messageData(event, messages.get(messageId(event)))
  if (kind === 'notice') return { unread: unread.get(user_id) ?? 0 }
  if (kind === 'presence')
    return suspended.has(user_id)
      ? { user_id, ...payload, ...offline }
      : { user_id, ...maskedPlace(payload as unknown as PresencePayload, shown) }
  const { friendship_id, status, requester_id } = payload as unknown as FriendshipPayload
  const username = usernames.get(user_id)
  return username === undefined ? undefined : { friendship_id, status, requester_id, user_id, username }
}

import type { FriendshipStatus } from '../../../contract/states.ts'
import { isDatabaseUnavailable, sqlState, type Sql } from '../../platform/postgres/database.ts'
import {
  findBlocksBetween,
  findFriendsBetween,
  findSuspended,
  findMessagesById,
  findUsernames,
  type EventRow,
  type Cursor,
  type Relation,
} from './store.ts'

/** Who listens, and to which channels. */
export interface Subscriber {
  user_id: string
  channel_ids: readonly string[]
}

/** An event as it is sent. */
export interface Delivery extends Cursor {
  frame: string
}

/** What a change among friends says beside who made it. */
export interface FriendshipPayload {
  friendship_id: string
  status: FriendshipStatus
  requester_id: string
}

export const idOf = ({ xid, seq }: Cursor) => `${xid}-${seq}`

/** An event in the form of the stream; its data is one line of JSON. */
export const frameOf = (place: Cursor, name: string, data: object) =>
  `id: ${idOf(place)}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/**
 * Tells each of the audiences which of the events it gets, in their order. What the events are about is read here, all
 * at once, as it is now: nobody gets the message of somebody they have blocked (D-71), or news of who is no friend.
 */
async function fanOutAll(db: Sql, events: readonly EventRow[], audiences: readonly Subscriber[]) {
  const told = audiences.map((): Delivery[] => [])
  const listeners = listenersOf(events, audiences)
  const wanted = events.filter((event) => event.kind === 'presence' || listeners(event).length > 0)
  if (wanted.length === 0 || audiences.length === 0) return told
  const facts = await readFacts(db, wanted, audiences)
  for (const event of wanted) {
    const listening = event.kind === 'presence' ? listeners(event, facts.friends.get(event.actor_id)) : listeners(event)
    const data = listening.length > 0 ? dataOf(event, facts) : undefined
    if (!data) continue
    const frame = frameOf(event, event.kind, data)
    for (const at of listening)
      if (mayHear(event, audiences[at]?.user_id, facts)) told[at]?.push({ xid: event.xid, seq: event.seq, frame })
  }
  return told
}

/**
 * The same, where one event that cannot be told keeps none of the others back: such a one is left out, and `left_out` is
 * told of it. Fails where the database does, for all.
 */
export async function fanOut(
  db: Sql,
  events: readonly EventRow[],
  audiences: readonly Subscriber[],
  left_out: (event: EventRow, error: unknown) => void,
): Promise<Delivery[][]> {
  try {
    return await fanOutAll(db, events, audiences)
  } catch (error) {
    const [first] = events
    if (!isFaultOfEvent(error) || first === undefined) throw error
    if (events.length === 1) {
      left_out(first, error)
      return audiences.map(() => [])
    }
    const half = Math.ceil(events.length / 2)
    const before = await fanOut(db, events.slice(0, half), audiences, left_out)
    const after = await fanOut(db, events.slice(half), audiences, left_out)
    return before.map((told, at) => [...told, ...(after[at] ?? [])])
  }
}

/** Our own mistake about what an event holds, or a value of it that the database does not take. */
const isFaultOfEvent = (error: unknown) => !isDatabaseUnavailable(error) && (sqlState(error)?.startsWith('22') ?? true)

/** Finds, by their place in the list, the audiences that an event may concern; of presence, those of these friends. */
function listenersOf(events: readonly EventRow[], audiences: readonly Subscriber[]) {
  const channels = new Map<string, number[]>()
  for (const { channel_id } of events) if (channel_id !== null) channels.set(channel_id, [])
  const users = new Map<string, number[]>()
  for (const [at, { user_id, channel_ids }] of audiences.entries()) {
    const own = users.get(user_id)
    if (own) own.push(at)
    else users.set(user_id, [at])
    for (const channel_id of channel_ids) channels.get(channel_id)?.push(at)
  }
  return ({ kind, channel_id, user_id }: EventRow, friend_ids: readonly string[] = []): readonly number[] => {
    if (kind === 'presence') return friend_ids.flatMap((friend_id) => users.get(friend_id) ?? [])
    return (kind === 'message' ? channels.get(channel_id ?? '') : users.get(user_id ?? '')) ?? []
  }
}

type Facts = Awaited<ReturnType<typeof readFacts>>

async function readFacts(db: Sql, events: readonly EventRow[], audiences: readonly Subscriber[]) {
  const actorsOf = (kind: EventRow['kind']) => [
    ...new Set(events.filter((event) => event.kind === kind).map(({ actor_id }) => actor_id)),
  ]
  const [senders, changers, present] = [actorsOf('message'), actorsOf('friendship'), actorsOf('presence')]
  const readers = [...new Set(audiences.map(({ user_id }) => user_id))]
  const message_ids = events.filter(({ kind }) => kind === 'message').map(messageId)
  const [messages, blocks, friends, suspended, usernames] = await Promise.all([
    message_ids.length > 0 ? findMessagesById(db, message_ids) : [],
    senders.length > 0 ? findBlocksBetween(db, readers, senders) : [],
    present.length > 0 ? findFriendsBetween(db, readers, present) : [],
    present.length > 0 ? findSuspended(db, present) : [],
    changers.length > 0 ? findUsernames(db, changers) : [],
  ])
  return {
    messages: new Map(messages.map((message) => [message.id, message])),
    blocks: new Set(blocks.map(relationKey)),
    /** Of each who is present, those who hear of it. */
    friends: readersOf(friends),
    suspended: new Set(suspended.map(({ id }) => id)),
    usernames: new Map(usernames.map(({ id, username }) => [id, username])),
  }
}

function readersOf(friends: readonly Relation[]) {
  const readers = new Map<string, string[]>()
  for (const { user_id, other_id } of friends) {
    const known = readers.get(other_id)
    if (known) known.push(user_id)
    else readers.set(other_id, [user_id])
  }
  return readers
}

/** Of somebody who is suspended nobody hears more than this. */
const absent = { status: 'offline', current_game: null, lobby: null }

const messageId = ({ payload }: EventRow) => (payload as { message_id: string }).message_id
const relationKey = ({ user_id, other_id }: Relation) => `${user_id} ${other_id}`

const mayHear = ({ kind, actor_id: other_id }: EventRow, user_id: string | undefined, { blocks }: Facts) =>
  user_id !== undefined && (kind !== 'message' || !blocks.has(relationKey({ user_id, other_id })))

/** What an event says; undefined when what it is about is gone. */
function dataOf(event: EventRow, { messages, usernames, suspended }: Facts): object | undefined {
  const { kind, actor_id: user_id, payload } = event
  if (kind === 'message') return messages.get(messageId(event))
  if (kind === 'presence') return { user_id, ...payload, ...(suspended.has(user_id) && absent) }
  const { friendship_id, status, requester_id } = payload as unknown as FriendshipPayload
  const username = usernames.get(user_id)
  return username === undefined ? undefined : { friendship_id, status, requester_id, user_id, username }
}

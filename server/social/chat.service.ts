import type { Clock } from '../platform/clock.ts'
import type { Database, Sql, Tx } from '../platform/postgres/database.ts'
import { Failure, invalidField, orFail } from '../platform/failure.ts'
import { createBatcher, type Batcher } from '../platform/batching/batcher.ts'
import { newId } from '../platform/ids.ts'
import { inBatches } from '../platform/in-batches.ts'
import { sha256 } from '../platform/secrets.ts'
import { decisions } from '../../contract/decisions.ts'
import {
  listUnmasked,
  setShownNames,
  channelLocks,
  findChannel,
  findChannelIds,
  findMessage,
  findMessages,
  findRawMessage,
  postMessages,
  putChannel,
  type ChannelRow,
  type Post,
  type PostResult,
  type ReadMessageRow,
} from './chat.store.ts'
import { findMute } from './mutes.store.ts'
import { nameFilter, type TextFilter } from './text-filter.rules.ts'

export interface ChatDeps {
  db: Database
  clock: Clock
  filter: TextFilter
  posts: Posts
}

/** Takes single messages and posts them in batches. */
export type Posts = Batcher<Post, PostResult>

/** Opens the chat; `posts.drain()` it before the database is closed. */
export function openChat({ db, clock, filter }: Omit<ChatDeps, 'posts'>): ChatDeps {
  const connection = db.pipelinedConnection()
  const posts: Posts = createBatcher({
    name: 'chat_posts',
    run: (batch) => postMessages(connection, clock(), batch),
    batch_max: 256,
    queue_max: 8_192,
    send_ahead_at: 16,
    locks: { keysOf: ({ channel_id }) => [channel_id], ...channelLocks(db.locks) },
  })
  return { db, clock, filter, posts }
}

/**
 * Finds or creates the channel of this type and ref_id (D-72); concurrent calls get the same one. Bad words in its name
 * are masked for readers (D-124). Fails with `validation_failed` for a table without a ref_id, and with `muted` if a
 * muted person would create one with a name.
 */
export async function openChannel(
  { db, clock, filter }: Pick<ChatDeps, 'db' | 'clock' | 'filter'>,
  user_id: string,
  { type, ref_id = null }: { type: ChannelRow['type']; ref_id?: string | null },
) {
  if (type === 'table' && ref_id === null) throw invalidField('ref_id', 'needed_by_table')
  const found = await findChannel(db, { type, ref_id })
  if (found) return { channel: found, created: false }
  const [id, now] = [newId(), clock()]
  const shown = ref_id === null ? null : nameFilter(filter)(ref_id)
  const channel = await putChannel(db, { id, type, ref_id, shown, opened_by: user_id, now })
  if (!channel) {
    const muted_until = (await findMute(db, { user_id, now }))?.muted_until ?? now
    throw new Failure('muted', { user_id }, { body: { muted_until } })
  }
  return { channel, created: channel.id === id }
}

/** Masks the names of channels opened by version 0.2 (D-124), in batches. */
export const maskChannelNames = ({ db, filter }: Pick<ChatDeps, 'db' | 'filter'>, { rows_max }: { rows_max: number }) =>
  inBatches(rows_max, async () => {
    const shown = nameFilter(filter)
    const found = await listUnmasked(db, rows_max)
    await setShownNames(
      db,
      found.map(({ id, ref_id }) => ({ id, shown: shown(ref_id) })),
    )
    return found.length
  })

/** Fails with `muted` while the person is muted, for texts that others read (D-124). */
export async function refuseMuted(db: Sql, user_id: string, now: Date) {
  const mute = await findMute(db, { user_id, now })
  if (mute) throw new Failure('muted', { user_id }, { body: { muted_until: mute.muted_until } })
}

/** Fails with `not_found` unless all these channels exist. */
export async function refuseUnknownChannels({ db }: Pick<ChatDeps, 'db'>, channel_ids: string[]) {
  if (channel_ids.length === 0) return
  const found = await findChannelIds(db, channel_ids)
  if (found.length < new Set(channel_ids).size) throw new Failure('not_found', { channel_ids })
}

export interface NewMessage {
  channel_id: string
  body: string
  idempotency_key?: string | undefined
}

/**
 * Posts a message to a channel (D-73), with bad words masked for all readers (D-74). Calls with one idempotency key of the
 * sender post it once (D-92); `replayed` says that an earlier call did. Fails with `not_found`, `not_friends`, `idempotency_key_reused`,
 * `muted` with the time (D-109), and with `validation_failed` for a text without a visible character.
 */
export async function sendMessage(
  { db, filter, posts }: Pick<ChatDeps, 'db' | 'filter' | 'posts'>,
  sender_id: string,
  { channel_id, body, idempotency_key }: NewMessage,
) {
  const {
    outcome,
    message_id,
    filtered_body,
    muted_until,
    removed: _removed,
    ...sent
  } = await posts({
    id: newId(),
    channel_id,
    sender_id,
    body,
    filtered_body: filter(body),
    idempotency_key,
    request_hash: idempotency_key === undefined ? undefined : sha256(JSON.stringify([channel_id, body])),
  })
  if (outcome === 'unknown_channel') throw new Failure('not_found', { channel_id })
  if (outcome === 'not_friends') throw new Failure('not_friends', { channel_id })
  if (outcome === 'key_reused') throw new Failure('idempotency_key_reused')
  if (outcome === 'muted') throw new Failure('muted', { sender_id }, { body: { muted_until } })
  if (outcome === 'replayed') {
    const message = await findMessage(db, { message_id, channel_id, reader_id: sender_id })
    return { message: message!, replayed: true }
  }
  const written = { id: message_id, sender_id, filtered_body, ...sent }
  return { message: { ...written, ...unchanged() }, replayed: false }
}

/** The fields of a new message that later changes set. */
const unchanged = (): Pick<ReadMessageRow, 'removed' | 'removed_by' | 'edited_at' | 'reactions' | 'my_reactions'> => ({
  removed: false,
  removed_by: null,
  edited_at: null,
  reactions: [],
  my_reactions: [],
})

export interface MessageQuery {
  limit?: number
  before?: string
}

/** Messages of a channel, newest first, without those of users whom the reader has blocked (D-71). Fails with `not_found`. */
export async function listMessages(
  deps: Pick<ChatDeps, 'db'>,
  reader_id: string,
  channel_id: string,
  query: MessageQuery,
) {
  const [messages] = await Promise.all([
    readPage(deps, { channel_id, reader_id, hides_blocked: true }, query),
    refuseUnknownChannels(deps, [channel_id]),
  ])
  return messages
}

/** A page of messages, newest first. */
export const readPage = async (
  { db }: Pick<ChatDeps, 'db'>,
  of: { channel_id: string; reader_id: string; hides_blocked: boolean },
  { limit = decisions.chat_messages.page_default, before }: MessageQuery,
) => findMessages(db, { ...of, before: before === undefined ? null : parseTimestamp(before), rows_max: limit })

/**
 * Parses a timestamp, rounded up to a whole millisecond: times of messages have no finer part, so the same messages are
 * before both. Fails with `validation_failed`.
 */
function parseTimestamp(before: string): Date {
  const [, until_seconds, fraction = '', zone] = /^(.{19})(?:\.(\d+))?(z|[+-]\d\d(?::?\d\d)?)$/i.exec(before) ?? []
  const whole_zone = zone?.replace(/^([+-]\d\d)$/, '$1:00')
  const ms = Date.parse(`${until_seconds}.${fraction.slice(0, 3).padEnd(3, '0')}${whole_zone}`)
  if (Number.isNaN(ms)) throw invalidField('before', 'moment_text')
  return new Date(/[1-9]/.test(fraction.slice(3)) ? ms + 1 : ms)
}

/** A message with its unfiltered text, for moderators (D-74). Fails with `not_found`. */
export const getRawMessage = (tx: Tx, message_id: string) =>
  orFail(findRawMessage(tx, message_id), 'not_found', { message_id })

import { Failure } from '../platform/failure.ts'
import { canonicalId } from '../platform/ids.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/postgres/database.ts'
import { inBatches } from '../platform/in-batches.ts'
import { enqueue } from '../platform/queue.ts'
import { createBatcher, type Batcher } from '../platform/batching/batcher.ts'
import {
  findFriendsPresence,
  findTablePresence,
  writePresence,
  presenceLocks,
  publishLapsedPresence,
  type PresenceUpdate,
} from './presence.store.ts'
import { list_max, maskedPlace, onlineSince, shownPresence } from './rules.ts'
import { nameFilter, type TextFilter } from './text-filter.rules.ts'

/** Takes single updates and writes them in batches. */
export type Presence = Batcher<PresenceUpdate, PresenceResult>

/** The end of the mute if it caused the refusal of an update with texts; otherwise null. */
type PresenceResult = { muted_until: Date | null }

interface PresenceDeps {
  db: Database
  clock: Clock
}

/** Opens the batcher of presence updates; `drain()` it before the database is closed. */
export function openPresence({ db, clock }: PresenceDeps): Presence {
  const connection = db.pipelinedConnection()
  return createBatcher({
    name: 'presence',
    run: async (updates) => {
      const now = clock()
      const batch = { updates: lastOfEachUser(updates), now, online_since: onlineSince(now) }
      const muted = await writePresence(connection, batch)
      return updates.map((update) => ({ muted_until: hasText(update) ? (muted.get(update.user_id) ?? null) : null }))
    },
    batch_max: 512,
    queue_max: 16_384,
    send_ahead_at: 16,
    locks: { keysOf: ({ user_id }) => [user_id], ...presenceLocks(db.locks) },
  })
}

const hasText = ({ game, lobby }: PresenceUpdate) => `${game ?? ''}${lobby ?? ''}` !== ''

const lastOfEachUser = (updates: PresenceUpdate[]) => [
  ...new Map(updates.map((update) => [update.user_id, update])).values(),
]

/**
 * Marks the user online (D-75), in this game and lobby, or in none. Fails with `muted` if it names either and the user
 * is muted (D-124).
 */
export async function announcePresence(
  { presence }: { presence: Presence },
  user_id: string,
  { game = null, lobby = null }: { game?: string | null; lobby?: string | null },
) {
  const { muted_until } = await presence({ user_id, game, lobby, leaves: false })
  if (muted_until !== null) throw new Failure('muted', { user_id }, { body: { muted_until } })
}

/** Removes the user's presence record, if there is one. */
export const leavePresence = async ({ presence }: { presence: Presence }, user_id: string) =>
  void (await presence({ user_id, game: null, lobby: null, leaves: true }))

export const leave_job = 'social.leave'

/**
 * Removes the presence of a user whose access was withdrawn, after the commit of the transaction: in a job, because the lock
 * of `move_presence` must be taken before the transaction has an id (see functions.sql).
 */
export const enqueueLeave = (tx: Tx, user_id: string) => enqueue(tx, leave_job, { user_id })

/** The job that `enqueueLeave` enqueues. */
export async function runLeaveJob({ presence }: { presence: Presence }, user_id: string) {
  await leavePresence({ presence }, user_id)
}

/**
 * The presence of the user's friends who have a record (D-75), last seen first, with bad words masked (D-124); with
 * `user_ids`, only of these.
 */
export async function listPresence(
  { db, clock, filter }: PresenceDeps & { filter: TextFilter },
  user_id: string,
  user_ids?: string,
) {
  const among = user_ids === undefined ? null : user_ids.split(',').map(canonicalId)
  const now = clock()
  const rows = await findFriendsPresence(db, { user_id, among, rows_max: list_max })
  const shown = nameFilter(filter)
  return rows.map((row) => ({ user_id: row.user_id, ...maskedPlace(shownPresence(row, now), shown) }))
}

/** The users who are online at a table (D-75), last seen first; a block hides both users from each other (D-71). */
export async function listTable(
  { db, clock }: PresenceDeps,
  viewer_id: string,
  table: { game: string; ref_id: string },
) {
  const seen_after = onlineSince(clock())
  const users = await findTablePresence(db, { viewer_id, ...table, seen_after, rows_max: list_max })
  return users.map((user) => ({ ...user, status: 'online' as const }))
}

const lapses_max = 1_000

/**
 * Publishes users as offline who were not seen within the online time of D-75 and did not leave (D-80), in bounded
 * batches.
 */
export async function publishLapses({ db, clock }: PresenceDeps) {
  const now = clock()
  const terms = { now, online_since: onlineSince(now), rows_max: lapses_max }
  await inBatches(lapses_max, () => publishLapsedPresence(db, terms))
}

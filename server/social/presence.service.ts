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
import { list_max, onlineSince, shownPresence } from './rules.ts'

/** Takes moves one by one and writes them in batches. */
export type Presence = Batcher<PresenceUpdate, 'ok'>

interface PresenceDeps {
  db: Database
  clock: Clock
}

/** Opens the batcher of single moves; `drain()` it before the database is closed. */
export function openPresence({ db, clock }: PresenceDeps): Presence {
  const lane = db.pipelinedConnection()
  return createBatcher({
    run: async (moves) => {
      const now = clock()
      await writePresence(lane, { moves: lastOfEach(moves), now, online_since: onlineSince(now) })
      return moves.map(() => 'ok' as const)
    },
    batch_max: 512,
    queue_max: 16_384,
    send_ahead_at: 16,
    locks: { keysOf: ({ user_id }) => [user_id], ...presenceLocks(db.locks) },
  })
}

const lastOfEach = (moves: PresenceUpdate[]) => [...new Map(moves.map((move) => [move.user_id, move])).values()]

/** Marks the user online (D-75), in this game and lobby and no other. */
export const announcePresence = (
  { presence }: { presence: Presence },
  user_id: string,
  { game = null, lobby = null }: { game?: string | null; lobby?: string | null },
) => presence({ user_id, game, lobby, leaves: false })

/** Removes the user's presence record, if there is one. */
export const leavePresence = ({ presence }: { presence: Presence }, user_id: string) =>
  presence({ user_id, game: null, lobby: null, leaves: true })

export const leave_job = 'social.leave'

/**
 * Has a user leave whose access was withdrawn, once that is so: a job, because a change of presence must not wait in the
 * transaction of another. See `move_presence` in the migrations.
 */
export const enqueueLeave = (tx: Tx, user_id: string) => enqueue(tx, leave_job, { user_id })

/** Carries out what `withdrawPresence` put off. */
export async function runLeaveJob({ presence }: { presence: Presence }, user_id: string) {
  await leavePresence({ presence }, user_id)
}

/** The presence of the user's friends who have a record (D-75), last seen first; only of those named, where some are. */
export async function listPresence({ db, clock }: PresenceDeps, user_id: string, user_ids?: string) {
  const among = user_ids === undefined ? null : user_ids.split(',').map(canonicalId)
  const now = clock()
  const rows = await findFriendsPresence(db, { user_id, among, rows_max: list_max })
  return rows.map((row) => ({ user_id: row.user_id, ...shownPresence(row, now) }))
}

/** Who is online at a table (D-75), last seen first; a block hides both from each other (D-71). */
export async function listTable(
  { db, clock }: PresenceDeps,
  viewer_id: string,
  { game, ref_id }: { game: string; ref_id: string },
) {
  const seen_after = onlineSince(clock())
  const users = await findTablePresence(db, { viewer_id, game, ref_id, seen_after, rows_max: list_max })
  return users.map((user) => ({ ...user, status: 'online' as const }))
}

const lapses_max = 1_000

/** Tells the friends of those who went without a word that they are offline (D-80), a bounded number at a time. */
export async function publishLapses({ db, clock }: PresenceDeps) {
  const now = clock()
  const terms = { now, online_since: onlineSince(now), rows_max: lapses_max }
  await inBatches(lapses_max, () => publishLapsedPresence(db, terms))
}

import { groupCommit, type GroupCommit } from '../kit/group-commit.ts'
import {
  deletePresence,
  findFriendsPresence,
  findTablePresence,
  lockPresence,
  upsertPresence,
  type Announcement,
  type PresenceRow,
} from './presence.store.ts'
import { list_max, onlineSince, plainId, shownPresence } from './rules.ts'
import type { PresenceChange, SocialDeps } from './service.ts'

type Deps = Pick<SocialDeps, 'db' | 'clock' | 'events'>

/** A user is here, perhaps somewhere, or leaves. */
interface Move extends Announcement {
  leaves: boolean
}

/** Takes moves one by one and writes them in batches. */
export type Presence = GroupCommit<Move, 'ok'>

/** Opens the door for single moves; `drain()` it before the database is closed. */
export const openPresence = (deps: Deps): Presence =>
  groupCommit({
    run: async (moves) => {
      await writeMoves(deps, lastOfEach(moves))
      return moves.map(() => 'ok' as const)
    },
    batch_max: 512,
    waiting_max: 16_384,
  })

/** Every user's last move, in id order: processes that write the same users must not deadlock. */
const lastOfEach = (moves: Move[]) =>
  [...new Map(moves.map((move) => [move.user_id, move])).values()].sort((a, b) => (a.user_id < b.user_id ? -1 : 1))

const writeMoves = ({ db, clock, events }: Deps, moves: Move[]) =>
  db.transaction(async (tx) => {
    const now = clock()
    const rows = await lockPresence(
      tx,
      moves.map(({ user_id }) => user_id),
    )
    const before = new Map(rows.map((row) => [row.user_id, row]))
    const here = moves.filter(({ leaves }) => !leaves)
    const leaving = moves.filter(({ leaves, user_id }) => leaves && before.has(user_id))
    if (here.length > 0) await upsertPresence(tx, here, now)
    if (leaving.length > 0)
      await deletePresence(
        tx,
        leaving.map(({ user_id }) => user_id),
      )
    const changes = moves.flatMap((move) => changeBy(move, before.get(move.user_id), now))
    if (changes.length > 0) await events.presence_changed(tx, changes)
  })

/** What others see change by a move: at most one change. */
function changeBy(
  { user_id, leaves, game, lobby }: Move,
  before: PresenceRow | undefined,
  now: Date,
): PresenceChange[] {
  const shown = before && shownPresence(before, now)
  if (leaves)
    return shown?.status === 'online'
      ? [{ user_id, status: 'offline', last_seen: shown.last_seen, current_game: null, lobby: null }]
      : []
  const same = shown?.status === 'online' && shown.current_game === game && shown.lobby === lobby
  return same ? [] : [{ user_id, status: 'online', last_seen: now, current_game: game, lobby }]
}

/** Marks the user online (D-75), in this game and lobby and no other. */
export const announcePresence = (
  { presence }: Pick<SocialDeps, 'presence'>,
  user_id: string,
  { game = null, lobby = null }: { game?: string | null; lobby?: string | null },
) => presence({ user_id, game, lobby, leaves: false })

/** Removes the user's presence record, if there is one. */
export const leavePresence = ({ presence }: Pick<SocialDeps, 'presence'>, user_id: string) =>
  presence({ user_id, game: null, lobby: null, leaves: true })

/** The presence of the user's friends who have a record (D-75), last seen first; only of those named, where some are. */
export async function listPresence(
  { db, clock }: Pick<SocialDeps, 'db' | 'clock'>,
  user_id: string,
  user_ids?: string,
) {
  const among = user_ids === undefined ? null : user_ids.split(',').map(plainId)
  const now = clock()
  const rows = await findFriendsPresence(db, { user_id, among, rows_max: list_max })
  return rows.map((row) => ({ user_id: row.user_id, ...shownPresence(row, now) }))
}

/** Who is online at a table (D-75), last seen first; a block hides both from each other (D-71). */
export async function listTable(
  { db, clock }: Pick<SocialDeps, 'db' | 'clock'>,
  viewer_id: string,
  { game, ref_id }: { game: string; ref_id: string },
) {
  const seen_after = onlineSince(clock())
  const users = await findTablePresence(db, { viewer_id, game, ref_id, seen_after, rows_max: list_max })
  return users.map((user) => ({ ...user, status: 'online' as const }))
}

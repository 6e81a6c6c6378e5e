import { decisions } from '../../contract/decisions.ts'
import type { UserCaller } from '../../contract/caller.ts'
import { Failure } from '../platform/failure.ts'
import type { Database } from '../platform/postgres/database.ts'
import { othersOf, placesOf, type Learner } from './boards.rules.ts'
import * as store from './boards.store.ts'

const { first_max, neighbours, counted_max } = decisions.boards

export interface BoardsDeps {
  db: Database
  /** The names of the learning paths. */
  paths: readonly string[]
}

/** The board of a learning path as the caller sees it (D-163). Fails with `not_found` for an unknown path. */
export async function getBoard(
  { db, paths }: BoardsDeps,
  { user_id }: UserCaller,
  path: string,
  of: 'friends' | 'all',
) {
  if (!paths.includes(path)) throw new Failure('not_found', { path })
  const learner = await store.findLearner(db, user_id)
  const me =
    learner && learner.path === path && learner.reached_at && learner.steps > 0
      ? placeOf(learner, learner.reached_at)
      : undefined
  const others =
    of === 'friends'
      ? othersOf(me, await store.listFriendsOnPath(db, { user_id, path }), first_max, neighbours)
      : await listedOthers(db, user_id, path, me)
  return { places: placesOf(me, others), is_listed: learner?.is_listed ?? false }
}

const placeOf = (
  { user_id, username, display_name, steps }: Omit<Learner, 'reached_at'>,
  reached_at: Date,
): Learner => ({
  user_id,
  username,
  display_name,
  steps,
  reached_at,
})

async function listedOthers(db: Database, user_id: string, path: string, me: Learner | undefined) {
  const board = { path, without: [user_id, ...(await store.listHidden(db, user_id))] }
  const first = await store.listFirst(db, { ...board, rows_max: first_max })
  if (!me) return { first, ahead: [], behind: [], ahead_count: 0 }
  const beside = { ...board, me, rows_max: neighbours }
  const [ahead, behind, ahead_count] = await Promise.all([
    store.listAhead(db, beside),
    store.listBehind(db, beside),
    store.countAhead(db, { ...beside, rows_max: counted_max }),
  ])
  return { first, ahead: ahead.toReversed(), behind, ahead_count }
}

/** Sets whether others see the caller on boards. Fails with `not_found` if the caller has no path. */
export async function setListing({ db }: BoardsDeps, { user_id }: UserCaller, is_listed: boolean) {
  if (!(await store.setListing(db, user_id, is_listed))) throw new Failure('not_found', { user_id })
}

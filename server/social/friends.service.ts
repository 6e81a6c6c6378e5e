import { mayFriendship } from '../../contract/states.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { Failure, invalidField } from '../platform/failure.ts'
import { newId } from '../platform/ids.ts'
import { findFriends, findFriendship, findPending, putRequest, setStatus, type FriendshipRow } from './friends.store.ts'
import { findRelationship, lockPair, lockPairOfFriendship } from './pairs.store.ts'
import { effectOfRequest, list_max, pairOf } from './rules.ts'
import type { SocialDeps, SocialEvents } from './service.ts'

type Deps = Pick<SocialDeps, 'db' | 'clock' | 'events'>

/**
 * Asks somebody to be the user's friend (D-70); `created` tells whether that made a new request. Asking who has asked
 * the user accepts, asking again changes nothing, and asking after a rejection or removal makes the pair's friendship
 * pending again under the id it has always had. Fails with `user_not_found`, also for who is suspended or has blocked
 * the user, with `blocked` where the user did the blocking, and with `validation_failed` for oneself.
 */
export async function requestFriend({ db, clock, events }: Deps, user_id: string, other_id: string) {
  if (other_id === user_id) throw invalidField('friend_id', 'must be another user')
  const pair = pairOf(user_id, other_id)
  return db.transaction(async (tx) => {
    await lockPair(tx, pair)
    await refuseUnreachable(tx, user_id, other_id)
    const found = await findFriendship(tx, pair)
    const effect = effectOfRequest(found, user_id)
    if (found && effect === 'keep') return { friendship: found, created: false }
    const now = clock()
    const friendship =
      found && effect === 'accept'
        ? await setStatus(tx, found.id, 'accepted', now)
        : await putRequest(tx, { ...pair, id: newId(), requester_id: user_id, now })
    await announce(events, tx, friendship, now)
    return { friendship, created: effect === 'ask' }
  })
}

/**
 * One's own block is told first and alone: whether the other one has blocked too, or is suspended, must not show (D-71).
 */
async function refuseUnreachable(tx: Tx, user_id: string, other_id: string) {
  const other = await findRelationship(tx, user_id, other_id)
  if (other?.blocked) throw new Failure('blocked', { other_id })
  if (!other || other.blocks || other.suspended) throw new Failure('user_not_found', { other_id, ...other })
}

const statuses_of_answers = { accept: 'accepted', reject: 'rejected' } as const
export type FriendAction = keyof typeof statuses_of_answers

/**
 * Accepts or rejects a request for its addressee (D-70). Fails with `not_found` for who is not one of the two, with
 * `forbidden` for the requester, and with `not_allowed_now` when nothing is pending (any more).
 */
export function answerRequest(
  { db, clock, events }: Deps,
  user_id: string,
  friendship_id: string,
  action: FriendAction,
) {
  return db.transaction(async (tx) => {
    const friendship = await lockFriendship(tx, user_id, friendship_id)
    const { status, addressee_id } = friendship
    if (addressee_id !== user_id) throw new Failure('forbidden', { friendship_id, status })
    if (!mayFriendship('answer', status)) throw new Failure('not_allowed_now', { friendship_id, status })
    const now = clock()
    await announce(events, tx, await setStatus(tx, friendship_id, statuses_of_answers[action], now), now)
    return statuses_of_answers[action]
  })
}

/** Ends a friendship or request for either of the two (D-70); repeatable. Fails with `not_found` for anybody else. */
export function removeFriendship(deps: Deps, user_id: string, friendship_id: string) {
  return deps.db.transaction(async (tx) => {
    await endFriendship(deps, tx, await lockFriendship(tx, user_id, friendship_id))
  })
}

/** Makes a friendship removed, whatever it was; the caller holds the pair's lock. */
export async function endFriendship(
  { clock, events }: Pick<Deps, 'clock' | 'events'>,
  tx: Tx,
  { id, status }: FriendshipRow,
) {
  if (status === 'removed') return
  const now = clock()
  await announce(events, tx, await setStatus(tx, id, 'removed', now), now)
}

async function lockFriendship(tx: Tx, user_id: string, friendship_id: string) {
  const pair = await lockPairOfFriendship(tx, friendship_id, user_id)
  const friendship = pair && (await findFriendship(tx, pair))
  if (!friendship) throw new Failure('not_found', { friendship_id })
  return friendship
}

function announce(events: SocialEvents, tx: Tx, friendship: FriendshipRow, now: Date) {
  const { id: friendship_id, status, requester_id, addressee_id } = friendship
  return events.friendship_changed(tx, { friendship_id, status, requester_id, addressee_id, now })
}

/** The user's friends, by name. */
export const listFriends = ({ db }: Pick<SocialDeps, 'db'>, user_id: string) =>
  findFriends(db, { user_id, rows_max: list_max })

/** Requests that wait for the user's answer, newest first. */
export const listPending = ({ db }: Pick<SocialDeps, 'db'>, user_id: string) =>
  findPending(db, { user_id, rows_max: list_max })

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
 * Requests a friendship (D-70); `created` says whether a new request was made. A pending request by the other user is
 * accepted; a repetition changes nothing; after a rejection or removal the pair's friendship is pending again, under
 * the same id. Fails with `user_not_found`, also for users who are suspended or have blocked this one, with `blocked`
 * if this user has blocked the other, and with `validation_failed` for oneself.
 */
export async function requestFriend({ db, clock, events }: Deps, user_id: string, other_id: string) {
  if (other_id === user_id) throw invalidField('friend_id', 'another_user')
  const pair = pairOf(user_id, other_id)
  return db.transaction(async (tx) => {
    await lockPair(tx, pair)
    await refuseUnreachable(tx, user_id, other_id)
    const found = await findFriendship(tx, pair)
    const effect = effectOfRequest(found, user_id)
    if (found && effect === 'none') return { friendship: found, created: false }
    const now = clock()
    const friendship =
      found && effect === 'accept'
        ? await setStatus(tx, found.id, 'accepted', now)
        : await putRequest(tx, { ...pair, id: newId(), requester_id: user_id, now })
    await publish(events, tx, friendship, now)
    return { friendship, created: effect === 'request' }
  })
}

/** The caller's own block is checked first, so that a block by the other user or a suspension is not revealed. */
async function refuseUnreachable(tx: Tx, user_id: string, other_id: string) {
  const other = await findRelationship(tx, user_id, other_id)
  if (other?.blocked) throw new Failure('blocked', { other_id })
  if (!other || other.blocks || other.suspended) throw new Failure('user_not_found', { other_id, ...other })
}

const statuses_of_answers = { accept: 'accepted', reject: 'rejected' } as const
export type FriendAction = keyof typeof statuses_of_answers

/**
 * Accepts or rejects a request for its addressee (D-70). Fails with `not_found` for users outside the pair, with
 * `forbidden` for the requester, and with `not_allowed_now` if the request is not pending.
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
    await publish(events, tx, await setStatus(tx, friendship_id, statuses_of_answers[action], now), now)
    return statuses_of_answers[action]
  })
}

/** Ends a friendship or request for either of the two users (D-70); repeatable. Fails with `not_found` for all others. */
export function removeFriendship(deps: Deps, user_id: string, friendship_id: string) {
  return deps.db.transaction(async (tx) => {
    await endFriendship(deps, tx, await lockFriendship(tx, user_id, friendship_id))
  })
}

/** Removes a friendship in any status; the caller holds the lock of the pair. */
export async function endFriendship(
  { clock, events }: Pick<Deps, 'clock' | 'events'>,
  tx: Tx,
  { id, status }: FriendshipRow,
) {
  if (status === 'removed') return
  const now = clock()
  await publish(events, tx, await setStatus(tx, id, 'removed', now), now)
}

async function lockFriendship(tx: Tx, user_id: string, friendship_id: string) {
  const pair = await lockPairOfFriendship(tx, friendship_id, user_id)
  const friendship = pair && (await findFriendship(tx, pair))
  if (!friendship) throw new Failure('not_found', { friendship_id })
  return friendship
}

function publish(events: SocialEvents, tx: Tx, friendship: FriendshipRow, now: Date) {
  const { id: friendship_id, status, requester_id, addressee_id } = friendship
  return events.friendship_changed(tx, { friendship_id, status, requester_id, addressee_id, now })
}

/** The user's friends, by name. */
export const listFriends = ({ db }: Pick<SocialDeps, 'db'>, user_id: string) =>
  findFriends(db, { user_id, rows_max: list_max })

/** Pending requests to the user, newest first. */
export const listPending = ({ db }: Pick<SocialDeps, 'db'>, user_id: string) =>
  findPending(db, { user_id, rows_max: list_max })

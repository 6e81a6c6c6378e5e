import { Failure } from '../platform/failure.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/postgres/database.ts'
import type { BetweenPeople } from '../points/service.ts'
import { findFriendship } from './friends.store.ts'
import { findMute } from './mutes.store.ts'
import { findBetween, findRelationship, lockPair } from './pairs.store.ts'
import { pairOf } from './rules.ts'
import type { TextFilter } from './text-filter.rules.ts'

interface Deps {
  db: Database
  clock: Clock
  filter: TextFilter
}

/** The rules of chat for the texts of transfers between people (D-124). A recipient who has blocked the sender appears unknown. */
export const betweenPeople = ({ db, clock, filter }: Deps): BetweenPeople => ({
  async refusalOf({ user_id, to_user_id, description = '' }) {
    const { is_blocked, muted_until } = await findBetween(db, { user_id, to_user_id, now: clock() })
    // The mute is checked first: a refusal must not depend on a block.
    if (muted_until !== null && description !== '') return new Failure('muted', { user_id }, { body: { muted_until } })
    return is_blocked ? new Failure('user_not_found', { to_user_id, why: 'blocked' }) : undefined
  },
  async directRefusalOf(tx, { user_id, other_id, is_for_friends }) {
    const pair = pairOf(user_id, other_id)
    await lockPair(tx, pair)
    const mute = await findMute(tx, { user_id, now: clock() })
    if (mute) return new Failure('muted', { user_id }, { body: { muted_until: mute.muted_until } })
    const other = await findRelationship(tx, user_id, other_id)
    if (!other || other.suspended || other.blocked || other.blocks) return new Failure('user_not_found', { other_id })
    const are_friends = !is_for_friends || (await findFriendship(tx, pair))?.status === 'accepted'
    return are_friends ? undefined : new Failure('not_friends', { other_id })
  },
  shown: filter,
})

import { Failure, invalidField } from '../platform/failure.ts'
import { cursorNumber, pageSize, toPage, type PageQuery } from '../platform/page.ts'
import { endRequestsBetween } from '../points/sending.service.ts'
import { deleteBlock, findBlocks, insertBlock } from './blocks.store.ts'
import { endFriendship } from './friends.service.ts'
import { findFriendship } from './friends.store.ts'
import { findRelationship, lockPair } from './pairs.store.ts'
import { pairOf } from './rules.ts'
import type { SocialDeps } from './service.ts'

type Deps = Pick<SocialDeps, 'db' | 'clock' | 'events' | 'invalidations'>

/** Published when somebody blocks or unblocks, for both. */
export const blocksTag = (user_id: string) => `blocks:${user_id}`

/**
 * Blocks another user, which ends their friendship or friend request and their requests for points (D-71); repeatable.
 * Suspended users, and users who have blocked this one, can be blocked too. Fails with `user_not_found`, or with
 * `validation_failed` for oneself.
 */
export async function block(deps: Deps, user_id: string, blocked_id: string) {
  if (blocked_id === user_id) throw invalidField('user_id', 'another_user')
  const pair = pairOf(user_id, blocked_id)
  await deps.db.transaction(async (tx) => {
    await lockPair(tx, pair)
    if (!(await findRelationship(tx, user_id, blocked_id))) throw new Failure('user_not_found', { blocked_id })
    const now = deps.clock()
    await insertBlock(tx, { blocker_id: user_id, blocked_id, now })
    await endRequestsBetween(tx, { user_id, other_id: blocked_id, now })
    await deps.invalidations.publish(tx, [blocksTag(user_id), blocksTag(blocked_id)])
    const friendship = await findFriendship(tx, pair)
    if (friendship && friendship.status !== 'rejected') await endFriendship(deps, tx, friendship)
  })
}

/** Removes a block, if there is one (D-71). A friendship that it ended stays ended. */
export async function unblock(
  { db, invalidations }: Pick<Deps, 'db' | 'invalidations'>,
  user_id: string,
  blocked_id: string,
) {
  await db.transaction(async (tx) => {
    await lockPair(tx, pairOf(user_id, blocked_id))
    await deleteBlock(tx, user_id, blocked_id)
    await invalidations.publish(tx, [blocksTag(user_id), blocksTag(blocked_id)])
  })
}

/** A page of the users whom this user has blocked, newest first. */
export async function listBlocks({ db }: Pick<Deps, 'db'>, user_id: string, query: PageQuery) {
  const size = pageSize(query)
  const rows = await findBlocks(db, { blocker_id: user_id, before_seq: cursorNumber(query), rows_max: size + 1 })
  return toPage(rows, size, ({ seq }) => seq)
}

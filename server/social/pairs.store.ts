import { firstRow, theRow, type Sql, type Tx } from '../platform/postgres/database.ts'
import type { Pair } from './rules.ts'

/** The seed of the hash; it separates the locks of pairs from other advisory locks. */
const pair_locks = 7_205_461_338

/**
 * Locks two users against each other until the transaction ends: all requests, answers, removals and blocks between them
 * take this lock first. Their friendship and blocks must be read by a later statement, whose snapshot is taken after it.
 */
export const lockPair = (tx: Tx, { low_id, high_id }: Pair) =>
  tx.sql`select pg_advisory_xact_lock(hashtextextended(${low_id}::uuid::text || ${high_id}::uuid::text, ${pair_locks}))`

/** Takes the same lock for the two users of a friendship; undefined, and no lock, if the user is not one of them. */
export const lockPairOfFriendship = (tx: Tx, friendship_id: string, user_id: string) =>
  firstRow(tx.sql<Pair>`
    select low_id, high_id, pg_advisory_xact_lock(hashtextextended(low_id::text || high_id::text, ${pair_locks}))
      from friendships
     where id = ${friendship_id} and ${user_id} in (low_id, high_id)`)

export interface Relationship {
  suspended: boolean
  /** The user has blocked the other. */
  blocked: boolean
  /** The other has blocked the user. */
  blocks: boolean
}

/** The blocks between two users; undefined if the other does not exist. */
export const findRelationship = (db: Sql, user_id: string, other_id: string) =>
  firstRow(db.sql<Relationship>`
    select u.suspended_at is not null as suspended,
           exists (select 1 from blocks where blocker_id = ${user_id} and blocked_id = u.id) as blocked,
           exists (select 1 from blocks where blocker_id = u.id and blocked_id = ${user_id}) as blocks
      from users u
     where u.id = ${other_id}`)

/** Whether the other user has blocked this one, and the end of this user's mute. */
export const findBetween = (
  db: Sql,
  { user_id, to_user_id, now }: { user_id: string; to_user_id: string; now: Date },
) =>
  theRow(db.sql<{ is_blocked: boolean; muted_until: Date | null }>`
    select exists (select from blocks where blocker_id = ${to_user_id} and blocked_id = ${user_id}) as is_blocked,
           (select muted_until from chat_mutes where user_id = ${user_id} and muted_until > ${now}) as muted_until`)

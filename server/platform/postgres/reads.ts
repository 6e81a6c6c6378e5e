import type { Sql } from './statements.ts'

export interface ReadOptions {
  /** Tags of the invalidation bus that the read depends on: after one was published, the replica is not used until it shows that change. */
  tags?: readonly string[]
  /** True if the replica shows everything that the caller must not miss. Called before the read. */
  isCurrent?(replica: Sql): Promise<boolean>
}

/** The side that answered a read. */
export type ReadSide = 'replica' | 'primary'

/**
 * Reads that may be a few seconds old (REPLICA_LAG_MAX): on the replica if it is recent enough, else on the primary. Never for balances,
 * tokens, or anything that a decision to write depends on.
 */
export interface Reads {
  read<Result>(work: (db: Sql) => Promise<Result>, options?: ReadOptions): Promise<Result>
}

/** Without a configured replica, every read uses the primary. */
export const onPrimary = (db: Sql): Reads => ({ read: (work) => work(db) })

import type { Sql } from './statements.ts'

export interface ReadOptions {
  /** Tags of the invalidation bus for the read: after one was published, the replica waits until it shows that change. */
  tags?: readonly string[]
  /** Whether the replica shows what the caller may not miss; asked before the read. */
  isCurrent?(replica: Sql): Promise<boolean>
}

/** Which side answered a read. */
export type ReadSide = 'replica' | 'primary'

/**
 * Reads that may be a few seconds old (REPLICA_LAG_MAX): on the replica while there is one that is recent enough, else on the
 * primary. Never for balances, tokens, or what a decision to write depends on.
 */
export interface Reads {
  read<Result>(work: (db: Sql) => Promise<Result>, options?: ReadOptions): Promise<Result>
}

/** Where no replica is configured, every read is the primary's. */
export const onPrimary = (db: Sql): Reads => ({ read: (work) => work(db) })

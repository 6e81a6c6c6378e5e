import { backup_lock } from './backup/lock.ts'
import type { Database, Tx } from './database.ts'

/** Runs `work` in a transaction during which no backup runs. Does nothing and returns undefined while one runs. */
export const rewriteRows = <Result>(db: Database, work: (tx: Tx) => Promise<Result>): Promise<Result | undefined> =>
  db.transaction(async (tx) => {
    const [row] = await tx.sql<{ free: boolean }>`select pg_try_advisory_xact_lock(${backup_lock}) as free`
    return row?.free ? work(tx) : undefined
  })

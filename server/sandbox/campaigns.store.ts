import type { Tx } from '../platform/postgres/database.ts'

/** The advisory lock of the process that makes the sample campaigns. */
const samples_lock = 7_205_461_355

/** Waits for other processes that make the samples; holds the lock until the transaction ends. */
export const lockSamples = (tx: Tx) => tx.sql`select pg_advisory_xact_lock(${samples_lock})`

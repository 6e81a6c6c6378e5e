import type { Clock } from '../platform/clock.ts'
import { isDatabaseUnavailable, type Database } from '../platform/postgres/database.ts'
import { auditLedger, findLedgerCheck, saveLedgerCheck } from './ledger-check.store.ts'

/**
 * Checks that debits equal credits, and that every balance equals the sum of its transfers and what the last of them
 * recorded. Reads every transfer, in one snapshot.
 */
export async function verifyLedger({ db }: { db: Database }) {
  const totals = await auditLedger(db.lengthy)
  const balanced =
    totals.faults.length === 0 &&
    totals.total_debited === totals.total_credited &&
    totals.total_debited === totals.total_transferred
  return { balanced, ...totals }
}

export interface LedgerCheckDeps {
  db: Database
  clock: Clock
}

/** Checks the books (`verifyLedger`) and stores the time and the result. */
export async function checkLedger({ db, clock }: LedgerCheckDeps) {
  const started_at = clock()
  const check = await verifyLedger({ db })
  // The check also works while the database is read-only.
  await saveLedgerCheck(db, { checked_at: started_at, balanced: check.balanced }).catch((error: unknown) => {
    if (!isDatabaseUnavailable(error)) throw error
  })
  return check
}

/** The time and result of the last check; both null before the first one. */
export const lastLedgerCheck = ({ db }: { db: Database }) => findLedgerCheck(db.adHoc)

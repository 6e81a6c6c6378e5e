import type { Sql } from '../platform/postgres/database.ts'
import { findSystemBalances } from './circulation.store.ts'
import { system_accounts } from './rules.ts'

/** The points ever issued, and the points of people and apps, at these times. */
export function circulationAt(db: Sql, starts: Date[]) {
  const { departed, issuance, rewards, billing } = system_accounts
  return findSystemBalances(db, { starts, issuing: [issuance, rewards], others: [departed, billing] })
}

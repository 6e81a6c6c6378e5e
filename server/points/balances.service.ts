import { createBatcher, type Batcher } from '../platform/batching/batcher.ts'
import type { Database } from '../platform/postgres/database.ts'
import { findBalances, findTotals, type AccountTotals } from './store.ts'

export interface Balance {
  /** Without held points. */
  points: number
  /** Held by apps. */
  held: number
}

/** Reads balances in batches: requests that arrive during a read share the next one. */
export type Balances = Batcher<string, Balance>

export const openBalances = (db: Database): Balances =>
  createBatcher({
    name: 'balances',
    run: async (account_ids) => {
      const found = new Map<string, Balance>()
      for (const { id, points, held } of await findBalances(db, account_ids)) found.set(id, { points, held })
      return account_ids.map((account_id) => found.get(account_id) ?? { points: 0, held: 0 })
    },
    batch_max: 512,
    queue_max: 16_384,
  })

/** Reads the totals of accounts in batches. */
export type Totals = Batcher<string, string>

/** The credited and debited totals of an account, as one text that every movement changes. */
export const textOf = (totals: AccountTotals | undefined) => (totals ? `${totals.credited} ${totals.debited}` : '')

export const openTotals = (db: Database): Totals =>
  createBatcher({
    name: 'totals',
    run: async (account_ids) => {
      const found = new Map((await findTotals(db, account_ids)).map((totals) => [totals.id, textOf(totals)]))
      return account_ids.map((account_id) => found.get(account_id) ?? '')
    },
    batch_max: 512,
    queue_max: 16_384,
  })

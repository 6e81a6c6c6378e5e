import type { QueryOf } from '../../contract/endpoint.ts'
import type * as contract from '../../contract/payments.ts'
import type { Clock } from '../platform/clock.ts'
import { Failure } from '../platform/failure.ts'
import { cursorNumber, pageSize, toPage } from '../platform/page.ts'
import type { Database } from '../platform/postgres/database.ts'
import { csvOf } from '../platform/csv.ts'
import { sumHeldForApp } from './holds.store.ts'
import { readSpan } from '../platform/time-span.ts'
import { earnedBefore, type PayoutBounds } from './payouts.service.ts'
import {
  findAppBalance,
  findPayable,
  findTransferWithRefunds,
  listStatement,
  type StatementRow,
} from './statements.store.ts'

/** A movement as its app sees it. */
export type AppTransfer = StatementRow

export interface StatementsDeps {
  db: Database
  clock: Clock
}

export type StatementQuery = QueryOf<typeof contract.listAppTransfers>

const filterOf = (app_id: string, query: StatementQuery) => ({
  app_id,
  user_id: query.user_id ?? null,
  kind: query.kind ?? null,
  reference: query.reference ?? null,
  ...readSpan(query),
})

/**
 * A page of the movements of an app's account and of those that the app made between people, newest first (D-96, D-99).
 */
export async function listAppTransfers({ db }: StatementsDeps, app_id: string, query: StatementQuery) {
  const size = pageSize(query)
  const rows = await listStatement(db, {
    ...filterOf(app_id, query),
    before_seq: cursorNumber(query),
    rows_max: size + 1,
  })
  return toPage(rows, size, (row) => row.seq)
}

/** A movement of the app, and its refunds. Fails with `not_found`. */
export async function getAppTransfer({ db }: StatementsDeps, app_id: string, transfer_id: string) {
  const [transfer, ...refunds] = await findTransferWithRefunds(db, app_id, transfer_id)
  if (transfer?.id !== transfer_id.toLowerCase()) throw new Failure('not_found', { transfer_id })
  return { transfer, refunds, refunded_amount: refunds.reduce((sum, { amount }) => sum + amount, 0) }
}

/**
 * An app's balance, the totals of its income and expenses, the points held for it, and the points that cannot leave it
 * yet (D-131).
 */
export async function getAppBalance({ db, clock, bounds }: StatementsDeps & { bounds: PayoutBounds }, app_id: string) {
  const earned_before = earnedBefore(bounds, clock())
  const [balance, held_for_app, payable] = await Promise.all([
    findAppBalance(db, app_id),
    sumHeldForApp(db, app_id),
    earned_before && findPayable(db, app_id, earned_before),
  ])
  const held_earnings = payable === undefined ? 0 : balance.points - Math.max(0, Math.min(payable, balance.points))
  return { ...balance, held_for_app, held_earnings }
}

const columns = {
  id: 'plain',
  inserted_at: 'time',
  kind: 'plain',
  direction: 'plain',
  amount: 'plain',
  points_after: 'plain',
  user_id: 'plain',
  reference: 'text',
  description: 'text',
  hold_id: 'plain',
  refunded_transfer_id: 'plain',
  metadata: 'json',
  to_user_id: 'plain',
} as const satisfies Partial<Record<keyof StatementRow, string>>

/**
 * The movements of an app's account as CSV, newest first, a page of rows at a time: memory does not grow with the list. The
 * filter is checked before the first line; fails as `listAppTransfers` does.
 */
export function exportAppTransfers(
  { db }: StatementsDeps,
  app_id: string,
  query: StatementQuery,
): AsyncIterable<string> {
  const filter = filterOf(app_id, query)
  return csvOf<number>(db.lengthy, { columns, key: 'seq' }, (sql, { after, rows_max }) =>
    listStatement(sql, { ...filter, before_seq: after, rows_max }),
  )
}

import type { QueryOf } from '../../contract/endpoint.ts'
import type { myPointsHistory } from '../../contract/points.ts'
import type { AppCaller } from '../../contract/caller.ts'
import { cursorNumber, pageSize, toPage } from '../platform/page.ts'
import type { Database } from '../platform/postgres/database.ts'
import { csvOf } from '../platform/csv.ts'
import { readSpan } from '../platform/time-span.ts'
import { textOf } from './balances.service.ts'
import type { PointsDeps } from './service.ts'
import { findTotals, listHistory, type HistoryRow } from './store.ts'

export type HistoryQuery = QueryOf<typeof myPointsHistory>

const filterOf = (account_id: string, query: HistoryQuery) => ({
  account_id,
  kind: query.kind ?? null,
  direction: query.direction ?? null,
  app_id: query.app_id ?? null,
  reference: query.reference ?? null,
  by_agent: query.by_agent ?? null,
  ...readSpan(query),
})

/**
 * A page of the account's movements, newest first (D-48). A replica serves the page only if it is up to date: every
 * movement increases one of the account's totals, which are compared with the primary's.
 */
export async function listMovements(
  { reads, totals }: Pick<PointsDeps, 'reads' | 'totals'>,
  account_id: string,
  query: HistoryQuery,
) {
  const size = pageSize(query)
  const filter = { ...filterOf(account_id, query), before_seq: cursorNumber(query), rows_max: size + 1 }
  const rows = await reads.read((db) => listHistory(db, filter), {
    async isCurrent(replica) {
      const [here, [there]] = await Promise.all([totals(account_id), findTotals(replica, [account_id])])
      return here === textOf(there)
    },
  })
  return toPage(rows, size, (row) => row.seq)
}

/**
 * The same for an app that the person has connected. The references of other apps' movements are hidden and not searchable, since only
 * the person and the app that set a reference may see it (D-96).
 */
export async function listMovementsForApp(
  deps: Pick<PointsDeps, 'reads' | 'totals'>,
  { user_id, app_id }: Pick<AppCaller, 'user_id' | 'app_id'>,
  query: HistoryQuery,
) {
  const by_reference = query.reference !== undefined
  if (by_reference && query.app_id !== undefined && query.app_id !== app_id) return { data: [], next_cursor: null }
  const { data, next_cursor } = await listMovements(deps, user_id, by_reference ? { ...query, app_id } : query)
  return { data: data.map((row) => (row.app_id === app_id ? row : { ...row, reference: null })), next_cursor }
}

const columns = {
  id: 'plain',
  inserted_at: 'time',
  kind: 'plain',
  direction: 'plain',
  amount: 'plain',
  points_after: 'plain',
  description: 'text',
  app_id: 'plain',
  app_name: 'text',
  reference: 'text',
  refunded_transfer_id: 'plain',
  other_user_id: 'plain',
  other_username: 'text',
} as const satisfies Partial<Record<keyof HistoryRow, string>>

/**
 * The account's movements as CSV, newest first, a page of rows at a time (D-99): memory does not grow with the list. The filter is
 * checked before the first line; fails as `listMovements` does.
 */
export function exportMovements(
  { db }: { db: Database },
  account_id: string,
  query: HistoryQuery,
): AsyncIterable<string> {
  const filter = filterOf(account_id, query)
  return csvOf<number>(db.lengthy, { columns, key: 'seq' }, (sql, { after, rows_max }) =>
    listHistory(sql, { ...filter, before_seq: after, rows_max }),
  )
}

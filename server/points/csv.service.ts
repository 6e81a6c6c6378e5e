import { setTimeout as pause } from 'node:timers/promises'
import { decisions } from '../../contract/decisions.ts'
import { csvLine, type Cell } from './csv.rules.ts'

const { export_page_rows } = decisions['D-99'].value

/**
 * After each page the list rests for so many times as long as the page took. Measured beside balances: without rests, and with
 * pages of a thousand rows, their p99 rose to three times what it is (`bench/export.ts`).
 */
const rest_factor = 3
const rest_ms_max = 500

/** A list as CSV with a header, read a page at a time, newest first: memory does not grow with the list (D-99). */
export const csvOf = <const Name extends string, Row extends Record<Name, Cell> & { seq: number }>(
  columns: readonly Name[],
  readPage: (page: { before_seq: number | null; rows_max: number }) => Promise<Row[]>,
) => csvBy(columns, (last: Row | undefined, rows_max) => readPage({ before_seq: last?.seq ?? null, rows_max }))

/** The same for a list of any key: `readPage` gets the last row of the page before. */
export async function* csvBy<const Name extends string, Row extends Record<Name, Cell>>(
  columns: readonly Name[],
  readPage: (last: Row | undefined, rows_max: number) => Promise<Row[]>,
) {
  yield csvLine([...columns])
  for (let last: Row | undefined; ;) {
    const began_ms = performance.now()
    const rows: Row[] = await readPage(last, export_page_rows)
    const lines = rows.map((row) => csvLine(columns.map((name) => row[name]))).join('')
    const took_ms = performance.now() - began_ms
    if (lines !== '') yield lines
    if (rows.length < export_page_rows) return
    last = rows.at(-1)
    await pause(Math.min(took_ms * rest_factor, rest_ms_max))
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import { decisions } from '../../contract/decisions.ts'
import type { Sql } from './postgres/database.ts'
import { readCsvPage, type CsvList, type CsvPage } from './csv.store.ts'

const { export_page_rows } = decisions.payment_reads

/**
 * After each page the list pauses for this share of the page's duration, so that a page that is slow to read is followed by a long pause.
 */
const rest_factor = 0.25
const rest_ms_max = 500

/**
 * A list as CSV (RFC 4180) with a header, read page by page: memory does not grow with the list (D-99). `list` sends
 * one statement, for the rows after the key of the previous page.
 */
export async function* csvOf<Key>(
  db: Sql,
  csv: CsvList,
  list: (db: Sql, page: { after: Key | null; rows_max: number }) => Promise<unknown>,
) {
  yield `${Object.keys(csv.columns).join(',')}\r\n`
  let after: Key | null = null
  for (;;) {
    const began_ms = performance.now()
    const page: { after: Key | null; rows_max: number } = { after, rows_max: export_page_rows }
    const read: CsvPage<Key> = await readCsvPage<Key>(db, csv, (statement) => list(statement, page))
    const took_ms = performance.now() - began_ms
    if (read.lines !== null) yield read.lines
    if (read.rows < export_page_rows) return
    after = read.last
    await pause(Math.min(took_ms * rest_factor, rest_ms_max))
  }
}

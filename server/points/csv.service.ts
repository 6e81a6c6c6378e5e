import { decisions } from '../../contract/decisions.ts'
import { csvLine, type Cell } from './csv.rules.ts'

const { export_page_rows } = decisions['D-99'].value

/** A list as CSV with a header, read a page at a time, newest first: memory does not grow with the list (D-99). */
export async function* csvOf<const Name extends string, Row extends Record<Name, Cell> & { seq: number }>(
  columns: readonly Name[],
  readPage: (page: { before_seq: number | null; rows_max: number }) => Promise<Row[]>,
) {
  yield csvLine([...columns])
  for (let before_seq: number | null = null; ;) {
    const rows: Row[] = await readPage({ before_seq, rows_max: export_page_rows })
    if (rows.length > 0) yield rows.map((row) => csvLine(columns.map((name) => row[name]))).join('')
    if (rows.length < export_page_rows) return
    before_seq = rows.at(-1)!.seq
  }
}

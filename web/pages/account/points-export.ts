import { myPointsHistory } from '../../../contract/points.ts'
import { callApi } from '../../api/call.ts'
import type { Filter, Movement } from './movements.ts'

const columns = [
  'inserted_at',
  'kind',
  'direction',
  'amount',
  'points_after',
  'description',
  'app_id',
  'other_user_id',
  'id',
] as const satisfies (keyof Movement)[]

/** User text gets a leading quote where a spreadsheet would run it as a formula. */
function csvCell(value: string | number | null) {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Movements as CSV (RFC 4180) with a header row. The byte order mark makes Excel read UTF-8. */
export const toCsv = (movements: readonly Movement[]) =>
  `\uFEFF${[columns, ...movements.map((movement) => columns.map((name) => csvCell(movement[name])))]
    .map((row) => row.join(','))
    .join('\r\n')}\r\n`

/** Reads all pages of the history; calls `progress` with the count after each page. Stops on `signal`. */
export async function fetchAllMovements(filter: Filter, progress: (count: number) => void, signal: AbortSignal) {
  const all: Movement[] = []
  for (let cursor: string | null | undefined = undefined; cursor !== null;) {
    const page: { data: Movement[]; next_cursor: string | null } = await callApi(myPointsHistory, {
      query: { ...filter, limit: 100, ...(cursor !== undefined && { cursor }) },
    })
    signal.throwIfAborted()
    all.push(...page.data)
    cursor = page.next_cursor
    progress(all.length)
  }
  return all
}

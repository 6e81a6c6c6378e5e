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

/** Numbers and moments are ours; a text of somebody else must not become a formula in who opens the file. */
function csvCell(value: string | number | null) {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Movements as RFC 4180 writes them, with a head. The mark in front tells Excel that it is UTF-8. */
export const toCsv = (movements: readonly Movement[]) =>
  `\uFEFF${[columns, ...movements.map((movement) => columns.map((name) => csvCell(movement[name])))]
    .map((row) => row.join(','))
    .join('\r\n')}\r\n`

/** Reads the history to its end, page by page; says after each how many there are so far. Ends early on `signal`. */
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

import { invalidField } from './failure.ts'

/** The query of every cursor-paged list. */
export interface PageQuery {
  limit?: number
  cursor?: string
}

const page_default = 50

/** The number of rows of a page. */
export const pageSize = ({ limit }: PageQuery) => limit ?? page_default

/**
 * Makes a page from up to `size + 1` rows. The extra row shows that there is a next page; its cursor is the key of the
 * last row on this page.
 */
export function toPage<Row>(rows: Row[], size: number, keyOf: (row: Row) => string | number) {
  const data = rows.slice(0, size)
  const last = data.at(-1)
  const has_more = rows.length > size && last !== undefined
  return { data, next_cursor: has_more ? cursorOf(keyOf(last)) : null }
}

/** The cursor for a key. */
export const cursorOf = (key: string | number) => Buffer.from(String(key)).toString('base64url')

const invalidCursor = () => invalidField('cursor', 'cursor')

/** The key in a cursor. `Buffer` skips invalid base64url, so only the exact encoding that `toPage` writes is accepted. */
function cursorKey(cursor: string): string {
  const bytes = Buffer.from(cursor, 'base64url')
  if (bytes.toString('base64url') !== cursor) throw invalidCursor()
  return bytes.toString('utf8')
}

/** The row number at which the previous page ended; null for the first page. */
export function cursorNumber({ cursor }: PageQuery): number | null {
  if (cursor === undefined) return null
  const key = cursorKey(cursor)
  if (!/^[1-9]\d*$/.test(key) || !Number.isSafeInteger(Number(key))) throw invalidCursor()
  return Number(key)
}

/** The row id at which the previous page ended; null for the first page. */
export function cursorId({ cursor }: PageQuery): string | null {
  if (cursor === undefined) return null
  const key = cursorKey(cursor)
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(key)) throw invalidCursor()
  return key
}

/** A page of rows with ids, the newest first. `list` reads rows before an id, one more than the page has. */
export async function pageById<Row extends { id: string }>(
  query: PageQuery,
  list: (page: { before_id: string | null; rows_max: number }) => Promise<Row[]>,
) {
  const size = pageSize(query)
  return toPage(await list({ before_id: cursorId(query), rows_max: size + 1 }), size, ({ id }) => id)
}

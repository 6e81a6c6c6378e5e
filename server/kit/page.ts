import { invalidField } from './failure.ts'

/** What every cursor-paged list is asked for. */
export interface PageQuery {
  limit?: number
  cursor?: string
}

const page_default = 50

/** How many rows a page shows. */
export const pageSize = ({ limit }: PageQuery) => limit ?? page_default

/**
 * Makes a page out of up to `size + 1` rows: the extra row only tells that there is a next page, whose cursor is the
 * key of the last row shown.
 */
export function toPage<Row>(rows: Row[], size: number, keyOf: (row: Row) => string | number) {
  const data = rows.slice(0, size)
  const last = data.at(-1)
  const more = rows.length > size && last !== undefined
  return { data, next_cursor: more ? Buffer.from(String(keyOf(last))).toString('base64url') : null }
}

const cursorText = (cursor: string) => Buffer.from(cursor, 'base64url').toString('utf8')
const badCursor = () => invalidField('cursor', 'is not a cursor of this list')

/** The row number at which the previous page ended; null for the first page. */
export function cursorNumber({ cursor }: PageQuery): number | null {
  if (cursor === undefined) return null
  const value = Number(cursorText(cursor))
  if (!Number.isSafeInteger(value) || value < 0) throw badCursor()
  return value
}

/** The row id at which the previous page ended; null for the first page. */
export function cursorId({ cursor }: PageQuery): string | null {
  if (cursor === undefined) return null
  const value = cursorText(cursor)
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)) throw badCursor()
  return value
}

import type { Database, Sql } from './postgres/database.ts'

/** The person whose data is exported, and the maximum rows of a page. */
interface ExportOf {
  db: Database
  user_id: string
  now: Date
  rows_max: number
}

/** A page of a list: the rows after the one with the key `after`; null for the first page. */
export interface ExportPage<Key = string> {
  user_id: string
  now: Date
  after: Key | null
  rows_max: number
}

/** A list of an export, read page by page: memory does not grow with it. */
export interface ExportSection {
  name: string
  pages(of: ExportOf): AsyncIterable<readonly object[]>
}

/** A section with few rows, read in one go. */
export const shortSection = (
  name: string,
  read: (db: Database, user_id: string, now: Date) => Promise<readonly object[]>,
): ExportSection => ({
  name,
  async *pages({ db, user_id, now }) {
    yield await read(db, user_id, now)
  },
})

/** A section of any length, ordered by the key that `keyOf` returns. The fields in `without` are not written. */
export const longSection = <Row extends object, Key>(
  name: string,
  read: (db: Sql, page: ExportPage<Key>) => Promise<Row[]>,
  keyOf: (row: Row) => Key,
  without: readonly (keyof Row)[] = [],
): ExportSection => ({
  name,
  async *pages({ db, ...of }) {
    for (let after: Key | null = null; ;) {
      const rows: Row[] = await read(db.lengthy, { ...of, after })
      yield rows.map((row) =>
        Object.fromEntries(Object.entries(row).filter(([field]) => !without.includes(field as keyof Row))),
      )
      if (rows.length < of.rows_max) return
      after = keyOf(rows.at(-1)!)
    }
  },
})

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

interface TableRows {
  columns: string
  /** The column with the id of the person. */
  owner?: string
  /** A unique column of the rows of a person, by which they are ordered; with its type in PostgreSQL. */
  key?: { column: string; type: 'uuid' | 'text' | 'date' }
}

/** A section with the rows of a table that belong to the person. The names become part of the statement. */
export function tableSection(
  name: string,
  table: string,
  { columns, owner = 'user_id', key: { column, type } = { column: 'id', type: 'uuid' } }: TableRows,
): ExportSection {
  const text = [
    `select ${columns} from ${table} where ${owner} = `,
    ` and ${column} > coalesce(`,
    `::${type}, ${first_keys[type]}) order by ${column} limit `,
    '',
  ]
  const strings: TemplateStringsArray = Object.assign(text, { raw: text })
  return longSection(
    name,
    (db, { user_id, after, rows_max }: ExportPage) => db.sql<Record<string, string>>(strings, user_id, after, rows_max),
    (row) => row[column]!,
  )
}

/** Values before every key. */
const first_keys = { uuid: "'00000000-0000-0000-0000-000000000000'", text: "''", date: "'-infinity'" }

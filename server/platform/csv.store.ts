import type { Sql } from './postgres/database.ts'

/**
 * How PostgreSQL writes the cells of a column: unchanged, as a UTC time, or as text or JSON that may need quotes. Null is an empty cell.
 */
const expressions = {
  plain: (name: string) => name,
  time: (name: string) => `to_char(${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  text: (name: string) => `csv_cell(${name})`,
  json: (name: string) => `case when ${name} is not null then csv_cell(compact_json(${name})) end`,
}

/**
 * PostgreSQL pauses within a page after this many rows, so that other requests do not wait longer for a processor. Measured on two cores,
 * the slowest of a hundred reads during a CSV, relative to one without it: 4.8 without pauses, 1.6 with a pause of 2 ms after 25 rows, and
 * at most 1.05 with this setting, on a busier machine where 25 rows gave 1.16 in the same run.
 */
const rows_between_pauses = 10
const pause_seconds = 0.001

export interface CsvList {
  /** The columns by name, in their order. */
  columns: Record<string, keyof typeof expressions>
  /** The column that pages are ordered by. */
  key: string
}

export interface CsvPage<Key> {
  rows: number
  /** The key of the last row; null without rows. */
  last: Key | null
  lines: string | null
}

/**
 * Reads a page of `list` with one statement, as CSV lines that PostgreSQL writes: one text instead of a value for each
 * cell, so that a page costs the event loop almost nothing.
 */
export async function readCsvPage<Key>(db: Sql, csv: CsvList, list: (db: Sql) => Promise<unknown>) {
  const { strings, values } = await statementOf(list)
  const [page] = await db.sql<CsvPage<Key>>(asCsv(strings, csv), ...values)
  return page!
}

interface Statement {
  strings: TemplateStringsArray
  values: unknown[]
}

/** Captures the statement that a list would send. */
async function statementOf(list: (db: Sql) => Promise<unknown>): Promise<Statement> {
  const sent: Statement[] = []
  await list({
    sql(strings, ...values) {
      sent.push({ strings, values })
      return Promise.resolve([])
    },
  })
  return sent[0]!
}

const known = new WeakMap<TemplateStringsArray, TemplateStringsArray>()

function asCsv(strings: TemplateStringsArray, { columns, key }: CsvList): TemplateStringsArray {
  const made = known.get(strings)
  if (made) return made
  const line = Object.entries(columns).map(([name, kind]) => expressions[kind](name))
  const pause = `case row_at % ${rows_between_pauses} when 0 then pg_sleep(${pause_seconds})::text end`
  const parts = [...strings]
  parts[0] = `select count(*) as rows, (array_agg(${key}))[count(*)::integer] as last,
                     string_agg(concat(${line.join(`, ',', `)}, E'\\r\\n', ${pause}), '') as lines
                from (select page.*, row_number() over () as row_at from (${parts[0]}`
  parts.push(`${parts.pop()}) page) page`)
  const wrapped = Object.assign(parts, { raw: parts })
  known.set(strings, wrapped)
  return wrapped
}

/** The work of a statement on each row of a table. */
type RowWork = 'index' | 'rewrite' | 'change' | 'check'

/**
 * Microseconds per row, measured with 400,000 rows of 150 bytes on PostgreSQL 18: about half of what one of two cores took under full load
 * (index 3.8, rewrite 18, check 1.3). A rough figure, because rows, indexes and disks differ.
 */
const row_microseconds: Readonly<Record<RowWork, number>> = { index: 2, rewrite: 9, change: 15, check: 0.6 }

const patterns: readonly [RegExp, RowWork][] = [
  [
    /\bcreate\s+(?:unique\s+)?index\s+(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?[\w"]*\s*on\s+(?:only\s+)?([\w."]+)/gi,
    'index',
  ],
  [/\balter\s+table\s+(?:only\s+)?([\w."]+)[^;]*\badd\s+(?:column\s+)?[^;]*\bstored\b/gi, 'rewrite'],
  [/\balter\s+table\s+(?:only\s+)?([\w."]+)[^;]*\btype\b/gi, 'rewrite'],
  [/\balter\s+table\s+(?:only\s+)?([\w."]+)[^;]*\b(?:add\s+constraint|set\s+not\s+null)\b/gi, 'check'],
  [/\bupdate\s+(?:only\s+)?([\w."]+)(?:\s+(?:as\s+)?\w+)?\s+set\b/gi, 'change'],
  [/\bdelete\s+from\s+(?:only\s+)?([\w."]+)/gi, 'change'],
  [/\binsert\s+into\s+[\w."]+[^;]*?\bfrom\s+([\w."]+)/gi, 'change'],
]

interface TableWork {
  table: string
  work: RowWork
}

/**
 * Finds which tables a migration scans and what it does to their rows. Does not inspect bodies of functions. Leaves out tables that the
 * migration itself creates, because they are empty.
 */
export function tableWorkOf(sql: string): TableWork[] {
  const text = sql.replace(/--.*$/gm, '').replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
  const created = new Set(
    [...text.matchAll(/\bcreate\s+table\s+(?:if\s+not\s+exists\s+)?([\w."]+)/gi)].map(([, name]) => plain(name!)),
  )
  const found = patterns.flatMap(([pattern, work]) =>
    [...text.matchAll(pattern)].map(([, table]) => ({ table: plain(table!), work })),
  )
  return found.filter(({ table }) => !created.has(table))
}

const plain = (name: string) =>
  name
    .replaceAll('"', '')
    .replace(/^public\./, '')
    .toLowerCase()

/** The estimated seconds for the work on tables of these sizes, and the scanned rows. */
export function estimateWork(works: readonly TableWork[], rows_of: ReadonlyMap<string, number>) {
  const known = works.filter(({ table }) => rows_of.has(table))
  const rows = new Map(known.map(({ table }) => [table, rows_of.get(table)!]))
  const seconds = known.reduce((sum, { table, work }) => sum + (rows_of.get(table)! * row_microseconds[work]) / 1e6, 0)
  return { seconds, rows: [...rows].map(([table, count]) => ({ table, rows: count })) }
}

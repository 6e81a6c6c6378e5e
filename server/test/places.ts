import type { ClientBase, Pool } from 'pg'

/** The tables, and the log, that contain a text, including in the form of bytes. */
export async function placesOf(db: Pool | ClientBase, text: string, log: string) {
  const tables = await db.query<{ name: string }>(`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname in ('public', 'graphile_worker') order by name`)
  const found: string[] = []
  for (const { name } of tables.rows) {
    const hex = Buffer.from(text).toString('hex')
    const { rows } = await db.query<{ count: string }>(
      `select count(*) from ${name} t where t::text ilike $1 or t::text ilike $2`,
      [`%${text}%`, `%${hex}%`],
    )
    if (Number(rows[0]!.count) > 0) found.push(name.replace('public.', ''))
  }
  return log.toLowerCase().includes(text) ? [...found, 'log'] : found
}

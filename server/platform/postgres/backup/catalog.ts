import type pg from 'pg'
import type { Sequence } from './file-format.ts'

export interface Table {
  name: string
  /** Quoted, with its schema. */
  quoted: string
  /** All columns that COPY accepts: all except generated ones. */
  columns: string[]
  /** The number of pages; null if the table has partitions. */
  pages: number | null
  /** Changes if the table is rewritten; page ranges are not reliable then. */
  filenode: string | null
}

/** The schema that contains Plaza's tables, or will. */
const our_schema = `
  select coalesce((select relnamespace from pg_class where oid = to_regclass('schema_migrations')),
                  (select oid from pg_namespace where nspname = current_schema()))`

const from_extension = (oid: string, catalog: string) =>
  `exists (select from pg_depend d where d.classid = '${catalog}'::regclass and d.objid = ${oid} and d.deptype = 'e')`

/** All tables in Plaza's schema in order of their names, without those of extensions. */
export async function listTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select c.relname::text as name, c.oid::regclass::text as quoted,
           array(select a.attname::text from pg_attribute a
                  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                  order by a.attnum) as columns,
           case when c.relkind = 'r' then pg_relation_size(c.oid) / current_setting('block_size')::bigint end as pages,
           pg_relation_filenode(c.oid)::text as filenode
      from pg_class c
     where c.relnamespace = (${our_schema}) and c.relkind in ('r', 'p') and not c.relispartition
       and not ${from_extension('c.oid', 'pg_class')}
     order by c.relname::text collate "C"`)
  return rows
}

export async function hasTable(client: pg.Client, name: string) {
  const { rows } = await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [name])
  return rows[0]?.found ?? false
}

/** The last values of the sequences of identity columns; null for a sequence that was not used yet. */
export async function readSequences(client: pg.Client, { quoted, columns }: Table): Promise<Sequence[]> {
  const { rows } = await client.query<Sequence>(
    `select c.name as column, s.last_value::text
       from unnest($2::text[]) c(name)
       join pg_sequences s
         on format('%I.%I', s.schemaname, s.sequencename)::regclass = pg_get_serial_sequence($1, c.name)::regclass
      where s.last_value is not null`,
    [quoted, columns],
  )
  return rows
}

export const setSequence = (client: pg.Client, { quoted }: Table, { column, last_value }: Sequence) =>
  client.query('select setval(pg_get_serial_sequence($1, $2), $3::bigint)', [quoted, column, last_value])

/** Statements that remove per-row checks and writes before a load, and those that restore them. */
export interface LoadHelp {
  before: string[]
  after: string[]
}

/**
 * Constraints and indexes are recreated after a load: sorting once is faster than inserting row by row, and foreign keys then require no
 * order of tables. Our triggers are disabled during the load, because the backup already contains the rows that they would write.
 */
export async function planLoad(client: pg.Client, tables: readonly string[]): Promise<LoadHelp> {
  const { rows } = await client.query<{ first: number; last: number; before: string; after: string }>(
    `with loaded as (select unnest($1::text[])::regclass as id)
     select case c.contype when 'f' then 1 else 2 end as first, case c.contype when 'f' then 3 else 1 end as last,
            format('alter table %s drop constraint %I', c.conrelid::regclass, c.conname) as before,
            format('alter table %s add constraint %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) as after
       from pg_constraint c join loaded on loaded.id = c.conrelid
      where c.contype in ('f', 'p', 'u')
     union all
     select 2, 2, format('drop index %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid)
       from pg_index i join loaded on loaded.id = i.indrelid
      where not exists (select from pg_constraint c where c.conindid = i.indexrelid)
     union all
     select distinct 3, 4, format('alter table %s disable trigger user', t.tgrelid::regclass),
            format('alter table %s enable trigger user', t.tgrelid::regclass)
       from pg_trigger t join loaded on loaded.id = t.tgrelid
      where not t.tgisinternal`,
    [tables],
  )
  return {
    before: rows.toSorted((a, b) => a.first - b.first).map(({ before }) => before),
    after: rows.toSorted((a, b) => a.last - b.last).map(({ after }) => after),
  }
}

/** Drops the tables and functions of these names that exist. */
export async function dropObjects(
  client: pg.Client,
  { tables, functions }: { tables: readonly string[]; functions: readonly string[] },
) {
  const { rows } = await client.query<{ statement: string }>(
    `select format('drop table %s cascade', c.oid::regclass) as statement
       from pg_class c
      where c.relnamespace = (${our_schema}) and c.relkind in ('r', 'p') and c.relname = any($1::text[])
     union all
     select format('drop function %s cascade', p.oid::regprocedure)
       from pg_proc p
      where p.pronamespace = (${our_schema}) and p.proname = any($2::text[]) and not ${from_extension('p.oid', 'pg_proc')}`,
    [tables, functions],
  )
  for (const { statement } of rows) await client.query(statement)
}

/** A session of a service, or of one of its commands, in this database. */
export async function findPlazaSession(client: pg.Client) {
  const { rows } = await client.query<{ application_name: string }>(
    `select application_name from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and application_name like 'plaza%' and application_name <> 'plaza-restore'
      limit 1`,
  )
  return rows[0]?.application_name
}

export async function readServer(client: pg.Client) {
  const { rows } = await client.query<{ version: string; encoding: string }>(
    "select current_setting('server_version') as version, current_setting('server_encoding') as encoding",
  )
  return rows[0] as { version: string; encoding: string }
}

import { randomBytes } from 'node:crypto'
import type pg from 'pg'

/** The objects that the files of migrations make; `functions.sql` makes the others. */
const of_migrations = /^(?:table|column|constraint|index|sequence) /

/**
 * Throws where the schema of Plaza in this database is not the one that these files make, and names the first difference. Objects that
 * an operator may add are not compared. Runs in a transaction of the caller.
 */
export async function refuseOtherSchema(client: pg.ClientBase, files: readonly { text: string }[]) {
  const difference = await schemaDifference(client, files)
  if (difference !== undefined) throw new Error(difference)
}

/** The same for a database whose schema is to be upgraded: a sentence, or undefined. Changes nothing and locks no table. */
export async function differenceBeforeUpgrade(pool: pg.Pool, migrations: readonly { text: string }[]) {
  const client = await pool.connect()
  try {
    await client.query('begin')
    return await schemaDifference(client, migrations, of_migrations)
  } finally {
    await client.query('rollback')
    client.release()
  }
}

async function schemaDifference(client: pg.ClientBase, files: readonly { text: string }[], compared = /^/) {
  const describe = async (schema: string) =>
    new Map([...(await describeSchema(client, schema))].filter(([object]) => compared.test(object)))
  const { rows } = await client.query<Record<'path' | 'name' | 'database' | 'role', string> & { may_create: boolean }>(
    `select current_setting('search_path') as path, current_schema() as name, current_database() as database, current_user as role,
            has_database_privilege(current_database(), 'create') as may_create`,
  )
  const { path, name, database, role, may_create } = rows[0]!
  if (!may_create)
    return (
      `the upgrade makes a schema for a comparison and drops it again, which the role ${role} may not: ` +
      `run “grant create on database ${database} to ${role}” first`
    )
  const found = await describe(name)
  const scratch = `plaza_comparison_${randomBytes(4).toString('hex')}`
  await client.query(`create schema ${scratch}`)
  await client.query(`set local search_path = ${scratch}`)
  for (const { text } of files) await client.query(text)
  const expected = await describe(scratch)
  await client.query(`drop schema ${scratch} cascade`)
  await client.query("select set_config('search_path', $1, true)", [path])
  const difference = differenceOf(expected, found)
  return difference && `the schema of the database is not that of version 0.2: ${difference}`
}

/** A schema as definitions by object, such as `column users.email` or `index users_email`. */
export type SchemaDescription = ReadonlyMap<string, string>

/** The first difference as a clause. Of what is not expected, only columns, constraints and unique indexes of our tables count. */
function differenceOf(expected: SchemaDescription, found: SchemaDescription): string | undefined {
  const missing = [...expected.keys()].find((object) => !found.has(object))
  if (missing !== undefined) return `the ${missing} is missing`
  for (const [object, definition] of expected) {
    const other = found.get(object)
    if (other !== definition)
      return definition.includes('\n') ? `the ${object} differs` : `the ${object} is “${other}”, not “${definition}”`
  }
  const additional = [...found].find(
    ([object, definition]) => !expected.has(object) && expected.has(`table ${tableRestrictedBy(object, definition)}`),
  )
  return additional && `the ${additional[0]} is not part of it`
}

/** The table whose rows a column, constraint or unique index restricts. */
function tableRestrictedBy(object: string, definition: string) {
  if (object.startsWith('index ') && !definition.startsWith('CREATE UNIQUE')) return undefined
  const [, of_part, of_column] = /^(?:constraint|index) .* on (\w+)$|^column (\w+)/.exec(object) ?? []
  return of_part ?? of_column
}

/**
 * Describes all tables, columns, constraints, indexes, triggers, views, sequences and functions of a schema, which is first in the search path:
 * PostgreSQL then writes names without it.
 */
export async function describeSchema(client: pg.ClientBase, schema: string): Promise<SchemaDescription> {
  const { rows } = await client.query<{ object: string; definition: string }>(
    `with relations as (
       select oid, relname, relkind from pg_class
        where relnamespace = (select oid from pg_namespace where nspname = $1) and relname not in ('schema_migrations', 'schema_functions')
     )
     select 'table ' || relname as object, '' as definition
       from relations where relkind in ('r', 'p')
     union all
     select 'column ' || r.relname || '.' || a.attname,
            concat_ws(' ', row_number() over (partition by r.oid order by a.attnum) ::text || ':', format_type(a.atttypid, a.atttypmod),
                      case when a.attnotnull then 'not null' end, 'storage ' || a.attstorage::text, nullif('identity ' || a.attidentity::text, 'identity '),
                      case a.attgenerated when '' then 'default ' else 'generated as ' end || pg_get_expr(d.adbin, d.adrelid, true))
       from relations r
       join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
       left join pg_attrdef d on d.adrelid = r.oid and d.adnum = a.attnum
      where r.relkind in ('r', 'p')
     union all
     select 'constraint ' || c.conname || ' on ' || r.relname, pg_get_constraintdef(c.oid, true)
       from relations r join pg_constraint c on c.conrelid = r.oid
      where c.contype <> 'n'
     union all
     select 'index ' || i.relname || ' on ' || r.relname, pg_get_indexdef(x.indexrelid, 0, true)
       from relations r join pg_index x on x.indrelid = r.oid join pg_class i on i.oid = x.indexrelid
     union all
     select 'trigger ' || t.tgname || ' on ' || r.relname, t.tgenabled::text || ' ' || pg_get_triggerdef(t.oid, true)
       from relations r join pg_trigger t on t.tgrelid = r.oid
      where not t.tgisinternal
     union all
     select 'view ' || relname, pg_get_viewdef(oid, true) from relations where relkind in ('v', 'm')
     union all
     select 'sequence ' || r.relname, concat_ws(' ', format_type(s.seqtypid, null), s.seqstart, s.seqincrement, s.seqmax, s.seqcycle)
       from relations r join pg_sequence s on s.seqrelid = r.oid
     union all
     select 'function ' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
            concat_ws(' ', pg_get_function_arguments(p.oid), pg_get_function_result(p.oid), l.lanname, p.provolatile, p.proisstrict,
                      array_to_string(p.proconfig, ', '), p.prosrc)
       from pg_proc p join pg_language l on l.oid = p.prolang
      where p.pronamespace = (select oid from pg_namespace where nspname = $1) and p.prokind = 'f'
     order by object`,
    [schema],
  )
  return new Map(rows.map(({ object, definition }) => [object, definition]))
}

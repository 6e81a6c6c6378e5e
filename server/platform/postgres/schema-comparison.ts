import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { SqlFile } from './schema-files.ts'

/** The files of an upgrade: those that created the schema, those to apply, and those to record only. */
interface Upgrade {
  made: SqlFile[]
  pending: SqlFile[]
  replacing: SqlFile[]
  functions: { all: SqlFile[] }
}

/** The outcome of an upgrade in advance: the reason for its failure as a clause, and sentences about objects that stay. */
export interface Examination {
  refusal: string | undefined
  notes: string[]
}

/** A schema as definitions by object, such as `column users.email` or `index users_email`. */
type SchemaDescription = ReadonlyMap<string, string>

/**
 * The schema of a database, and the schemas that the files create in an empty one: its own migrations, the following ones, and the
 * functions.
 */
interface Schemas {
  found: SchemaDescription
  before: SchemaDescription
  after: SchemaDescription
  complete: SchemaDescription
  /** Columns that the following migrations drop or change to another type, as `table.column`. */
  changed_columns: string[]
}

/**
 * Compares a database with the schemas that the files create, before and after the upgrade. Creates them in a separate schema in the
 * caller's transaction, and drops it again; locks no table.
 */
export async function compareSchemas(client: pg.ClientBase, plan: Upgrade): Promise<Examination> {
  const { rows } = await client.query<{ database: string; role: string; may_create: boolean }>(
    `select quote_ident(current_database()) as database, quote_ident(current_user) as role,
            has_database_privilege(current_database(), 'create') as may_create`,
  )
  const { database, role, may_create } = rows[0]!
  if (!may_create)
    return {
      refusal:
        `the upgrade makes a schema for a comparison and drops it again, which the role ${role} may not: ` +
        `run “grant create on database ${database} to ${role}” first`,
      notes: [],
    }
  const schemas = await makeSchemas(client, plan)
  const difference = plan.replacing.length > 0 ? differenceOf(schemas) : undefined
  return {
    refusal:
      (difference && `the schema of the database is not that of version 0.2: ${difference}`) ??
      objectThatChangesWrites(schemas) ??
      takenName(schemas) ??
      (await dependentObject(client, schemas)) ??
      (await foreignTable(client, schemas)),
    notes: [...schemas.found]
      .filter(([object, definition]) => isOperators(schemas, object) && / AFTER /.test(definition))
      .map(([object]) => `The ${object} stays. It runs after a write: an error in it fails the write.`),
  }
}

async function makeSchemas(client: pg.ClientBase, { made, pending, functions }: Upgrade): Promise<Schemas> {
  const { rows } = await client.query<{ path: string; name: string }>(
    "select current_setting('search_path') as path, current_schema() as name",
  )
  const { path, name } = rows[0]!
  const found = await describeSchema(client, name)
  const scratch = `plaza_comparison_${randomBytes(4).toString('hex')}`
  await client.query(`create schema ${scratch}`)
  await client.query(`set local search_path = ${scratch}`)
  const add = async (files: readonly SqlFile[]) => {
    for (const { text } of files) await client.query(text)
    return describeSchema(client, scratch)
  }
  const before = await add(made)
  const columns = await columnsOf(client, scratch)
  const after = await add(pending)
  const kept = new Set((await columnsOf(client, scratch)).map(({ version }) => version))
  const complete = await add(functions.all)
  await client.query(`drop schema ${scratch} cascade`)
  await client.query("select set_config('search_path', $1, true)", [path])
  const changed_columns = columns.filter(({ version }) => !kept.has(version)).map(({ column }) => column)
  return { found, before, after, complete, changed_columns }
}

/** Each column with its type and its number, which changes if a column is dropped and added again. */
async function columnsOf(client: pg.ClientBase, schema: string) {
  const { rows } = await client.query<{ column: string; version: string }>(
    `select c.relname || '.' || a.attname as column,
            concat_ws(' ', c.relname, a.attname, a.attnum, format_type(a.atttypid, a.atttypmod)) as version
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = (select oid from pg_namespace where nspname = $1) and c.relkind in ('r', 'p')`,
    [schema],
  )
  return rows
}

/** The objects that migrations create; `functions.sql` creates the others. */
const of_migrations = /^(?:table|column|constraint|index|sequence) /

/** The first difference as a clause. Of additional objects, only columns, constraints and unique indexes of our tables count. */
function differenceOf({ before, found }: Schemas): string | undefined {
  const missing = [...before.keys()].find((object) => !object.startsWith('trigger ') && !found.has(object))
  if (missing !== undefined) return `the ${missing} is missing`
  const expected = [...before].filter(([object]) => of_migrations.test(object))
  for (const [object, definition] of expected) {
    const other = found.get(object)!
    if (withoutStorage(other) !== withoutStorage(definition)) return `the ${object} is “${other}”, not “${definition}”`
  }
  const additional = [...found].find(
    ([object, definition]) =>
      !before.has(object) &&
      (/^(?:column|constraint) /.test(object) || definition.startsWith('CREATE UNIQUE')) &&
      before.has(`table ${tableOf(object)}`),
  )
  return additional && `the ${additional[0]} is not part of it`
}

/** Storage settings do not affect results. */
const withoutStorage = (definition: string) => definition.replace(/ storage \w| WITH \([^)]*\)/, '')

/** The table of `column users.email`, `index users_email on users` and the like. */
const tableOf = (object: string) => /^column (\w+)\./.exec(object)?.[1] ?? / on (\w+)$/.exec(object)?.[1]

/** True if an operator added this object to one of our tables. */
const isOperators = ({ before, complete }: Schemas, object: string) =>
  !before.has(object) && !complete.has(object) && complete.has(`table ${tableOf(object)}`)

/** Triggers before a write, rules and row level security can change or drop a write that was already acknowledged. */
function objectThatChangesWrites(schemas: Schemas) {
  const changing = [...schemas.found].find(
    ([object, definition]) =>
      isOperators(schemas, object) &&
      (/^(?:rule|row level security) /.test(object) ||
        /^[^D] CREATE .* (?:BEFORE|INSTEAD OF) .* EACH ROW/.test(definition)),
  )
  return changing && `the ${changing[0]} can change or drop what Plaza writes: remove it`
}

/** The first object with the name of one that the migrations create. Tables, views, indexes and sequences share a namespace. */
function takenName({ before, after, found }: Schemas) {
  const nameOf = (object: string) => /^(?:table|index|sequence|view) (\S+)/.exec(object)?.[1] ?? object
  const found_by_name = new Map([...found.keys()].map((object) => [nameOf(object), object]))
  const taken = [...after.keys()].find(
    (object) => of_migrations.test(object) && !before.has(object) && found_by_name.has(nameOf(object)),
  )
  return (
    taken && `the ${found_by_name.get(nameOf(taken))} has the name of the ${taken} that the upgrade makes: rename it`
  )
}

/** PostgreSQL does not drop a column or change its type if views or similar objects depend on it. */
async function dependentObject(client: pg.ClientBase, { changed_columns }: Schemas) {
  const { rows } = await client.query<{ object: string; column: string }>(
    `select case when r.oid is null then pg_describe_object(d.classid, d.objid, d.objsubid)
                 else pg_describe_object('pg_class'::regclass, r.ev_class, 0) end as object,
            t.relname || '.' || a.attname as column
       from pg_class t
       join pg_attribute a on a.attrelid = t.oid
       join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = t.oid and d.refobjsubid = a.attnum
                       and d.classid in ('pg_rewrite'::regclass, 'pg_trigger'::regclass, 'pg_policy'::regclass, 'pg_proc'::regclass)
       left join pg_rewrite r on d.classid = 'pg_rewrite'::regclass and r.oid = d.objid
      where t.relnamespace = current_schema()::regnamespace and t.relname || '.' || a.attname = any($1)
      order by object, "column" limit 1`,
    [changed_columns],
  )
  return (
    rows[0] &&
    `the ${rows[0].object} depends on the column ${rows[0].column}, which the upgrade drops or changes: drop it first`
  )
}

/** Only the owner of a table may change it. */
async function foreignTable(client: pg.ClientBase, { before, after }: Schemas) {
  const changed = [...before, ...after].filter(
    ([object, definition]) => before.get(object) !== definition || after.get(object) !== definition,
  )
  const { rows } = await client.query<{ table: string; owner: string; role: string }>(
    `select relname as table, relowner::regrole::text as owner, quote_ident(current_user) as role
       from pg_class
      where relnamespace = current_schema()::regnamespace and relname = any($1) and not pg_has_role(relowner, 'usage')
      order by relname limit 1`,
    [changed.map(([object]) => tableOf(object))],
  )
  return (
    rows[0] && `the table ${rows[0].table} belongs to the role ${rows[0].owner}, so ${rows[0].role} may not change it`
  )
}

/**
 * Describes all tables, columns, constraints, indexes, triggers, rules, views, sequences and functions of a schema. The schema must be
 * first in the search path, so that PostgreSQL writes names without it.
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
     select 'rule ' || r.rulename || ' on ' || c.relname, pg_get_ruledef(r.oid, true)
       from relations c join pg_rewrite r on r.ev_class = c.oid
      where c.relkind in ('r', 'p')
     union all
     select 'row level security on ' || relname, '' from pg_class where oid in (select oid from relations) and relrowsecurity
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

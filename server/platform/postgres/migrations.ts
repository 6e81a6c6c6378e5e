import type pg from 'pg'
import type { MigrationFile, SchemaSources, SqlFile } from './schema-files.ts'
import { examineUpgrade, planSchema, withReplacing } from './schema-plan.ts'
import { send } from './statements.ts'

/** The advisory lock of a process that changes the schema. */
export const migrations_lock = 7_205_461_337

/** Runs in the transaction that changes a schema, around the change. */
export type AroundSchema = (client: pg.ClientBase, apply: () => Promise<SchemaChanges>) => Promise<SchemaChanges>

export interface SchemaChanges {
  /** Names of the applied migrations. */
  migrations: string[]
  /** Domains whose functions were applied again. */
  functions: string[]
}

/**
 * Brings the database to the schema of this version, all or nothing: applies the new migrations, then every changed `functions.sql`, in one
 * transaction under an advisory lock, so that processes that start together wait for each other.
 *
 * A newer schema is accepted unless one of the migrations that this version does not know is marked `-- breaking: <reason>` in its first
 * line: an older process continues, and can be started, beside a newer one. It then leaves the functions as the newer version wrote them.
 * `around` runs in the transaction and may refuse before it applies the schema.
 *
 * A file may replace earlier ones, listed in its line `-- replaces: <names>`. In a database that has all replaced migrations, the file is
 * only recorded. Throws if `examineUpgrade` refuses, before it changes anything.
 */
export async function migrate(
  pool: pg.Pool,
  sources: SchemaSources,
  around: AroundSchema = (_client, apply) => apply(),
): Promise<SchemaChanges> {
  const client = await pool.connect()
  try {
    await client.query('set statement_timeout = 0')
    await client.query('select pg_advisory_lock($1)', [migrations_lock])
    await client.query('begin')
    const changes = await around(client, () => applySchema(client, sources))
    await client.query('commit')
    return changes
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    await client.query('select pg_advisory_unlock_all()').catch(() => {})
    client.release(true)
  }
}

/**
 * Does the same as `migrate` within a transaction of the caller, who holds `migrations_lock`. With `only`, applies these migrations and no
 * functions: the schema of an earlier version.
 */
export async function applySchema(
  client: pg.ClientBase,
  sources: SchemaSources,
  { only }: { only?: readonly string[] } = {},
): Promise<SchemaChanges> {
  await client.query(`
    create table if not exists schema_migrations (
      name text primary key, checksum text not null, applied_at timestamptz not null default now());
    alter table schema_migrations add column if not exists breaking boolean not null default false;
    create table if not exists schema_functions (
      domain text primary key, checksum text not null, version text not null, applied_at timestamptz not null)`)
  const plan = await planSchema({ sql: (strings, ...values) => send(client, strings, values) }, sources)
  const { refusal } = await examineUpgrade(client, plan)
  if (refusal !== undefined) throw new Error(refusal)
  for (const file of plan.replacing) await record(client, { ...file, breaking: undefined })
  const wanted = only && withReplacing([...plan.made, ...plan.pending], only)
  const pending = plan.pending.filter(({ name }) => wanted?.includes(name) ?? true)
  for (const file of pending) await applyMigration(client, file)
  const functions = only ? [] : plan.functions.pending
  for (const file of functions) await applyFunctions(client, file, sources.version)
  return { migrations: pending.map(({ name }) => name), functions: functions.map(({ name }) => name) }
}

async function applyMigration(client: pg.ClientBase, file: MigrationFile) {
  await client.query(file.text).catch((error: Error) => {
    const { detail } = error as pg.DatabaseError
    throw new Error(`migration ${file.name} failed: ${error.message}${detail ? ` (${detail})` : ''}`, { cause: error })
  })
  await record(client, file)
}

const record = (client: pg.ClientBase, { name, checksum, breaking }: MigrationFile) =>
  client.query('insert into schema_migrations (name, checksum, breaking) values ($1, $2, $3)', [
    name,
    checksum,
    breaking !== undefined,
  ])

async function applyFunctions(client: pg.ClientBase, { name, text, checksum }: SqlFile, version: string) {
  await client.query(text).catch((error: Error) => {
    throw new Error(`the functions of ${name} could not be applied: ${error.message}`, { cause: error })
  })
  await client.query(
    `insert into schema_functions (domain, checksum, version, applied_at) values ($1, $2, $3, now())
     on conflict (domain) do update
       set checksum = excluded.checksum, version = excluded.version, applied_at = excluded.applied_at`,
    [name, checksum, version],
  )
}

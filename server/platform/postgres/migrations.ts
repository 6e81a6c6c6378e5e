import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import type pg from 'pg'

/** The advisory lock of whoever changes the schema. */
export const migrations_lock = 7_205_461_337

/** Where a schema is written down, and which version of the package writes it. */
export interface SchemaSources {
  /** The folder of the numbered migrations: tables and data, applied once and never edited. */
  migrations: string
  /** The folder whose domains hold a `functions.sql`: functions, triggers and views as they are now. */
  domains?: string
  version: string
}

/** What is to happen around the change of a schema, in its transaction. */
export type AroundSchema = (client: pg.ClientBase, apply: () => Promise<SchemaChanges>) => Promise<SchemaChanges>

export interface SchemaChanges {
  /** Names of the migrations that were applied. */
  migrations: string[]
  /** Domains whose functions were applied again. */
  functions: string[]
}

/**
 * Brings the database to the schema of this version, all or nothing: the migrations that it has not seen, then every
 * `functions.sql` that changed since, in one transaction under an advisory lock, so that processes that start together
 * wait for each other.
 *
 * A newer schema is accepted as long as none of the migrations that this version does not know is marked
 * `-- breaking: <reason>` in its first line: an older process goes on, and starts again, beside a newer one. It then
 * leaves the functions as the newer version wrote them. Throws when a newer migration is breaking, or when an applied
 * file was changed. `around` runs in the transaction, and may refuse before it applies the schema.
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
 * Does what `migrate` does within a transaction of the caller, who holds `migrations_lock`. With `only`, it applies these
 * migrations and no functions: the schema as an earlier version had it.
 */
export async function applySchema(
  client: pg.ClientBase,
  { migrations, domains, version }: SchemaSources,
  { only }: { only?: readonly string[] } = {},
): Promise<SchemaChanges> {
  await client.query(`
    create table if not exists schema_migrations (
      name text primary key, checksum text not null, applied_at timestamptz not null default now());
    alter table schema_migrations add column if not exists breaking boolean not null default false;
    create table if not exists schema_functions (
      domain text primary key, checksum text not null, version text not null, applied_at timestamptz not null)`)
  const files = await readMigrations(migrations)
  const { rows } = await client.query<AppliedMigration>('select name, checksum, breaking from schema_migrations')
  refuseChangedFiles(files, rows)
  const is_older = isOlderThan(files, rows)
  const applied = new Set(rows.map(({ name }) => name))
  const pending = files.filter(({ name }) => !applied.has(name) && (only?.includes(name) ?? true))
  for (const file of pending) await applyMigration(client, file)
  const functions = is_older || domains === undefined || only ? [] : await applyFunctions(client, domains, version)
  return { migrations: pending.map(({ name }) => name), functions }
}

/** The texts of the schema: the numbered migrations, and the functions of each domain. */
export async function readSchemaFiles({ migrations, domains }: SchemaSources) {
  return {
    migrations: await readMigrations(migrations),
    functions: domains === undefined ? [] : await readFunctions(domains),
  }
}

export interface SqlFile {
  name: string
  text: string
  checksum: string
}

export interface MigrationFile extends SqlFile {
  breaking: boolean
}

export interface AppliedMigration {
  name: string
  checksum: string
  breaking: boolean
}

const sqlFile = (name: string, text: string): SqlFile => ({
  name,
  text,
  checksum: createHash('sha256').update(text).digest('hex'),
})

/** The numbered files of a folder, in their order. */
export async function readMigrations(folder: string): Promise<MigrationFile[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_.*\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8')
      return { ...sqlFile(name, text), breaking: text.startsWith('-- breaking: ') }
    }),
  )
}

function refuseChangedFiles(files: MigrationFile[], applied: AppliedMigration[]) {
  const known = new Map(files.map(({ name, checksum }) => [name, checksum]))
  for (const { name, checksum } of applied) {
    const ours = known.get(name)
    if (ours !== undefined && ours !== checksum)
      throw new Error(`the migration ${name} was changed after it was applied`)
  }
}

/** Is the database ahead of this version? Throws where it has moved past what this version can work with. */
function isOlderThan(files: MigrationFile[], applied: AppliedMigration[]) {
  const known = new Set(files.map(({ name }) => name))
  const unknown = applied.filter(({ name }) => !known.has(name))
  const breaking = unknown.find((migration) => migration.breaking)
  if (breaking)
    throw new Error(
      `the database has the migration ${breaking.name}, which this version does not know and cannot work beside: start a newer version of Plaza`,
    )
  return unknown.length > 0
}

async function applyMigration(client: pg.ClientBase, { name, text, checksum, breaking }: MigrationFile) {
  await client.query(text).catch((error: Error) => {
    throw new Error(`migration ${name} failed: ${error.message}`, { cause: error })
  })
  await client.query('insert into schema_migrations (name, checksum, breaking) values ($1, $2, $3)', [
    name,
    checksum,
    breaking,
  ])
}

/** Applies each domain's functions whose text changed, unless a newer version of the package wrote them. */
async function applyFunctions(client: pg.ClientBase, folder: string, version: string) {
  const { rows } = await client.query<AppliedFunctions>('select domain, checksum, version from schema_functions')
  const changed = changedFunctions(await readFunctions(folder), rows, version)
  for (const { name, text, checksum } of changed) {
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
  return changed.map(({ name }) => name)
}

export interface AppliedFunctions {
  domain: string
  checksum: string
  version: string
}

/** The domains whose text is another than the one applied, unless a newer version applied it. */
export function changedFunctions(files: SqlFile[], applied: readonly AppliedFunctions[], version: string) {
  const by_domain = new Map(applied.map((row) => [row.domain, row]))
  return files.filter(({ name, checksum }) => {
    const earlier = by_domain.get(name)
    return !earlier || (earlier.checksum !== checksum && compareVersions(earlier.version, version) <= 0)
  })
}

/** Every `functions.sql` below the folder, by the domain that it stands in. */
export async function readFunctions(folder: string): Promise<SqlFile[]> {
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith(`${sep}functions.sql`))
  const read = async (path: string) =>
    sqlFile(dirname(path).replaceAll(sep, '/'), await readFile(join(folder, path), 'utf8'))
  return Promise.all(paths.sort().map(read))
}

/** Orders semantic versions by their numbers: below 0 where the first is the older one. */
function compareVersions(one: string, other: string) {
  const numbers = (version: string) => version.split('-')[0]!.split('.').map(Number)
  const [ones, others] = [numbers(one), numbers(other)]
  const at = ones.findIndex((number, index) => number !== others[index])
  return at < 0 ? 0 : (ones[at] ?? 0) - (others[at] ?? 0)
}

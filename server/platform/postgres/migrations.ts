import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import type pg from 'pg'
import { refuseOtherSchema } from './schema-comparison.ts'

/** The advisory lock of a process that changes the schema. */
export const migrations_lock = 7_205_461_337

/** The files of a schema, and the version of the package that has them. */
export interface SchemaSources {
  /** The folder of the numbered migrations: tables and data, applied once and never edited. */
  migrations: string
  /** The folder whose domains hold a `functions.sql`: functions, triggers and views as they are now. */
  domains?: string
  version: string
}

/** Runs in the transaction that changes a schema, around the change. */
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
 *
 * A file may replace earlier ones, which its line `-- replaces: <names>` lists. A database that has all replaced migrations gets the
 * file recorded in their place, and its schema is compared with the one that the files make. Throws where it has only some of them.
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
  const plan = planMigrations(files, rows)
  if (plan.partly !== undefined) throw new Error(plan.partly)
  refuseChanged(plan)
  refuseBreaking(plan)
  for (const { name, checksum } of plan.replacing) await record(client, { name, checksum, breaking: false })
  const wanted = only && withReplacing(files, only)
  const pending = plan.pending.filter(({ name }) => wanted?.includes(name) ?? true)
  for (const file of pending) await applyMigration(client, file)
  const functions =
    plan.unknown.length > 0 || domains === undefined || only ? [] : await applyFunctions(client, domains, version)
  if (plan.replacing.length > 0)
    await refuseOtherSchema(client, [...files, ...(domains === undefined ? [] : await readFunctions(domains))])
  return { migrations: pending.map(({ name }) => name), functions }
}

export interface MigrationPlan {
  /** Files to apply. */
  pending: MigrationFile[]
  /** Files to record only: the database has the migrations that they replace. */
  replacing: MigrationFile[]
  /** The sentence about a database that has only some of the replaced migrations. */
  partly: string | undefined
  /** Applied migrations that this version does not know: the database is ahead. */
  unknown: AppliedMigration[]
  /** Names of applied migrations whose file is another one now. */
  changed: string[]
}

/** Compares the files of a version with the migrations of a database. */
export function planMigrations(files: MigrationFile[], applied: readonly AppliedMigration[]): MigrationPlan {
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]))
  const ours = new Map(files.map(({ name, checksum }) => [name, checksum]))
  const replaced = replacedBy(files)
  const { has_replaced, partly } = findReplaced(
    replaced,
    applied.map(({ name }) => name),
  )
  const missing = files.filter(({ name }) => !checksums.has(name))
  const isReplacing = ({ replaces }: MigrationFile) => has_replaced && replaces.length > 0
  return {
    pending: missing.filter((file) => !isReplacing(file)),
    replacing: missing.filter(isReplacing),
    partly,
    unknown: applied.filter(({ name }) => !ours.has(name) && !replaced.includes(name)),
    changed: applied.filter(({ name, checksum }) => (ours.get(name) ?? checksum) !== checksum).map(({ name }) => name),
  }
}

/** The names of migrations that the files replace. */
export const replacedBy = (files: readonly MigrationFile[]) => files.flatMap(({ replaces }) => replaces)

function findReplaced(replaced: readonly string[], names: readonly string[]) {
  const found = replaced.filter((name) => names.includes(name))
  const missing = replaced.find((name) => !names.includes(name))
  const partly =
    found.length > 0 && missing !== undefined
      ? `the database has ${found.length} of the ${replaced.length} migrations of version 0.2, and not ${missing}: start version 0.2 on it first`
      : undefined
  return { has_replaced: found.length > 0, partly }
}

/** The names, with the files that replace migrations in place of those. */
function withReplacing(files: readonly MigrationFile[], names: readonly string[]) {
  const { has_replaced, partly } = findReplaced(replacedBy(files), names)
  if (partly !== undefined) throw new Error(partly)
  return has_replaced
    ? [...names, ...files.filter(({ replaces }) => replaces.length > 0).map(({ name }) => name)]
    : names
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
  /** Names of the earlier migrations that this one replaces. */
  replaces: string[]
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
      const [, replaces = ''] = /^-- replaces: (.*)$/m.exec(text) ?? []
      return {
        ...sqlFile(name, text),
        breaking: text.startsWith('-- breaking: '),
        replaces: replaces.split(' ').filter(Boolean),
      }
    }),
  )
}

function refuseChanged({ changed }: MigrationPlan) {
  if (changed[0] !== undefined) throw new Error(`the migration ${changed[0]} was changed after it was applied`)
}

function refuseBreaking({ unknown }: MigrationPlan) {
  const breaking = unknown.find((migration) => migration.breaking)
  if (breaking)
    throw new Error(
      `the database has the migration ${breaking.name}, which this version does not know and cannot work beside: start a newer version of Plaza`,
    )
}

async function applyMigration(client: pg.ClientBase, file: MigrationFile) {
  await client.query(file.text).catch((error: Error) => {
    const { detail } = error as pg.DatabaseError
    throw new Error(`migration ${file.name} failed: ${error.message}${detail ? ` (${detail})` : ''}`, { cause: error })
  })
  await record(client, file)
}

const record = (client: pg.ClientBase, { name, checksum, breaking }: AppliedMigration) =>
  client.query('insert into schema_migrations (name, checksum, breaking) values ($1, $2, $3)', [
    name,
    checksum,
    breaking,
  ])

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

/** Every `functions.sql` below the folder, by its domain. */
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

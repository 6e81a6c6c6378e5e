import type pg from 'pg'
import type { Sql } from './database.ts'
import { compareSchemas, type Examination } from './schema-comparison.ts'
import { readSchemaFiles, replacedBy, type MigrationFile, type SchemaSources, type SqlFile } from './schema-files.ts'

export interface AppliedMigration {
  name: string
  checksum: string
  breaking: boolean
}

/** The changes that `migrate` would make to a database. */
export interface SchemaPlan {
  /** Files to apply. */
  pending: MigrationFile[]
  /** Files to record only: the database has the migrations that they replace. */
  replacing: MigrationFile[]
  /** The files that created the schema of the database. */
  made: MigrationFile[]
  /** The sentence about a database that has only some of the replaced migrations. */
  partly: string | undefined
  /** Applied migrations that this version does not know: the database is newer. */
  unknown: AppliedMigration[]
  /** Names of applied migrations whose file has changed. */
  changed: string[]
  /** The functions of every domain, and those to apply again. */
  functions: { all: SqlFile[]; pending: SqlFile[] }
}

/** Compares a database with the files of a version. Only reads; fails with 42P01 if the database has no schema of ours. */
export async function planSchema(db: Sql, sources: SchemaSources): Promise<SchemaPlan> {
  // Version 0.1.0 has neither the column nor the table of functions.
  const applied = await db.sql<AppliedMigration>`
    select name, checksum, coalesce((to_jsonb(m) ->> 'breaking')::boolean, false) as breaking from schema_migrations m`
  const [table] = await db.sql<{ exists: boolean }>`select to_regclass('schema_functions') is not null as exists`
  const applied_functions = table!.exists
    ? await db.sql<AppliedFunctions>`select domain, checksum, version from schema_functions`
    : []
  const { migrations: files, functions } = await readSchemaFiles(sources)
  const migrations = planMigrations(files, applied)
  // Version 0.2 may have lost a function or trigger, so all of them are applied again.
  const earlier = migrations.replacing.length > 0 ? [] : applied_functions
  const pending = migrations.unknown.length > 0 ? [] : changedFunctions(functions, earlier, sources.version)
  return { ...migrations, functions: { all: functions, pending } }
}

function planMigrations(files: MigrationFile[], applied: readonly AppliedMigration[]): Omit<SchemaPlan, 'functions'> {
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]))
  const ours = new Map(files.map(({ name, checksum }) => [name, checksum]))
  const replaced = replacedBy(files)
  const { has_replaced, partly } = findReplaced(replaced, [...checksums.keys()])
  const missing = files.filter(({ name }) => !checksums.has(name))
  const isReplacing = ({ replaces }: MigrationFile) => has_replaced && replaces.length > 0
  const pending = missing.filter((file) => !isReplacing(file))
  return {
    pending,
    replacing: missing.filter(isReplacing),
    made: files.filter((file) => !pending.includes(file)),
    partly,
    unknown: applied.filter(({ name }) => !ours.has(name) && !replaced.includes(name)),
    changed: applied.filter(({ name, checksum }) => (ours.get(name) ?? checksum) !== checksum).map(({ name }) => name),
  }
}

/** The reason why a start on the database fails, as a clause. Both `upgrade-check` and the start call this. Changes nothing. */
export async function examineUpgrade(client: pg.ClientBase, plan: SchemaPlan): Promise<Examination> {
  const { partly, changed, unknown, pending, replacing, made } = plan
  const breaking = unknown.find((migration) => migration.breaking)
  const refusal =
    partly ??
    (changed.length > 0 ? `the migration ${changed[0]} was changed after it was applied` : undefined) ??
    (breaking &&
      `the database has the migration ${breaking.name}, which this version does not know and cannot work beside: start a newer version of Plaza`)
  const is_upgrade = pending.length + replacing.length > 0 && made.length > 0 && unknown.length === 0
  return refusal === undefined && is_upgrade ? compareSchemas(client, plan) : { refusal, notes: [] }
}

function findReplaced(replaced: readonly string[], names: readonly string[]) {
  const found = replaced.filter((name) => names.includes(name))
  const missing = replaced.find((name) => !names.includes(name))
  const partly =
    found.length > 0 && missing !== undefined
      ? `the database has ${found.length} of the ${replaced.length} migrations of version 0.2, and not ${missing}: start version 0.2 on it first`
      : undefined
  return { has_replaced: found.length > 0, partly }
}

/** The names, with replaced migrations substituted by the files that replace them. */
export function withReplacing(files: readonly MigrationFile[], names: readonly string[]) {
  const { has_replaced, partly } = findReplaced(replacedBy(files), names)
  if (partly !== undefined) throw new Error(partly)
  return has_replaced
    ? [...names, ...files.filter(({ replaces }) => replaces.length > 0).map(({ name }) => name)]
    : names
}

interface AppliedFunctions {
  domain: string
  checksum: string
  version: string
}

/** The domains whose text differs from the applied one, unless a newer version applied it. */
function changedFunctions(files: SqlFile[], applied: readonly AppliedFunctions[], version: string) {
  const by_domain = new Map(applied.map((row) => [row.domain, row]))
  return files.filter(({ name, checksum }) => {
    const earlier = by_domain.get(name)
    return !earlier || (earlier.checksum !== checksum && compareVersions(earlier.version, version) <= 0)
  })
}

/** Compares semantic versions by their numbers: negative if the first is older. */
function compareVersions(one: string, other: string) {
  const numbers = (version: string) => version.split('-')[0]!.split('.').map(Number)
  const [ones, others] = [numbers(one), numbers(other)]
  const at = ones.findIndex((number, index) => number !== others[index])
  return at < 0 ? 0 : (ones[at] ?? 0) - (others[at] ?? 0)
}

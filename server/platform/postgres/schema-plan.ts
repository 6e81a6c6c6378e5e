import type { SchemaSources } from './migrations.ts'
import {
  changedFunctions,
  readFunctions,
  readMigrations,
  type AppliedFunctions,
  type AppliedMigration,
} from './migrations.ts'
import type { Sql } from './database.ts'

/** What `migrate` would do to a database. */
export interface SchemaPlan {
  /** Migrations that would be applied; `breaking` is the reason why older processes cannot continue beside it. */
  pending: { name: string; text: string; breaking: string | undefined }[]
  /** Domains whose functions would be applied again. */
  functions: string[]
  /** Applied migrations that this version does not know: the database is ahead. */
  unknown: { name: string; breaking: boolean }[]
  /** Applied migrations whose file is another one now. */
  changed: string[]
  /** Version 0.1.0 wrote the schema: its processes do not start beside migrations that they do not know. */
  is_first_version: boolean
}

/** Compares a database with this version. Reads only; fails with 42P01 where there is no schema of ours. */
export async function planSchema(db: Sql, { migrations, domains, version }: SchemaSources): Promise<SchemaPlan> {
  const files = await readMigrations(migrations)
  const is_first_version = !(await hasBreakingColumn(db))
  const applied = is_first_version
    ? await db.sql<AppliedMigration>`select name, checksum, false as breaking from schema_migrations`
    : await db.sql<AppliedMigration>`select name, checksum, breaking from schema_migrations`
  const ours = new Map(files.map(({ name, checksum }) => [name, checksum]))
  const theirs = new Set(applied.map(({ name }) => name))
  const unknown = applied.filter(({ name }) => !ours.has(name)).map(({ name, breaking }) => ({ name, breaking }))
  const known_functions = is_first_version
    ? []
    : await db.sql<AppliedFunctions>`select domain, checksum, version from schema_functions`
  return {
    pending: files
      .filter(({ name }) => !theirs.has(name))
      .map(({ name, text, breaking }) => ({ name, text, breaking: breaking ? reasonOf(text) : undefined })),
    functions:
      unknown.length > 0 || domains === undefined
        ? []
        : changedFunctions(await readFunctions(domains), known_functions, version).map(({ name }) => name),
    unknown,
    changed: applied
      .filter(({ name, checksum }) => ours.has(name) && ours.get(name) !== checksum)
      .map(({ name }) => name),
    is_first_version,
  }
}

const reasonOf = (text: string) => text.split('\n', 1)[0]!.replace('-- breaking: ', '').trim()

async function hasBreakingColumn(db: Sql) {
  const [row] = await db.sql<{ found: boolean }>`
    select exists (
      select 1 from pg_attribute
       where attrelid = 'schema_migrations'::regclass and attname = 'breaking' and not attisdropped
    ) as found`
  return row!.found
}

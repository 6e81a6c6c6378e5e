import type { Sql } from './database.ts'
import {
  changedFunctions,
  planMigrations,
  readFunctions,
  readMigrations,
  type AppliedFunctions,
  type AppliedMigration,
  type SchemaSources,
} from './migrations.ts'

/** The changes that `migrate` would make to a database. */
export interface SchemaPlan {
  /** Migrations that would be applied; `breaking` is the reason why older processes cannot continue beside it. */
  pending: { name: string; text: string; breaking: string | undefined }[]
  /** Domains whose functions would be applied again. */
  functions: string[]
  /** Applied migrations that this version does not know: the database is ahead. */
  unknown: { name: string; breaking: boolean }[]
  /** Applied migrations whose file is another one now. */
  changed: string[]
  /** The sentence about a database that has only some of the migrations of version 0.2. */
  partly: string | undefined
  /** The migrations that have made the schema, where it is to be compared with them. */
  made: { text: string }[]
}

/** Compares a database with this version. Reads only; fails with 42P01 where there is no schema of ours. */
export async function planSchema(db: Sql, { migrations, domains, version }: SchemaSources): Promise<SchemaPlan> {
  // Version 0.1.0 has neither the column nor the table of functions.
  const applied = await db.sql<AppliedMigration>`
    select name, checksum, coalesce((to_jsonb(m) ->> 'breaking')::boolean, false) as breaking from schema_migrations m`
  const [table] = await db.sql<{ exists: boolean }>`select to_regclass('schema_functions') is not null as exists`
  const functions = table!.exists
    ? await db.sql<AppliedFunctions>`select domain, checksum, version from schema_functions`
    : []
  const files = await readMigrations(migrations)
  const { pending, replacing, partly, unknown, changed } = planMigrations(files, applied)
  return {
    pending: pending.map(({ name, text, breaking }) => ({
      name,
      text,
      breaking: breaking ? reasonOf(text) : undefined,
    })),
    functions:
      unknown.length > 0 || domains === undefined
        ? []
        : changedFunctions(await readFunctions(domains), functions, version).map(({ name }) => name),
    unknown: unknown.map(({ name, breaking }) => ({ name, breaking })),
    changed,
    partly,
    made: replacing.length > 0 ? files.filter((file) => !pending.includes(file)) : [],
  }
}

const reasonOf = (text: string) => text.split('\n', 1)[0]!.replace('-- breaking: ', '').trim()

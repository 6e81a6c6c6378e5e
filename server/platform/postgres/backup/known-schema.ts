import { readSchemaFiles, type SchemaSources } from '../migrations.ts'
import { BackupFileError, type BackupHeader } from './file-format.ts'

/** Tables that migrations write themselves; a restore writes them by applying the migrations. */
export const schema_tables: readonly string[] = ['schema_migrations', 'schema_functions']

/** What this version of Plaza knows of the schema, from the text of its migrations and functions. */
export interface KnownSchema {
  sources: SchemaSources
  /** Checksums of the migrations by name. */
  migrations: ReadonlyMap<string, string>
  /** Every table and function that a migration ever created, also those that a later one drops. */
  tables: ReadonlySet<string>
  functions: ReadonlySet<string>
}

export async function readKnownSchema(sources: SchemaSources): Promise<KnownSchema> {
  const { migrations, functions } = await readSchemaFiles(sources)
  const texts = [...migrations, ...functions].map(({ text }) => text)
  return {
    sources,
    migrations: new Map(migrations.map(({ name, checksum }) => [name, checksum])),
    tables: new Set([...namesIn(texts, /^\s*create table (?:if not exists )?(\w+)/gim), ...schema_tables]),
    functions: new Set(namesIn(texts, /^\s*create (?:or replace )?function (\w+)/gim)),
  }
}

const namesIn = (texts: readonly string[], pattern: RegExp) =>
  texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name = '']) => name))

export const hasNewerMigrations = (known: KnownSchema, migrations: BackupHeader['migrations']) =>
  migrations.some(({ name }) => !known.migrations.has(name))

/** Fails where this version does not know the schema of the file. */
export function refuseUnknownSchema(known: KnownSchema, { migrations, plaza_version }: BackupHeader, name: string) {
  const newer = migrations.find((migration) => !known.migrations.has(migration.name))
  if (newer)
    throw new BackupFileError(
      `${name} was made by a newer version of Plaza (${plaza_version}): it has the migration ${newer.name}, which this version does not know. Use that version or a newer one.`,
    )
  const changed = migrations.find((migration) => known.migrations.get(migration.name) !== migration.checksum)
  if (changed)
    throw new BackupFileError(
      `${name} does not fit this version of Plaza: its migration ${changed.name} had another text.`,
    )
}

import { readSchemaFiles, replacedBy, type SchemaSources } from '../schema-files.ts'
import { BackupFileError, type BackupHeader } from './file-format.ts'

/** Tables that the migrations themselves write. A restore fills them by applying the migrations. */
export const schema_tables: readonly string[] = ['schema_migrations', 'schema_functions']

/** The schema that this version of Plaza knows, from the text of its migrations and functions. */
export interface KnownSchema {
  sources: SchemaSources
  /** Checksums of the migrations by name. */
  migrations: ReadonlyMap<string, string>
  /** Names of earlier migrations that these replace. */
  replaced: ReadonlySet<string>
  /** Every table and function that a migration ever created, including those that a later one drops. */
  tables: ReadonlySet<string>
  functions: ReadonlySet<string>
}

export async function readKnownSchema(sources: SchemaSources): Promise<KnownSchema> {
  const { migrations, functions } = await readSchemaFiles(sources)
  const texts = [...migrations, ...functions].map(({ text }) => text)
  return {
    sources,
    migrations: new Map(migrations.map(({ name, checksum }) => [name, checksum])),
    replaced: new Set(replacedBy(migrations)),
    tables: new Set([...namesIn(texts, /^\s*create table (?:if not exists )?(\w+)/gim), ...schema_tables]),
    functions: new Set(namesIn(texts, /^\s*create (?:or replace )?function (\w+)/gim)),
  }
}

const namesIn = (texts: readonly string[], pattern: RegExp) =>
  texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name = '']) => name))

const isKnown = (known: KnownSchema, name: string) => known.migrations.has(name) || known.replaced.has(name)

export const hasNewerMigrations = (known: KnownSchema, migrations: BackupHeader['migrations']) =>
  migrations.some(({ name }) => !isKnown(known, name))

/** Fails if this version does not know the schema of the file. */
export function refuseUnknownSchema(known: KnownSchema, { migrations, plaza_version }: BackupHeader, name: string) {
  const newer = migrations.find((migration) => !isKnown(known, migration.name))
  if (newer)
    throw new BackupFileError(
      `${name} was made by a newer version of Plaza (${plaza_version}): it has the migration ${newer.name}, which this version does not know. Use that version or a newer one.`,
    )
  const changed = migrations.find(
    ({ name: known_name, checksum }) => (known.migrations.get(known_name) ?? checksum) !== checksum,
  )
  if (changed)
    throw new BackupFileError(
      `${name} does not fit this version of Plaza: its migration ${changed.name} had another text.`,
    )
}

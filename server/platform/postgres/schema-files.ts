import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'

/** The files of a schema, and the package version that contains them. */
export interface SchemaSources {
  /** The folder of the numbered migrations: tables and data, applied once and never edited. */
  migrations: string
  /** The folder whose domains contain a `functions.sql`: the current functions, triggers and views. */
  domains?: string
  version: string
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
  /** The reason why older processes cannot continue beside it; undefined if they can. */
  breaking: string | undefined
  /** Names of the earlier migrations that this one replaces. */
  replaces: string[]
}

const sqlFile = (name: string, text: string): SqlFile => ({
  name,
  text,
  checksum: createHash('sha256').update(text).digest('hex'),
})

/** The numbered files of a folder, in order. */
async function readMigrations(folder: string): Promise<MigrationFile[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_.*\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8')
      const [, replaces = ''] = /^-- replaces: (.*)$/m.exec(text) ?? []
      return {
        ...sqlFile(name, text),
        breaking: /^-- breaking: (.*)/.exec(text)?.[1]?.trim(),
        replaces: replaces.split(' ').filter(Boolean),
      }
    }),
  )
}

/** The names of migrations that the files replace. */
export const replacedBy = (files: readonly MigrationFile[]) => files.flatMap(({ replaces }) => replaces)

/** Every `functions.sql` below the folder, by its domain. */
async function readFunctions(folder: string): Promise<SqlFile[]> {
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith(`${sep}functions.sql`))
  const read = async (path: string) =>
    sqlFile(dirname(path).replaceAll(sep, '/'), await readFile(join(folder, path), 'utf8'))
  return Promise.all(paths.sort().map(read))
}

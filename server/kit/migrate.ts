import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'

const migrations_lock = 7_205_461_337

/**
 * Brings the database to the newest schema: applies the numbered files of `folder` that it has not seen, each in a
 * transaction of its own, under an advisory lock so that processes that start together do not meet.
 * Throws when an applied file was changed since, or when the database is newer than this code.
 * Returns the names of the files it applied.
 */
export async function migrate(pool: pg.Pool, folder: string): Promise<string[]> {
  const client = await pool.connect()
  try {
    await client.query('set statement_timeout = 0')
    await client.query('select pg_advisory_lock($1)', [migrations_lock])
    await client.query(
      `create table if not exists schema_migrations (
         name text primary key, checksum text not null, applied_at timestamptz not null default now())`,
    )
    const files = await readMigrations(folder)
    const { rows } = await client.query<{ name: string; checksum: string }>(
      'select name, checksum from schema_migrations',
    )
    const applied = new Map(rows.map((row) => [row.name, row.checksum]))
    refuseSurprises(files, applied)
    const pending = files.filter(({ name }) => !applied.has(name))
    for (const file of pending) await applyMigration(client, file)
    return pending.map(({ name }) => name)
  } finally {
    await client.query('select pg_advisory_unlock_all()').catch(() => {})
    client.release(true)
  }
}

interface MigrationFile {
  name: string
  text: string
  checksum: string
}

async function readMigrations(folder: string): Promise<MigrationFile[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_.*\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8')
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

function refuseSurprises(files: MigrationFile[], applied: Map<string, string>) {
  const known = new Map(files.map(({ name, checksum }) => [name, checksum]))
  for (const [name, checksum] of applied) {
    if (!known.has(name)) throw new Error(`the database has the migration ${name}, which this version does not know`)
    if (known.get(name) !== checksum) throw new Error(`the migration ${name} was changed after it was applied`)
  }
}

async function applyMigration(client: pg.PoolClient, { name, text, checksum }: MigrationFile) {
  try {
    await client.query('begin')
    await client.query(text)
    await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [name, checksum])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw new Error(`migration ${name} failed: ${(error as Error).message}`, { cause: error })
  }
}

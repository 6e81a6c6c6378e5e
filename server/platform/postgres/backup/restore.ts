import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from } from 'pg-copy-streams'
import type { ConnectionConfig } from '../connection.ts'
import { applySchema, migrations_lock } from '../migrations.ts'
import type { Sql } from '../statements.ts'
import {
  dropObjects,
  findPlazaSession,
  hasTable,
  listTables,
  planLoad,
  readServer,
  setSequence,
  type Table,
} from './catalog.ts'
import { BackupFileError, BackupReader, type BackupHeader, type TableReader } from './file-format.ts'
import { refuseUnknownSchema, schema_tables, type KnownSchema } from './known-schema.ts'
import type { BackupPolicy } from './policy.ts'
import { createJobsTable, jobs_section, queueRestoredJobs } from './queued-jobs.ts'
import { openSession, sqlOn } from './session.ts'

export interface RestoreOptions {
  connection: ConnectionConfig
  /** The decompressed bytes of the file. */
  source: AsyncIterable<Buffer>
  /** The name of the file in messages. */
  name: string
  /** The name of the database in messages: `the database of DATABASE_URL`. */
  database: string
  policy: BackupPolicy
  known: KnownSchema
  /** Creates missing tables of the job queue. */
  prepareQueue(): Promise<void>
  /** Throws if a key that the header names is missing. */
  checkHeader?(header: BackupHeader): void
  /** Throws if the restored rows must not be kept. Called within the transaction of the restore. */
  checkRows?(db: Sql): Promise<void>
  signal?: AbortSignal | undefined
}

export interface Restored {
  header: BackupHeader
  tables: number
  rows: number
  /** Migrations that were applied to the restored rows. */
  migrations: string[]
}

/** The database is not suitable for a restore. The message says why and what to do. */
class RestoreRefused extends Error {
  override name = 'RestoreRefused'
}

const restore_lock = 7_205_461_350

/**
 * Restores a backup into an empty database, all or nothing. Fails with `BackupFileError` because of the file and with
 * `RestoreRefused` because of the database. A service that starts meanwhile waits.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { header, reader } = await BackupReader.open(options.source, options.name)
  refuseUnknownSchema(options.known, header, options.name)
  options.checkHeader?.(header)
  const client = await openSession(options.connection, 'plaza-restore', options.signal)
  try {
    await takeLocks(client, options)
    await refuseUsedDatabase(client, options)
    const had_queue = await hasTable(client, 'graphile_worker._private_jobs')
    await options.prepareQueue()
    try {
      await client.query('begin')
      const restored = await load(client, options, header, reader)
      await client.query('commit')
      return restored
    } catch (error) {
      await client.query('rollback').catch(() => {})
      if (!had_queue) await client.query('drop schema if exists graphile_worker cascade').catch(() => {})
      throw error
    }
  } finally {
    await client.end().catch(() => {})
  }
}

/** Session locks, held to the end: only one restore at a time, and services that start wait before they migrate. */
async function takeLocks(client: pg.Client, { database }: RestoreOptions) {
  const { rows } = await client.query<{ restores: boolean; migrations: boolean }>(
    'select pg_try_advisory_lock($1) as restores, pg_try_advisory_lock($2) as migrations',
    [restore_lock, migrations_lock],
  )
  if (!rows[0]?.restores) throw new RestoreRefused(`Another restore writes into ${database}: wait for its end.`)
  if (!rows[0].migrations) throw new RestoreRefused(`A service is starting on ${database}: stop it first.`)
}

async function refuseUsedDatabase(client: pg.Client, { database, known, policy }: RestoreOptions) {
  const session = await findPlazaSession(client)
  if (session !== undefined)
    throw new RestoreRefused(`A service is connected to ${database} (${session}): stop all of its processes first.`)
  const { encoding } = await readServer(client)
  if (encoding !== 'UTF8')
    throw new RestoreRefused(`${sentence(database)} has the encoding ${encoding}: create it with the encoding UTF8.`)
  const tables = await listTables(client)
  const foreign = tables.filter(({ name }) => !known.tables.has(name))
  if (foreign.length > 0)
    throw new RestoreRefused(
      `${sentence(database)} holds tables that are not of this version of Plaza, such as ${foreign[0]!.name}: restore into an empty database.`,
    )
  for (const { name, quoted } of tables.filter((table) => policy.in_use.includes(table.name))) {
    const { rowCount } = await client.query(`select from ${quoted} limit 1`)
    if ((rowCount ?? 0) > 0)
      throw new RestoreRefused(
        `${sentence(database)} is not empty: its table ${name} has rows. Restore into an empty database.`,
      )
  }
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

async function load(client: pg.Client, options: RestoreOptions, header: BackupHeader, reader: BackupReader) {
  const { known, policy } = options
  await dropObjects(client, { tables: [...known.tables], functions: [...known.functions] })
  await applySchema(client, known.sources, { only: header.migrations.map(({ name }) => name) })
  const tables = await tablesOf(client, options, header)
  const total = await loadRows(client, tables, options.name, reader)
  for (const { name, sequences } of header.tables)
    for (const sequence of sequences) await setSequence(client, tables.get(name)!, sequence)
  for (const [name, statement] of Object.entries(policy.after_load))
    if (await hasTable(client, name)) await client.query(statement)
  const { migrations } = await applySchema(client, known.sources)
  await options.checkRows?.(sqlOn(client))
  await client.query(`analyze ${(await listTables(client)).map(({ quoted }) => quoted).join(', ')}`)
  return { header, ...total, migrations }
}

/** The tables to load, as created by the migrations of the file. They must match those of the file. */
async function tablesOf(client: pg.Client, { name, policy }: RestoreOptions, header: BackupHeader) {
  const tables = new Map((await listTables(client)).map((table) => [table.name, table]))
  const unknown = header.tables.find((table) => !tables.has(table.name))
  if (unknown) throw new BackupFileError(`${name} has a table that its migrations do not make: ${unknown.name}.`)
  const loaded = new Map<string, Table>()
  for (const table of header.tables) loaded.set(table.name, { ...tables.get(table.name)!, columns: table.columns })
  const missing = [...tables.keys()].find(
    (table) => !loaded.has(table) && !schema_tables.includes(table) && !policy.left_out.includes(table),
  )
  if (missing !== undefined) throw new BackupFileError(`${name} lacks the table ${missing}.`)
  return loaded
}

/** Replaces all rows, including those that migrations inserted, with those of the file. */
async function loadRows(client: pg.Client, tables: ReadonlyMap<string, Table>, name: string, reader: BackupReader) {
  const names = [...tables.values()].map(({ quoted }) => quoted)
  const { before, after } = await planLoad(client, names)
  for (const statement of before) await client.query(statement)
  await client.query(`truncate ${names.join(', ')}`)
  const total = { tables: tables.size, rows: 0 }
  for (let table = await reader.nextTable(); table; table = await reader.nextTable())
    total.rows += await loadTable(client, tables, name, table)
  await client.query("set local maintenance_work_mem = '256MB'")
  for (const statement of after) await client.query(statement)
  return total
}

async function loadTable(client: pg.Client, tables: ReadonlyMap<string, Table>, name: string, section: TableReader) {
  const is_jobs = section.name === jobs_section
  const table = tables.get(section.name)
  if (!table && !is_jobs) throw new BackupFileError(`${name} has rows of an unknown table: ${section.name}.`)
  const target = table
    ? `${table.quoted} (${table.columns.map((column) => client.escapeIdentifier(column)).join(', ')})`
    : await createJobsTable(client)
  const copy = client.query(from(`copy ${target} from stdin`))
  await pipeline(section.rows(), copy)
  const { rows } = section.end()
  if (copy.rowCount !== rows)
    throw new BackupFileError(`${name} says that ${section.name} has ${rows} rows, but it has ${copy.rowCount}.`)
  if (is_jobs) await queueRestoredJobs(client)
  return rows
}

import type pg from 'pg'
import { to } from 'pg-copy-streams'
import { sqlState } from '../errors.ts'
import type { Sql } from '../statements.ts'
import { backup_lock } from './lock.ts'
import { changingRows, columnsOf, partsOf, readSnapshot, refuseRewritten, type Snapshot } from './append-only.ts'
import { listTables, readSequences, readServer, type Table } from './catalog.ts'
import { format_version, FrameWriter, type BackupHeader, type BackupTotals, type NeededKey } from './file-format.ts'
import { hasNewerMigrations, schema_tables, type KnownSchema } from './known-schema.ts'
import type { BackupPolicy } from './policy.ts'
import { jobs_section, queryOfJobs } from './queued-jobs.ts'
import { sqlOn } from './session.ts'

export interface BackupOptions {
  policy: BackupPolicy
  /** The schema that this version knows. */
  known: KnownSchema
  plaza_version: string
  /** Finds the keys that stored values need, in the backup's snapshot. */
  findKeys(db: Sql): Promise<NeededKey[]>
  /** Called when the snapshot's transaction has ended. The backup may slow down from then on. */
  onSnapshotEnd?(): void
  /** Called after each part that is read after the snapshot, with its duration. May wait before the next part. */
  onPart?(ms: number): Promise<void>
}

export interface Backup {
  /** The uncompressed bytes of the file, produced while reading. */
  frames(): AsyncGenerator<Buffer>
  header(): BackupHeader
  totals(): BackupTotals
}

/** A backup of the database that the client is connected to. Writes nothing to it. */
export function openBackup(client: pg.Client, options: BackupOptions): Backup {
  const writer = new FrameWriter()
  let header: BackupHeader | undefined
  return {
    frames: () => framesOf(client, options, writer, (made) => (header = made)),
    header: () => header!,
    totals: () => writer.totals,
  }
}

async function* framesOf(
  client: pg.Client,
  options: BackupOptions,
  writer: FrameWriter,
  setHeader: (header: BackupHeader) => void,
): AsyncGenerator<Buffer> {
  const { policy } = options
  await client.query(`select pg_advisory_lock_shared(${backup_lock})`)
  await client.query('begin transaction isolation level repeatable read read only')
  const tables = (await listTables(client)).filter(({ name }) => !schema_tables.includes(name))
  const migrations = await readMigrationsOf(client)
  // With a newer schema, any table may be Plaza's.
  const is_newer = hasNewerMigrations(options.known, migrations)
  const copied = tables.filter(
    ({ name }) => !policy.left_out.includes(name) && (is_newer || options.known.tables.has(name)),
  )
  const header = await describe(client, options, { migrations, copied, all: tables })
  setHeader(header)
  yield writer.header(header)
  const in_parts = copied.filter(({ name, pages }) => pages !== null && Object.hasOwn(policy.append_only, name))
  for (const table of copied.filter((table) => !in_parts.includes(table)))
    yield* tableFrames(client, writer, table.name, [`select ${columnsOf(client, table)} from ${table.quoted}`])
  const jobs = await queryOfJobs(client)
  if (jobs !== undefined) yield* tableFrames(client, writer, jobs_section, [jobs])
  for (const table of in_parts) {
    const { but } = policy.append_only[table.name]!
    if (but !== undefined) yield* tableFrames(client, writer, table.name, [changingRows(client, table, but)])
  }
  const snapshot = await readSnapshot(client)
  await client.query('commit')
  options.onSnapshotEnd?.()
  yield* partFrames(client, writer, options, in_parts, snapshot)
  await refuseChangedSchema(client, header)
  yield writer.trailer()
}

async function* partFrames(
  client: pg.Client,
  writer: FrameWriter,
  { policy, onPart }: BackupOptions,
  tables: readonly Table[],
  snapshot: Snapshot,
) {
  for (const table of tables) {
    const parts = partsOf(client, table, policy.append_only[table.name]!, snapshot)
    yield* tableFrames(client, writer, table.name, parts, onPart)
  }
  refuseRewritten(tables, await listTables(client))
}

async function* tableFrames(
  client: pg.Client,
  writer: FrameWriter,
  name: string,
  queries: Iterable<string>,
  onPart?: BackupOptions['onPart'],
) {
  yield writer.beginTable(name)
  let count = 0
  for (const query of queries) {
    const started = performance.now()
    const rows = client.query(to(`copy (${query}) to stdout`, { highWaterMark: read_ahead_bytes }))
    for await (const chunk of rows as AsyncIterable<Buffer>) yield* writer.rows(chunk)
    count += rows.rowCount
    await onPart?.(performance.now() - started)
  }
  yield writer.endTable(count)
}

const read_ahead_bytes = 262_144

interface Described {
  migrations: BackupHeader['migrations']
  copied: readonly Table[]
  all: readonly Table[]
}

async function describe(client: pg.Client, options: BackupOptions, { migrations, copied, all }: Described) {
  const tables = []
  for (const table of copied)
    tables.push({ name: table.name, columns: table.columns, sequences: await readSequences(client, table) })
  return {
    format: format_version,
    plaza_version: options.plaza_version,
    postgres_version: (await readServer(client)).version,
    made_at: new Date().toISOString(),
    migrations,
    keys: await findKeys(client, options),
    tables,
    left_out: all.filter((table) => !copied.includes(table)).map(({ name }) => name),
  } satisfies BackupHeader
}

/** The keys that stored values need; null if an old schema lacks the required tables or columns. */
async function findKeys(client: pg.Client, options: BackupOptions) {
  await client.query('savepoint keys')
  try {
    return await options.findKeys(sqlOn(client))
  } catch (error) {
    if (!isMissingFromSchema(error)) throw error
    await client.query('rollback to savepoint keys')
    return null
  }
}

const isMissingFromSchema = (error: unknown) => ['42P01', '42703'].includes(sqlState(error) ?? '')

async function readMigrationsOf(client: pg.Client) {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations order by name',
  )
  return rows
}

/** Fails if the schema has changed: a migration between the snapshot and the last part would mix two schemas in one file. */
async function refuseChangedSchema(client: pg.Client, { migrations }: BackupHeader) {
  const now = await readMigrationsOf(client)
  if (JSON.stringify(now) !== JSON.stringify(migrations))
    throw new Error('The schema was changed during the backup: take it again.')
}

import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { verifyLedger } from '../points/ledger-check.service.ts'
import type { Logger } from '../platform/log.ts'
import { checkIndexes } from '../platform/postgres/backup/check-indexes.ts'
import type { BackupHeader } from '../platform/postgres/backup/file-format.ts'
import type { ConnectionConfig } from '../platform/postgres/connection.ts'
import { openDatabase } from '../platform/postgres/database.ts'
import { startEmbeddedPostgres } from '../platform/postgres/embedded/start.ts'
import { checkFile, restoreFile } from './restore.ts'

export interface VerifyOptions {
  file: string
  /** Where the copy is restored: on a separate server below this folder, or in a database next to that of a connection. */
  scratch: { folder: string } | { server: ConnectionConfig }
  log: Logger
  signal?: AbortSignal
}

export interface Verified {
  header: BackupHeader
  tables: number
  rows: number
  indexes: number
  transfers: number
}

/** The file is complete, but its content is not correct. */
class BackupNotGood extends Error {
  override name = 'BackupNotGood'
}

/**
 * Restores a copy of a backup, checks it and removes it: the number of rows, every index (amcheck), and the ledger. Fails with the first
 * problem.
 */
export async function verifyBackup({ file, scratch, log, signal }: VerifyOptions): Promise<Verified> {
  await checkFile(file, undefined)
  const place = 'folder' in scratch ? await startScratchServer(scratch.folder) : await createScratch(scratch.server)
  try {
    const { connection } = place
    const names = { file, database: 'the scratch database' }
    const { header, tables, rows } = await restoreFile({ connection, file, names, keys: undefined, signal })
    const indexes = await checkIndexes(connection)
    const transfers = await checkBooks(connection, log, file)
    return { header, tables, rows, indexes, transfers }
  } finally {
    await place.remove()
  }
}

async function checkBooks(connection: ConnectionConfig, log: Logger, file: string) {
  const db = openDatabase({ connection, log })
  try {
    const { balanced, faults, transfers } = await verifyLedger({ db })
    if (!balanced)
      throw new BackupNotGood(
        `The ledger in ${file} does not balance: ${faults.length} accounts are wrong. GET /api/admin/ledger/check lists those of the service.`,
      )
    return transfers
  } finally {
    await db.close()
  }
}

const scratch_prefix = 'verify-'

/** A server with an empty database, in a folder that is removed together with it. */
async function startScratchServer(folder: string) {
  await mkdir(folder, { recursive: true, mode: 0o711 })
  await removeLeftovers(folder)
  const data_dir = await mkdtemp(join(folder, `${scratch_prefix}${process.pid}-`))
  const remove = () => rm(data_dir, { recursive: true, force: true, maxRetries: 5 })
  try {
    // It holds a copy, which a crash may lose.
    const server = await startEmbeddedPostgres({ data_dir, fsync: false })
    return {
      connection: server.connection,
      async remove() {
        await server.stop()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Stops and removes the servers of killed verifications. */
async function removeLeftovers(folder: string) {
  for (const name of await readdir(folder)) {
    const [, pid] = /^verify-(\d+)-/.exec(name) ?? []
    if (pid === undefined || isAlive(Number(pid))) continue
    const data_dir = join(folder, name)
    await startEmbeddedPostgres({ data_dir, fsync: false }).then(
      (server) => server.stop(),
      () => {},
    )
    await rm(data_dir, { recursive: true, force: true, maxRetries: 5 })
  }
}

function isAlive(pid: number) {
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** A database next to that of the connection, on the same server. */
async function createScratch(server: ConnectionConfig) {
  const database = `plaza_verify_${randomBytes(6).toString('hex')}`
  const run = async (statement: string) => {
    const client = new pg.Client({ ...server, application_name: 'plaza-verify' })
    await client.connect()
    try {
      await client.query(statement)
    } finally {
      await client.end()
    }
  }
  await run(`create database ${database} encoding 'UTF8' template template0`)
  return { connection: inDatabase(server, database), remove: () => run(`drop database ${database} with (force)`) }
}

/** The connection to another database of the same server. */
function inDatabase({ connectionString, ...connection }: ConnectionConfig, database: string): ConnectionConfig {
  if (connectionString === undefined) return { ...connection, database }
  const [, head = '', query = ''] = /^(\w+:\/\/[^/?]*)(?:\/[^?]*)?(\?.*)?$/.exec(connectionString) ?? []
  return { ...connection, connectionString: `${head}/${database}${query}` }
}

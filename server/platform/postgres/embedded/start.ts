/**
 * The PostgreSQL that comes with the npm dependencies, for a start without any database of one's own.
 *
 * In the data folder: `postgres/` (the database), `postgres.log` (what the server says) and, during a start,
 * `postgres.lock`. The server is a process of its own that listens on a unix socket only. It outlives a killed node
 * process, and the next start attaches to it. PostgreSQL refuses to run as root; started by root it runs as `nobody`.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { prepareBinaries } from './binaries.ts'
import { checkOwner, checkVersion, createDatabase, removeUnfinished, superuser } from './database.ts'
import { toEmbeddedPostgresError, EmbeddedPostgresError } from './error.ts'
import { startServer, type StartResult } from './launch.ts'
import { withStartLock } from './lock.ts'
import { openLocation, port, type Location } from './location.ts'
import { findRunningServer, stopServer } from './server.ts'

export interface EmbeddedPostgresOptions {
  /** Made when missing. Relative to the working directory. */
  data_dir: string
  /** False is for tests only: faster, and a crash of the machine may lose the database. */
  fsync?: boolean
  /** Told in a line each what a start does that takes time or is worth knowing. */
  log?: (line: string) => void
}

export interface EmbeddedPostgres {
  /** `host` is the folder of the unix socket; there is no password. */
  connection: { host: string; port: number; user: string; database: string }
  /** True when the server was running already, started by another or an earlier process. */
  reused: boolean
  /**
   * Stops the server, also a reused one, for everyone who is attached to it, and waits until it is down. Open
   * transactions are rolled back; nothing committed is lost. May be called again and after the server is gone.
   */
  stop(): Promise<void>
}

/**
 * Starts the database in `data_dir`, made on the first start, or attaches to its server when that is running already.
 * Any number of processes may start the same folder at once: one starts the server, the others attach to it.
 * Fails with `EmbeddedPostgresError` when the folder or the platform does not allow it.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  if (process.platform === 'win32')
    throw new EmbeddedPostgresError(
      'The PostgreSQL that comes with this service does not run on Windows: set DATABASE_URL to a PostgreSQL server.',
    )
  const { data_dir, fsync = true, log = () => {} } = options
  try {
    const place = await openLocation(resolve(data_dir), log)
    const { server, reused } = await withStartLock(place.lock_file, () => attachOrStart(place, fsync))
    const connection = { host: server.socket_dir, port, user: superuser, database: 'postgres' }
    let stopped: Promise<void> | undefined
    return { connection, reused, stop: () => (stopped ??= stopServer(place, server)) }
  } catch (error) {
    throw toEmbeddedPostgresError(error, resolve(data_dir))
  }
}

async function attachOrStart(place: Location, fsync: boolean): Promise<StartResult> {
  await checkOwner(place)
  const running = await findRunningServer(place)
  if (running) {
    place.log(`PostgreSQL is running already (process ${running.pid}) on ${place.database_dir}`)
    return { server: running, reused: true }
  }
  await removeUnfinished(place)
  const is_new = !existsSync(place.database_dir)
  if (!is_new) await checkVersion(place)
  const binaries = await prepareBinaries(place)
  if (is_new) await createDatabase(place, binaries, fsync)
  return startServer(place, binaries, fsync)
}

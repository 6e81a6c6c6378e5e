/**
 * The PostgreSQL that comes with the npm dependencies, for a start without DATABASE_URL.
 *
 * The data folder holds `postgres/` (the database), `postgres.log` (the server's log) and, during a start, `postgres.lock`.
 * The server is a separate process that listens on a unix socket only. It keeps running when the Node process is killed, and
 * the next start attaches to it. It asks for a password, which is in a file that only the owner reads. PostgreSQL refuses to run as root; started by root it runs as `nobody`.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { prepareBinaries } from './binaries.ts'
import { checkOwner, checkVersion, createDatabase, removeUnfinished } from './database.ts'
import { toEmbeddedPostgresError, EmbeddedPostgresError } from './error.ts'
import { rotateLog, startServer, type ServerSettings, type StartResult } from './launch.ts'
import { withStartLock } from './lock.ts'
import { openLocation, port, superuser, type Location } from './location.ts'
import { readPassword, setPassword } from './password.ts'
import { findRunningServer, stopServer } from './server.ts'

export interface EmbeddedPostgresOptions {
  /** Created if missing. Relative to the working directory. */
  data_dir: string
  /** False for tests only: faster, but a crash of the machine may lose the database. */
  fsync?: boolean
  /** For tests and benchmarks with many programs that know no password: a new database requires none. */
  trusts_local_users?: boolean
  /** The minimum `max_connections` of a server that is started here; 100 by default. */
  connections?: number
  /** Called with one line for each step of a start that takes time or is worth knowing. */
  log?: (line: string) => void
}

export interface EmbeddedPostgres {
  /** `host` is the folder of the unix socket. */
  connection: { host: string; port: number; user: string; database: string; password?: string }
  /** True if another or an earlier process had already started the server. */
  reused: boolean
  /**
   * Stops the server for all attached processes, even if it was reused, and waits until it has exited. Open transactions are rolled back;
   * nothing committed is lost. May be called again, and when the server no longer runs.
   */
  stop(): Promise<void>
  /** Keeps the server's log short. Call it from time to time. */
  rotateLog(): Promise<void>
}

/**
 * Starts the database in `data_dir`, which the first start creates, or attaches to its running server. Any number of processes may start
 * the same folder at the same time: one starts the server, the others attach to it. Fails with `EmbeddedPostgresError` if the folder or the
 * platform does not allow it.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  if (process.platform === 'win32')
    throw new EmbeddedPostgresError(
      'The PostgreSQL that comes with this service does not run on Windows: set DATABASE_URL to a PostgreSQL server.',
    )
  const { data_dir, log = () => {} } = options
  const settings: ServerSettings = {
    fsync: options.fsync ?? true,
    connections: Math.max(100, options.connections ?? 0),
    trusts_local_users: options.trusts_local_users ?? false,
  }
  try {
    const location = await openLocation(resolve(data_dir), log)
    const { server, reused } = await withStartLock(location.lock_file, () => attachOrStart(location, settings))
    const password = await readPassword(location.database_dir)
    const connection = {
      host: server.socket_dir,
      port,
      user: superuser,
      database: 'postgres',
      ...(password !== undefined && { password }),
    }
    let stopped: Promise<void> | undefined
    return {
      connection,
      reused,
      stop: () => (stopped ??= stopServer(location, server)),
      rotateLog: () => rotateLog(location),
    }
  } catch (error) {
    throw toEmbeddedPostgresError(error, resolve(data_dir))
  }
}

async function attachOrStart(location: Location, settings: ServerSettings): Promise<StartResult> {
  await checkOwner(location)
  const running = await findRunningServer(location)
  if (running) {
    location.log(`PostgreSQL is running already (process ${running.pid}) on ${location.database_dir}`)
    return { server: running, reused: true }
  }
  await removeUnfinished(location)
  const is_new = !existsSync(location.database_dir)
  if (!is_new) await checkVersion(location)
  const binaries = await prepareBinaries(location)
  if (is_new) await createDatabase(location, binaries, settings)
  else if (!settings.trusts_local_users) await addPassword(location, binaries)
  return startServer(location, binaries, settings)
}

/**
 * Gives a database of an earlier version a password. If its server cannot run now, its start reports why, and the next start tries again.
 */
async function addPassword(location: Location, binaries: string) {
  if ((await readPassword(location.database_dir)) !== undefined) return
  await setPassword(location, binaries, location.database_dir).catch((error: Error) => location.log(error.message))
}

import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { DatabaseConfig } from '../config.ts'
import type { ConnectionConfig } from '../platform/postgres/connection.ts'
import { DatabaseServers } from '../platform/postgres/servers.ts'
import { parseDatabaseUrl } from '../platform/postgres/url.ts'
import { isDatabaseUnavailable, sqlState, type Database } from '../platform/postgres/database.ts'
import { isOutOfSpace } from '../platform/postgres/errors.ts'
import { startEmbeddedPostgres } from '../platform/postgres/embedded/start.ts'
import type { Logger } from '../platform/log.ts'

const hints: readonly [RegExp, string][] = [
  [
    /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ECONNRESET|ENOENT)$/,
    'nothing answers there: is PostgreSQL running?',
  ],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'the name of the host is not known'],
  [/^28/, 'the user or the password is wrong'],
  [/^3D000$/, 'this server has no such database: create it first'],
  [/^53300$/, 'the server has no connection left'],
]

/** The message of an error; for an `AggregateError`, those of all its errors, because Node tries every address of a host. */
const messageOf = (error: Error): string =>
  error.message || (error instanceof AggregateError ? error.errors.map(String).join('; ') : error.name)

interface ExplainedUrl {
  database_url: string | undefined
  /** The setting that contains it. */
  setting?: string
}

/**
 * Describes a connection error in one sentence that names the setting and, for `DATABASE_URL`, host, port, user and database, but never the
 * password. Returns any other error unchanged.
 */
export function explainDatabaseError(
  error: unknown,
  { database_url, setting = 'DATABASE_URL' }: ExplainedUrl,
): unknown {
  if (!(error instanceof Error)) return error
  if (isOutOfSpace(error.cause))
    return new Error(`The disk of the database is full: free some space and start again (${error.message}).`, {
      cause: error,
    })
  if (database_url === undefined) return error
  const state = sqlState(error) ?? ''
  const [, hint] = hints.find(([pattern]) => pattern.test(state)) ?? []
  const timed_out = /timeout exceeded when trying to connect|timeout expired|connection timeout/.test(error.message)
  if (hint === undefined && !timed_out) return error
  return new Error(
    `The database of ${setting} (${describeDatabase(database_url)}) cannot be used: ${hint ?? 'it does not answer in time'} ` +
      `(${messageOf(error)}).`,
    { cause: error },
  )
}

/**
 * The host, port, database and user of a URL, never its password. Not parsed with `new URL`, because an address with several hosts is not a
 * URL.
 */
export function describeDatabase(database_url: string) {
  const [, credentials = '', hosts = '', path = '', query = ''] =
    /^\w+:\/\/(?:([^@/?]*)@)?([^/?]*)\/?([^?]*)\??(.*)$/.exec(database_url) ?? []
  const parameters = new URLSearchParams(query)
  const user = credentials.split(':', 1)[0] || parameters.get('user')
  const host = hosts || parameters.get('host') || 'localhost'
  return `${host}, database ${path || 'unnamed'}${user ? `, user ${user}` : ''}`
}

export interface DatabaseSource {
  connection: ConnectionConfig
  stop(): Promise<void>
  /** Maintenance of the embedded server; undefined for `DATABASE_URL`. */
  embedded?: {
    /** Starts it again if it is not running. */
    revive(): Promise<unknown>
    rotateLog(): Promise<void>
  }
}

const supervise_ms = 1_000

/** Restarts the embedded PostgreSQL when it has died, and keeps its log short. Returns a function that ends the supervision. */
export function superviseEmbeddedPostgres(
  db: Database,
  { revive, rotateLog }: NonNullable<DatabaseSource['embedded']>,
  log: Logger,
) {
  let latest = Promise.resolve()
  const check = async () => {
    try {
      await db.sql`select 1`
      await rotateLog().catch((error: Error) => log.warn({ err: error }, 'the log of PostgreSQL cannot be rotated'))
    } catch (error) {
      if (!isDatabaseUnavailable(error)) return
      log.error({ err: error }, 'the embedded PostgreSQL has died: starting it again')
      await revive().catch((failure: Error) => log.error({ err: failure }, 'it could not be started'))
    }
  }
  let checking = false
  const timer = setInterval(() => {
    if (checking) return
    checking = true
    latest = check().finally(() => {
      checking = false
    })
  }, supervise_ms)
  return async () => {
    clearInterval(timer)
    await latest
  }
}

/** The connection to the servers of a `DATABASE_URL`. */
export function connectionTo(database_url: string): ConnectionConfig {
  const { connection_string, servers, role } = parseDatabaseUrl(database_url)
  return { connectionString: connection_string, servers: new DatabaseServers(servers, role) }
}

const restart_ms = 10_000

/**
 * Waits up to `restart_ms` until the embedded PostgreSQL answers. A signal to the whole process group also ends PostgreSQL, but queued
 * writes still need it.
 */
export async function untilEmbeddedPostgresAnswers(db: Database) {
  const started = performance.now()
  const isUnavailable = () => db.sql`select 1`.then(() => false, isDatabaseUnavailable)
  while ((await isUnavailable()) && performance.now() - started < restart_ms) await pause(100)
}

/**
 * The database of `DATABASE_URL`, or else the embedded PostgreSQL in the data folder, which is started for at least this many connections.
 */
export async function openDatabaseSource(
  { database_url }: DatabaseConfig,
  data_dir: string,
  log: Logger,
  { connections = 0 }: { connections?: number } = {},
): Promise<DatabaseSource> {
  if (database_url !== undefined) return { connection: connectionTo(database_url), stop: async () => {} }
  let server = await startEmbeddedPostgres({ data_dir, connections })
  const { connection, reused } = server
  if (reused) log.info({ data_dir, reused }, 'embedded PostgreSQL was still running')
  else log.info({ data_dir, reused }, 'embedded PostgreSQL started')
  return {
    connection: { ...connection, servers: new DatabaseServers() },
    stop: async () => ((await isInUse(connection)) ? undefined : server.stop()),
    embedded: {
      rotateLog: () => server.rotateLog(),
      revive: async () => {
        // A server of an earlier version requires no password: the connections of this process would not know a new one.
        const trusts_local_users = connection.password === undefined
        server = await startEmbeddedPostgres({ data_dir, connections, trusts_local_users })
      },
    },
  }
}

/** True if another process of Plaza is connected; the embedded server is not stopped then. */
async function isInUse(connection: pg.ClientConfig) {
  const client = new pg.Client(connection)
  try {
    await client.connect()
    // PostgreSQL may still list connections that this process has just closed.
    for (let look = 0; look < 10; look++) {
      const { rows } = await client.query("select 1 from pg_stat_activity where application_name like 'plaza%' limit 1")
      if (rows.length === 0) return false
      await pause(100)
    }
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

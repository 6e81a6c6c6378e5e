import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { DatabaseConfig } from '../config.ts'
import type { ConnectionConfig } from '../platform/postgres/connection.ts'
import { DatabaseServers } from '../platform/postgres/servers.ts'
import { parseDatabaseUrl } from '../platform/postgres/url.ts'
import { isDatabaseAway, sqlState, type Database } from '../platform/postgres/database.ts'
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

/** The words of an error, also of one that stands for several: Node tries every address of a host. */
const wordsOf = (error: Error): string =>
  error.message || (error instanceof AggregateError ? error.errors.map(String).join('; ') : error.name)

/**
 * An error of the connection as one sentence that names the setting; of `DATABASE_URL` only the host, the port, the user
 * and the database's name, never the password. Any other error stays what it is.
 */
export function explainDatabaseError(error: unknown, { database_url }: DatabaseConfig): unknown {
  if (database_url === undefined || !(error instanceof Error)) return error
  const state = sqlState(error) ?? ''
  const [, hint] = hints.find(([pattern]) => pattern.test(state)) ?? []
  const timed_out = /timeout exceeded when trying to connect|timeout expired/.test(error.message)
  if (hint === undefined && !timed_out) return error
  return new Error(
    `The database of DATABASE_URL (${placeOf(database_url)}) cannot be used: ${hint ?? 'it does not answer in time'} ` +
      `(${wordsOf(error)}).`,
    { cause: error },
  )
}

/** Of an address of several hosts too, which is no URL. */
function placeOf(database_url: string) {
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
  /** Starts the server again if it is not running; only for our own. */
  revive?: () => Promise<unknown>
}

const look_after_database_ms = 1_000

/** Starts the embedded PostgreSQL again when it died under us; answers what ends the watch. */
export function superviseEmbeddedPostgres(db: Database, revive: () => Promise<unknown>, log: Logger) {
  let watch = Promise.resolve()
  const look = async () => {
    try {
      await db.sql`select 1`
    } catch (error) {
      if (!isDatabaseAway(error)) return
      log.error({ err: error }, 'the embedded PostgreSQL is gone: starting it again')
      await revive().catch((failure: Error) => log.error({ err: failure }, 'it could not be started'))
    }
  }
  let looking = false
  const timer = setInterval(() => {
    if (looking) return
    looking = true
    watch = look().finally(() => {
      looking = false
    })
  }, look_after_database_ms)
  return async () => {
    clearInterval(timer)
    await watch
  }
}

/** How to connect to the servers of a `DATABASE_URL`. */
function connectionTo(database_url: string): ConnectionConfig {
  const { connection_string, servers, role } = parseDatabaseUrl(database_url)
  return { connectionString: connection_string, servers: new DatabaseServers(servers, role) }
}

const back_ms = 10_000

/**
 * Waits, for a while, until the embedded PostgreSQL answers again: a signal to all processes of a service ends it too,
 * and what waits in memory is still to be written.
 */
export async function untilEmbeddedPostgresAnswers(db: Database) {
  const begun = performance.now()
  const isAway = () => db.sql`select 1`.then(() => false, isDatabaseAway)
  while ((await isAway()) && performance.now() - begun < back_ms) await pause(100)
}

/** The database that `DATABASE_URL` names, else our own PostgreSQL in the data folder. */
export async function openDatabaseSource(
  { database_url }: DatabaseConfig,
  data_dir: string,
  log: Logger,
): Promise<DatabaseSource> {
  if (database_url !== undefined) return { connection: connectionTo(database_url), stop: async () => {} }
  let server = await startEmbeddedPostgres({ data_dir })
  const { connection, reused } = server
  log.info({ data_dir, reused }, reused ? 'embedded PostgreSQL was still running' : 'embedded PostgreSQL started')
  return {
    connection: { ...connection, servers: new DatabaseServers() },
    stop: async () => ((await isInUse(connection)) ? undefined : server.stop()),
    revive: async () => {
      server = await startEmbeddedPostgres({ data_dir })
    },
  }
}

/** Is another process of ours still connected? Its database must not be stopped under it. */
async function isInUse(connection: pg.ClientConfig) {
  const client = new pg.Client(connection)
  try {
    await client.connect()
    const { rowCount } = await client.query(
      "select 1 from pg_stat_activity where application_name like 'plaza%' limit 1",
    )
    return (rowCount ?? 0) > 0
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

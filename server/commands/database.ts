import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readDatabaseConfig, type DatabaseConfig } from '../config.ts'
import { openDatabaseSource, explainDatabaseError } from '../processes/database-source.ts'
import { checkSpace } from '../processes/space.ts'
import { systemClock, type Clock } from '../platform/clock.ts'
import { openDatabase, sqlState, type Database } from '../platform/postgres/database.ts'
import type { ConnectionConfig } from '../platform/postgres/connection.ts'
import { openLog, type Logger } from '../platform/log.ts'
import { readSecrets } from '../secret-keys.ts'
import type { Invocation } from './command.ts'

/** The arguments of a command that uses the database without a running service. */
export interface CommandDatabase {
  config: DatabaseConfig
  db: Database
  clock: Clock
  log: Logger
  /**
   * The secrets of the service, newest first. Creates one with the embedded database if there are none; fails without SECRET_KEYS for
   * another database.
   */
  secrets(): Promise<readonly [string, ...string[]]>
}

/** The parts of an invocation that are needed to open a database. */
export type DatabaseInvocation = Pick<Invocation, 'env' | 'signal' | 'printError'>

/**
 * Connects one command to the database of the service. An embedded server that was not running is stopped again afterwards. Throws errors
 * that name the setting; refuses a folder without a database, in which the service would create an empty one. If the command is
 * interrupted, ends with the signal's reason.
 */
export function withDatabase<Result>(
  invocation: DatabaseInvocation,
  work: (parts: CommandDatabase) => Promise<Result>,
): Promise<Result> {
  return withDatabaseSource(invocation, async ({ config, connection, data_dir, log }) => {
    const db = openDatabase({ connection, log })
    try {
      const parts = { config, db, clock: systemClock, log, secrets: () => secretsOf(config, data_dir) }
      return await Promise.race([work(parts), rejectWhenAborted(invocation.signal)])
    } finally {
      await db.close()
    }
  })
}

async function secretsOf(config: DatabaseConfig, data_dir: string) {
  // Otherwise this would generate a key that the service does not have.
  if (config.database_url !== undefined && config.secret_keys.length === 0)
    throw new Error(
      'SECRET_KEYS is not set: use the value of the service, with the new key first and the old ones after it.',
    )
  return readSecrets(config, data_dir)
}

/** The arguments of a command that opens its own connections. */
export interface CommandDatabaseSource {
  config: DatabaseConfig
  connection: ConnectionConfig
  data_dir: string
  log: Logger
}

/**
 * The same as `withDatabase`, for a command that opens its own connections and ends them when the signal aborts. With `creates`, a missing
 * database is created in the folder. Refuses a database of another space than that of SANDBOX.
 */
export async function withDatabaseSource<Result>(
  { env, signal, printError }: DatabaseInvocation,
  work: (parts: CommandDatabaseSource) => Promise<Result>,
  { creates = false }: { creates?: boolean } = {},
): Promise<Result> {
  const config = readDatabaseConfig(env)
  if (!creates) refuseNewDatabase(config)
  const log = openLog('error', { write: (line) => printError(line.trimEnd()) })
  const data_dir = resolve(config.data_dir)
  const source = await openDatabaseSource(config, data_dir, log)
  try {
    signal.throwIfAborted()
    await checkSpace(source.connection, config)
    return await work({ config, connection: source.connection, data_dir, log })
  } catch (error) {
    throw sqlState(error) === '42P01' || sqlState(error) === '42703'
      ? noSchema(error)
      : explainDatabaseError(error, config)
  } finally {
    await source.stop()
  }
}

const rejectWhenAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('interrupted')), { once: true })
  })

function refuseNewDatabase({ database_url, data_dir }: DatabaseConfig) {
  if (database_url !== undefined || existsSync(join(data_dir, 'postgres'))) return
  throw new Error(
    `There is no database in ${resolve(data_dir)}: use the DATABASE_URL or DATA_DIR of the service, or start the service once.`,
  )
}

const noSchema = (cause: unknown) =>
  new Error('The database does not have the tables of this version: start the service once to create them.', {
    cause,
  })

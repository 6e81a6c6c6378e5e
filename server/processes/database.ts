import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { runMigrations } from 'graphile-worker'
import type pg from 'pg'
import type { Config, DatabaseConfig } from '../config.ts'
import { checkConnectionBudget, connectionsOfAll, poolSizes } from './connection-budget.ts'
import {
  openDatabaseSource,
  explainDatabaseError,
  superviseEmbeddedPostgres,
  untilEmbeddedPostgresAnswers,
} from './database-source.ts'
import type { ConnectionConfig } from '../platform/postgres/connection.ts'
import { openDatabase, type Database } from '../platform/postgres/database.ts'
import { hasSessions } from '../platform/postgres/session-check.ts'
import { indexFailedJobs } from '../platform/failed-jobs.ts'
import type { Logger } from '../platform/log.ts'
import { migrate, type AroundSchema } from '../platform/postgres/migrations.ts'
import type { SchemaSources } from '../platform/postgres/schema-files.ts'
import { code_root, package_version } from '../platform/package.ts'
import type { Readiness } from '../platform/readiness.ts'
import type { Shutdown } from './shutdown.ts'
import { claimSpace } from './space.ts'
import { startStandbyApi, type StandbyApi } from './standby-api.ts'

/** The interval of checks if the database takes writes. */
const check_ms = { available: 1_000, unavailable: 300 }

interface DatabaseStart {
  config: Config
  data_dir: string
  log: Logger
  readiness: Readiness
  shutdown: Shutdown
  silence_ms: number | undefined
  patience: number | undefined
  /** Ends the wait for the database. */
  abort: AbortSignal | undefined
}

/** Starts or finds the database, migrates its schema, opens it, and adds it to the readiness checks. */
export async function startDatabase(options: DatabaseStart) {
  const { config, data_dir, log, readiness, shutdown, silence_ms, patience, abort } = options
  const connections = connectionsOfAll(config)
  const { connection, stop, embedded } = await openDatabaseSource(config, data_dir, log, { connections })
  shutdown.add(stop)
  await untilWritable({ connection, log, readiness, config, abort })
  abort?.throwIfAborted()
  const { migrations } = await prepare(connection, config, log).catch((error: unknown) => {
    throw explainDatabaseError(error, config)
  })
  const db = openDatabase({ connection, log, ...poolSizes(config), silence_ms, patience })
  shutdown.add(db.close)
  await checkConnectionBudget(db, config, log)
  const check = logChanges(db.check, log)
  // A process with only the router role serves without the database.
  const is_needed = config.roles.some((role) => role !== 'router')
  readiness.add('database', async () => {
    db.ping()
    const result = await check()
    return result.status === 'failed' && !is_needed ? { ...result, status: 'degraded' } : result
  })
  // Requests are served only once the schema is current, so this check always passes.
  readiness.add('migrations', () => ({ status: 'ok' }))
  shutdown.add(startChecking(db, check))
  if (embedded) shutdown.add(superviseEmbeddedPostgres(db, embedded, log))
  return {
    db,
    connection,
    // A new database starts with the first migration.
    is_upgraded: migrations.length > 0 && !migrations[0]?.startsWith('0001_'),
    untilAvailable: () => (embedded ? untilEmbeddedPostgresAnswers(db) : Promise.resolve()),
  }
}

/**
 * Waits while the database answers but takes no writes, such as a standby before its promotion or a server that starts. Meanwhile the
 * standby API answers. Fails if the database cannot be reached at all.
 */
async function untilWritable({
  connection,
  log,
  readiness,
  config,
  abort,
}: Pick<DatabaseStart, 'log' | 'readiness' | 'config' | 'abort'> & { connection: ConnectionConfig }) {
  const db = openDatabase({ connection, log })
  readiness.add('database', db.check)
  readiness.add('migrations', () => ({ status: 'failed', reason: 'the schema was not checked yet' }))
  let standby: StandbyApi | undefined
  try {
    for (;;) {
      abort?.throwIfAborted()
      const { status, reason, is_reachable } = await db.check()
      if (status === 'ok') return
      if (!is_reachable) await db.adHoc.sql`select 1`
      else if (!standby) {
        log.warn({ reason }, 'waiting for the database: it does not take writes yet')
        standby = await startStandbyApi({ db, config, log, readiness })
      }
      await pause(check_ms.unavailable)
    }
  } catch (error) {
    throw explainDatabaseError(error, config)
  } finally {
    await standby?.close()
    await db.close()
  }
}

/** Logs when the database stops taking writes and why, and for how long. */
function logChanges(check: Database['check'], log: Logger): Database['check'] {
  let unavailable_since: number | undefined
  return async () => {
    const result = await check()
    if (result.status !== 'ok' && unavailable_since === undefined) {
      unavailable_since = performance.now()
      log.error({ reason: result.reason }, 'the database takes no writes')
    } else if (result.status === 'ok' && unavailable_since !== undefined) {
      log.info({ away_ms: Math.round(performance.now() - unavailable_since) }, 'the database takes writes again')
      unavailable_since = undefined
    }
    return result
  }
}

/** Checks about every second. Each check also retires connections to a server that no longer takes writes. */
function startChecking(db: Database, check: Database['check']) {
  const stopping = new AbortController()
  const { signal } = stopping
  async function repeat() {
    while (!signal.aborted) {
      const { status } = await check()
      if (status !== 'ok') db.ping()
      await pause(status === 'ok' ? check_ms.available : check_ms.unavailable, undefined, { signal }).catch(() => {})
    }
  }
  void repeat()
  return async () => stopping.abort()
}

const domains = join(code_root, 'server')
/** The schema of this version. */
export const schema_sources: SchemaSources = {
  migrations: join(domains, 'migrations'),
  domains,
  version: package_version,
}

/** Migrates a database to the schema of this version, including the job queue's. `around` as for `migrate`. */
export async function prepareDatabase(pool: pg.Pool, log: Logger, around?: AroundSchema) {
  const applied = await migrate(pool, schema_sources, around)
  if (applied.migrations.length + applied.functions.length > 0)
    log.info({ applied }, 'the schema was brought up to date')
  await prepareQueue(pool)
  return applied
}

/** Creates or migrates the job queue's own tables. */
export async function prepareQueue(pool: pg.Pool) {
  await runMigrations({ pgPool: pool })
  await indexFailedJobs(pool)
}

async function prepare(connection: ConnectionConfig, config: DatabaseConfig, log: Logger) {
  if (!(await hasSessions(connection))) throw new Error(transaction_pooler)
  return prepareSchema(connection, config, log)
}

const transaction_pooler =
  'The database of DATABASE_URL is behind a pooler that gives each transaction another connection (PgBouncer: pool_mode = ' +
  'transaction). Notifications, locks and prepared statements need sessions: set pool_mode = session for this database, or ' +
  'let DATABASE_URL name PostgreSQL itself.'

/** Migrates on connections without a time limit for an answer. */
async function prepareSchema(connection: ConnectionConfig, config: DatabaseConfig, log: Logger) {
  // Its log is silent, because errors are thrown.
  const db = openDatabase({ connection, log: log.child({}, { level: 'silent' }), silence_ms: 86_400_000 })
  try {
    return await prepareDatabase(db.pool, log, claimSpace(config))
  } finally {
    await db.close()
  }
}

import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { runMigrations } from 'graphile-worker'
import type pg from 'pg'
import type { Config } from '../config.ts'
import {
  openDatabaseSource,
  explainDatabaseError,
  superviseEmbeddedPostgres,
  untilEmbeddedPostgresAnswers,
} from './database-source.ts'
import type { ConnectionConfig } from '../platform/postgres/connection.ts'
import { openDatabase, type Database } from '../platform/postgres/database.ts'
import { indexFailedJobs } from '../platform/failed-jobs.ts'
import type { Logger } from '../platform/log.ts'
import { migrate } from '../platform/postgres/migrations.ts'
import { package_root, package_version } from '../platform/package.ts'
import type { Readiness } from '../platform/readiness.ts'
import { answerWhileWaiting, type Closing } from './waiting.ts'

/** How often the database is asked whether it takes writes. */
const while_well_ms = 1_000
const while_away_ms = 300

interface DatabaseStart {
  config: Config
  data_dir: string
  log: Logger
  readiness: Readiness
  /** Gets what must be stopped, in the order in which it was started. */
  stops: (() => Promise<void>)[]
  silence_ms: number | undefined
  /** Ends the wait for a database, by its reason. */
  abort: AbortSignal | undefined
}

/** Starts or finds the database, brings its schema up to date, and opens it; readiness tells from then on how it is. */
export async function startDatabase(options: DatabaseStart) {
  const { config, data_dir, log, readiness, stops, silence_ms, abort } = options
  const { connection, stop, revive } = await openDatabaseSource(config, data_dir, log)
  stops.push(stop)
  await untilWritable({ connection, log, readiness, config, abort })
  abort?.throwIfAborted()
  await prepareSchema(connection, log).catch((error: unknown) => {
    throw explainDatabaseError(error, config)
  })
  const db = openDatabase({ connection, log, ...(silence_ms !== undefined && { silence_ms }) })
  stops.push(db.close)
  const check = toldInLog(db.check, log)
  readiness.add('database', () => {
    db.ping()
    return check()
  })
  // Requests are served only once the schema is current, so this holds whenever it can be asked.
  readiness.add('migrations', () => ({ status: 'ok' }))
  stops.push(watch(db, check))
  if (revive) stops.push(superviseEmbeddedPostgres(db, revive, log))
  return { db, connection, untilBack: () => (revive ? untilEmbeddedPostgresAnswers(db) : Promise.resolve()) }
}

/**
 * Waits while the database answers but takes no writes: a standby that is to be promoted, a server on its way up. The
 * process lives meanwhile and says that it takes no work. Fails when it cannot be reached at all.
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
  readiness.add('migrations', () => ({ status: 'failed', reason: 'the schema was not looked at yet' }))
  let waiting: Closing | undefined
  try {
    for (;;) {
      abort?.throwIfAborted()
      const { status, reason, is_reachable } = await db.check()
      if (status === 'ok') return
      if (!is_reachable) await db.adHoc.sql`select 1`
      else if (!waiting) {
        log.warn({ reason }, 'waiting for the database: it does not take writes yet')
        waiting = await answerWhileWaiting({ db, config, log, readiness })
      }
      await pause(while_away_ms)
    }
  } catch (error) {
    throw explainDatabaseError(error, config)
  } finally {
    await waiting?.close()
    await db.close()
  }
}

/** A check that says in the log when the database stops taking writes, why, and after how long it takes them again. */
function toldInLog(check: Database['check'], log: Logger): Database['check'] {
  let away_since: number | undefined
  return async () => {
    const result = await check()
    if (result.status !== 'ok' && away_since === undefined) {
      away_since = Date.now()
      log.error({ reason: result.reason }, 'the database takes no writes')
    } else if (result.status === 'ok' && away_since !== undefined) {
      log.info({ away_ms: Date.now() - away_since }, 'the database takes writes again')
      away_since = undefined
    }
    return result
  }
}

/** Asks about every second: each check also ends connections to a server that takes no writes any more. */
function watch(db: Database, check: Database['check']) {
  const stopping = new AbortController()
  const { signal } = stopping
  async function look() {
    while (!signal.aborted) {
      const { status } = await check()
      if (status !== 'ok') db.ping()
      await pause(status === 'ok' ? while_well_ms : while_away_ms, undefined, { signal }).catch(() => {})
    }
  }
  void look()
  return async () => stopping.abort()
}

/** Brings a database to the schema of this version: ours and the job queue's. */
export async function prepareDatabase(pool: pg.Pool, log: Logger) {
  const domains = join(package_root, 'server')
  const applied = await migrate(pool, { migrations: join(domains, 'migrations'), domains, version: package_version })
  if (applied.migrations.length + applied.functions.length > 0)
    log.info({ applied }, 'the schema was brought up to date')
  await runMigrations({ pgPool: pool })
  await indexFailedJobs(pool)
}

/** Prepares the database on connections that may be silent for as long as a migration takes. */
async function prepareSchema(connection: ConnectionConfig, log: Logger) {
  const db = openDatabase({ connection, log, silence_ms: 86_400_000 })
  try {
    await prepareDatabase(db.pool, log)
  } finally {
    await db.close()
  }
}

import { join } from 'node:path'
import { runMigrations } from 'graphile-worker'
import type pg from 'pg'
import type { Config } from './config.ts'
import { databaseOf, keepDatabaseUp } from './database-source.ts'
import { openDatabase } from './kit/database.ts'
import { indexFailedJobs } from './kit/failed-jobs.ts'
import type { Logger } from './kit/log.ts'
import { migrate } from './kit/migrate.ts'
import { package_root, package_version } from './kit/package.ts'
import type { Readiness } from './kit/readiness.ts'

interface DatabaseStart {
  config: Config
  data_dir: string
  log: Logger
  readiness: Readiness
  /** Gets what must be stopped, in the order in which it was started. */
  stops: (() => Promise<void>)[]
  silence_ms: number | undefined
}

/** Starts or finds the database, brings its schema up to date, and opens it; readiness tells from then on how it is. */
export async function startDatabase({ config, data_dir, log, readiness, stops, silence_ms }: DatabaseStart) {
  const { connection, stop, revive } = await databaseOf(config, data_dir, log)
  stops.push(stop)
  await prepareSchema(connection, log)
  const db = openDatabase({ connection, log, ...(silence_ms !== undefined && { silence_ms }) })
  stops.push(db.close)
  readiness.add('database', db.check)
  // Requests are served only once the schema is current, so this holds whenever it can be asked.
  readiness.add('migrations', () => ({ status: 'ok' }))
  if (revive) stops.push(keepDatabaseUp(db, revive, log))
  return { db, connection }
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
async function prepareSchema(connection: pg.ClientConfig, log: Logger) {
  const db = openDatabase({ connection, log, silence_ms: 86_400_000 })
  try {
    await prepareDatabase(db.pool, log)
  } finally {
    await db.close()
  }
}

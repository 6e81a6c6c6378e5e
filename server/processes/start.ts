import { resolve } from 'node:path'
import type { App } from '../app.ts'
import type { Config } from '../config.ts'
import { verifyResponses } from '../http/verify-responses.ts'
import { openKeptKeys } from '../keys.ts'
import type { Course } from '../learning/content.rules.ts'
import { loadCourse } from '../learning/content.store.ts'
import type { McpFixtures } from '../mcp/routes.ts'
import { systemClock, type Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import { openPasswords, type HashingCost } from '../platform/passwords.ts'
import type { Database } from '../platform/postgres/database.ts'
import { openReadiness, type Readiness } from '../platform/readiness.ts'
import { readSecrets } from '../secret-keys.ts'
import { createFirstAdmin, openApp, prepareSandbox, startApi, startJobs } from './api.ts'
import { refuseLosingData } from './data-volume.ts'
import { startDatabase } from './database.ts'
import { startGauges, startProcessGauges } from './gauges.ts'
import { openMetrics } from './metrics-server.ts'
import { startProbes } from './probes.ts'
import { isRouter, isWorker } from './roles.ts'
import { startRouterRole } from './router.ts'
import { Shutdown, type DrainOptions } from './shutdown.ts'
import { openHosts, startWorkerRole } from './worker.ts'

export interface ServiceOptions {
  config: Config
  log: Logger
  clock?: Clock
  /** For tests: checks every response against its declared schema. */
  verify_answers?: boolean
  /** For tests: false if the tests themselves run the scheduled jobs. */
  scheduled?: boolean
  /** For tests: the cost of hashing a password. */
  hashing_cost?: HashingCost
  /** For tests: the learning content; read from LEARNING_DIR otherwise. */
  course?: Course
  /** For tests: the maximum time to receive a body. */
  body_seconds?: number
  /** For tests: what the conformance suite of MCP expects of a server. */
  mcp_fixtures?: McpFixtures
  /** For tests: how long a connection to the database may be silent. */
  silence_ms?: number
  /** For tests: see `DatabaseOptions`. */
  patience?: number
  /** Aborted if the service must stop before it is ready: the start fails with its reason and leaves nothing behind. */
  abort?: AbortSignal
}

export interface Service {
  address: string
  /** The address of the router; undefined in a process without that role. */
  router_address: string | undefined
  /** The address of the metrics; undefined without METRICS_PORT, and in a process of a cluster. */
  metrics_address: string | undefined
  app: App
  db: Database
  /** True if this start migrated an earlier schema. */
  is_upgraded: boolean
  /** Reports if this process accepts work. */
  readiness: Readiness
  /** See `Shutdown.drain`. */
  drain(drain_ms: number, options?: DrainOptions): Promise<void>
  /** Finishes requests and batches, closes everything, then throws the first error. */
  stop(): Promise<void>
}

/**
 * Starts a process with its roles (`ROLES`), in this order: probes, metrics, content, database and schema, keys, container engines,
 * application, first admin, jobs (api), worker, API server, router. If one of them cannot be started, stops the others and throws.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const readiness = openReadiness(options.log)
  const shutdown = new Shutdown({ log: options.log, readiness })
  try {
    const parts = await startParts(options, readiness, shutdown)
    return {
      ...parts,
      readiness,
      drain: (drain_ms, options_of_drain) => shutdown.drain(drain_ms, options_of_drain),
      stop: () => shutdown.stop(),
    }
  } catch (error) {
    await shutdown.stop().catch(() => {})
    throw error
  }
}

async function startParts(options: ServiceOptions, readiness: Readiness, shutdown: Shutdown) {
  const { config, log, clock = systemClock, verify_answers, scheduled = true, abort } = options
  await refuseLosingData(config)
  const probes = await startProbes(config, readiness, shutdown)
  const metrics_address = await openMetrics({ config, log, shutdown })
  shutdown.add(startProcessGauges(readiness))
  const course = options.course ?? (await loadCourse(resolve(config.learning_dir)))
  const data_dir = resolve(config.data_dir)
  const { silence_ms, patience } = options
  const database = await startDatabase({ config, data_dir, log, readiness, shutdown, silence_ms, patience, abort })
  const { db, connection } = database
  abort?.throwIfAborted()
  const secrets = await readSecrets(config, data_dir)
  const kept_keys = await openKeptKeys(db, secrets, { allow_missing: config.missing_keys === 'allow', log })
  const engines = isWorker(config) ? await openHosts(config, db, shutdown) : []
  const app = await openApp({
    config,
    log,
    clock,
    db,
    connection,
    secrets,
    kept_keys,
    course,
    readiness,
    shutdown,
    passwords: openPasswords(options.hashing_cost),
    body_seconds: options.body_seconds,
    mcp_fixtures: options.mcp_fixtures,
  })
  abort?.throwIfAborted()
  shutdown.add(startGauges({ app, db, clock }))
  if (verify_answers) verifyResponses(app.fastify)
  await createFirstAdmin(app, config, log)
  await prepareSandbox(config, { db, clock, log })
  abort?.throwIfAborted()
  if (config.roles.includes('api')) {
    await startJobs(app, { config, db, clock, log, scheduled, shutdown })
    for (const stop of app.start()) shutdown.add(stop)
  }
  if (isWorker(config)) shutdown.add(await startWorkerRole({ config, log, clock, secrets, db, connection, engines }))
  shutdown.add(database.untilAvailable)
  // The last quarter of the stop time is reserved for writes after the last request.
  const finish_ms = config.shutdown_seconds * 750
  shutdown.add(() => shutdown.closeServers(finish_ms))
  const address = await startApi(config, app, shutdown)
  const router_address = isRouter(config)
    ? await startRouterRole({ config, connection, db, clock, log, shutdown, readiness })
    : undefined
  abort?.throwIfAborted()
  probes.started()
  const { is_upgraded } = database
  return { address: probes.address ?? address, router_address, metrics_address, app, db, is_upgraded }
}

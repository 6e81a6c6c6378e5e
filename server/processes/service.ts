import { join, resolve } from 'node:path'
import type { ConnectionConfig } from '../platform/postgres/connection.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { ensureAdmin } from '../accounts/registration.service.ts'
import { buildApp, isRouter, type App } from '../app.ts'
import type { Config } from '../config.ts'
import { startRouteSync } from '../hosting/proxy/route-sync.ts'
import { startRouter } from '../hosting/proxy/server.ts'
import type { OpenedEngine } from '../hosting/engine/open.ts'
import { openEngines } from '../hosting/control/hosts.ts'
import { parseImage } from '../hosting/api/image.rules.ts'
import { openRouteTable } from '../hosting/proxy/route-table.ts'
import { openEnv } from '../hosting/api/sealing.rules.ts'
import { environmentKeys } from '../hosting/api/service.ts'
import { startWorker } from '../hosting/control/worker.ts'
import { startRunner } from '../jobs/runner.ts'
import { openKeptKeys, type KeptKeys, type Secrets } from '../keys.ts'
import { systemClock, type Clock } from '../platform/clock.ts'
import { explainListenError } from './listen-error.ts'
import { isDatabaseAway, type Database } from '../platform/postgres/database.ts'
import { startDatabase } from './database.ts'
import { openListener } from '../platform/postgres/listener.ts'
import { standardOutputLog, type Logger } from '../platform/log.ts'
import { outboxMailer, smtpMailer } from '../platform/mail.ts'
import { openReadiness, type CheckResult, type Readiness } from '../platform/readiness.ts'
import { openInvalidationBus } from '../platform/batching/invalidation-bus.ts'
import { openPasswords, type HashingCost } from '../platform/passwords.ts'
import { readSecrets } from '../secret-keys.ts'
import { package_version } from '../platform/package.ts'
import { events_channel } from '../social/events/service.ts'
import { listen } from '../http/listen.ts'
import { verifyAnswers } from '../http/verify-answers.ts'
import type { Course } from '../learning/content.rules.ts'
import { loadCourse } from '../learning/content.store.ts'

export interface ServiceOptions {
  config: Config
  log: Logger
  clock?: Clock
  /** For tests: hold every answer against its declared schema. */
  verify_answers?: boolean
  /** For tests: false where what the clock on the wall would start is run by hand. */
  scheduled?: boolean
  /** For tests: what hashing a password costs. */
  hashing_cost?: HashingCost
  /** For tests: the learning content, read before; it is read from its folder otherwise. */
  course?: Course
  /** For tests: how long a connection to the database may be silent. */
  silence_ms?: number
  /** Given when the service is to stop before it is ready: the start fails with its reason, and leaves nothing behind. */
  abort?: AbortSignal
}

export interface Service {
  address: string
  /** Where the router listens, if it does. */
  router_address: string | undefined
  app: App
  db: Database
  /** Whether this process takes work (D-93). */
  readiness: Readiness
  /**
   * Announces the stop (D-93): from now on readyz is 503 and every answer ends its connection, but everything is served.
   * Resolves when the time has passed that balancers have to notice.
   */
  drain(drain_ms: number): Promise<void>
  /** Finishes what is in flight, writes what waits in memory, closes everything, then throws the first error met. */
  stop(): Promise<void>
}

/**
 * How often uses of grants noted in memory are written: well under the time after which a session counts as dead, and
 * seldom enough that the writes do not show beside ten thousand users' spends.
 */
const flushUsesMs = (heartbeat_seconds: number) => Math.min(20_000, (heartbeat_seconds * 1_000) / 6)

/** What takes requests: the API's servers, the router. */
interface Front {
  drain(): void
  close(finish_ms: number): Promise<void>
}

/** What a start leaves behind for the stop. */
interface Running {
  /** In the order in which they were started: last started, first stopped. */
  stops: (() => Promise<void>)[]
  fronts: Front[]
}

/** Starts the whole service: content, database, schema, first admin, job runner, HTTP. Throws when any of them cannot be had. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { log } = options
  const readiness = openReadiness()
  const running: Running = { stops: [], fronts: [] }
  const drain = async (drain_ms: number) => {
    readiness.stop()
    for (const front of running.fronts) front.drain()
    await pause(drain_ms)
  }
  const stop = async () => {
    readiness.stop()
    const errors: Error[] = []
    const { stops } = running
    for (let last = stops.pop(); last; last = stops.pop()) await last().catch((error: Error) => errors.push(error))
    // A database that is away takes nothing from us: what was acknowledged is in it.
    for (const error of errors.filter(isDatabaseAway)) log.warn({ err: error }, 'the database was away at the stop')
    const [first] = errors.filter((error) => !isDatabaseAway(error))
    if (first) throw first
  }
  try {
    return { ...(await startParts({ ...options, readiness }, running)), readiness, drain, stop }
  } catch (error) {
    await stop().catch(() => {})
    throw error
  }
}

type StartOptions = ServiceOptions & { readiness: Readiness }

async function startParts(options: StartOptions, { stops, fronts }: Running) {
  const { config, log, verify_answers, scheduled = true, silence_ms, readiness, abort } = options
  const course = options.course ?? (await loadCourse(resolve(config.learning_dir)))
  const data_dir = resolve(config.data_dir)
  const { db, connection, ...database } = await startDatabase({
    config,
    data_dir,
    log,
    readiness,
    stops,
    silence_ms,
    abort,
  })
  abort?.throwIfAborted()
  const secrets = await readSecrets(config, data_dir)
  const kept_keys = await openKeptKeys(db, secrets, { allow_missing: config.missing_keys === 'allow', log })
  const opened = await openHosts(config, db, stops)
  const app = await startApp(options, { db, connection, secrets, kept_keys, course, opened, stops })
  abort?.throwIfAborted()
  if (verify_answers) verifyAnswers(app.fastify)
  await createFirstAdmin(app, config, log)
  abort?.throwIfAborted()
  if (config.roles.includes('api'))
    stops.push((await startRunner({ pool: db.pool, jobs: app.jobs, log, scheduled })).stop)
  stops.push(flushUsesRegularly(app, log, config.session_heartbeat_seconds))
  if (config.roles.includes('worker') && opened.length > 0)
    stops.push((await startWorkerRole(options, { secrets, db, connection, engines: opened })).stop)
  stops.push(database.untilBack)
  // The rest is for what must still be written after the last request.
  const finish_ms = config.shutdown_seconds * 750
  stops.push(async () => void (await Promise.all(fronts.map((front) => front.close(finish_ms)))))
  const address = await startApi(config, app, fronts)
  const router_address = isRouter(config) ? await startRouterRole(config, connection, db, log, fronts) : undefined
  abort?.throwIfAborted()
  return { address, router_address, app, db }
}

async function startApi({ roles, host, port }: Config, { fastify }: App, fronts: Front[]) {
  if (!roles.includes('api')) {
    fronts.push({ drain: () => {}, close: () => fastify.close() })
    return 'no address'
  }
  const front = await listen(fastify, { host, port }).catch((error: unknown) => {
    throw explainListenError(error, { host, port, host_setting: 'HOST', port_setting: 'PORT' })
  })
  fronts.push(front)
  return front.address
}

/** The container engines that this process can speak to. */
async function openHosts({ containers: { hosts, network_range } }: Config, db: Database, stops: Running['stops']) {
  const opened = await openEngines(db, hosts, network_range)
  stops.push(async () => void (await Promise.all(opened.map(({ close }) => close()))))
  return opened
}

interface AppParts {
  db: Database
  connection: ConnectionConfig
  secrets: Secrets
  kept_keys: KeptKeys
  course: Course
  opened: readonly OpenedEngine[]
  stops: Running['stops']
}

/** The application with what it hears of the other processes. */
async function startApp(
  options: StartOptions,
  { db, connection, secrets, kept_keys, course, opened, stops }: AppParts,
) {
  const { config, log, clock = systemClock, readiness } = options
  const invalidations = await openInvalidationBus({ connection, log })
  stops.push(invalidations.close)
  const mailer = mailerOf(config, resolve(config.data_dir), log)
  stops.push(async () => mailer.close())
  readiness.add('mail', mailer.check)
  readiness.add('log', logCheck)
  const app = buildApp({
    config,
    secrets,
    kept_keys,
    db,
    clock,
    log,
    mailer,
    passwords: openPasswords(options.hashing_cost),
    version: package_version,
    invalidations,
    readiness,
    course,
    engines: new Map(opened.map(({ name, engine }) => [name, engine])),
  })
  stops.push(app.drain)
  const bell = await openListener({
    connection,
    log,
    name: 'plaza-events',
    channel: events_channel,
    onNotification: () => app.events.wake(),
    onConnected: () => app.events.wake(),
  })
  stops.push(bell.close)
  return app
}

interface WorkerParts {
  secrets: Secrets
  db: Database
  connection: ConnectionConfig
  engines: readonly OpenedEngine[]
}

/** The worker: what makes containers be as they are wanted. */
function startWorkerRole({ config, log, clock = systemClock }: ServiceOptions, parts: WorkerParts) {
  const { registry_credentials, start_seconds, drain_seconds, replace_lost_seconds } = config.containers
  const env_keys = environmentKeys(parts.secrets)
  return startWorker({
    ...parts,
    clock,
    log,
    environmentOf: ({ id, sealed_env }) => openEnv(env_keys, id, sealed_env),
    registryAuthOf: (image) => {
      const registry = config.registries.private
      if (registry === undefined || !registry_credentials || parseImage(image)?.host !== registry) return undefined
      return { serveraddress: registry, ...registry_credentials }
    },
    timing: { start_seconds, drain_seconds, replace_lost_seconds },
  })
}

/** The router (docs/hosting): the table of routes, what keeps it true, and the server that uses it. */
async function startRouterRole(
  config: Config,
  connection: ConnectionConfig,
  db: Database,
  log: Logger,
  fronts: Front[],
) {
  const table = openRouteTable({ db, log, apps_domain: config.apps_domain })
  const keeper = await startRouteSync({ connection, log, table })
  const { host, port } = config.router
  const router = await startRouter({
    settings: config.router,
    trusted_proxies: config.trusted_proxies,
    log,
    table,
    isListening: keeper.isListening,
  }).catch(async (error: unknown) => {
    await keeper.close()
    throw explainListenError(error, { host, port, host_setting: 'ROUTER_HOST', port_setting: 'ROUTER_PORT' })
  })
  fronts.push({
    drain: router.drain,
    close: async (finish_ms) => {
      await router.stop(finish_ms)
      await keeper.close()
    },
  })
  log.info({ address: router.address, apps_domain: config.apps_domain }, 'the router is ready')
  return router.address
}

function flushUsesRegularly({ uses }: App, log: Logger, heartbeat_seconds: number) {
  const timer = setInterval(() => {
    uses.flush().catch((error: Error) => log.warn({ error: error.message }, 'uses of grants were not written'))
  }, flushUsesMs(heartbeat_seconds))
  return async () => clearInterval(timer)
}

/** A log that loses lines loses no request, but somebody should know. */
function logCheck(): CheckResult {
  const output = standardOutputLog()
  return output.isDropping()
    ? { status: 'degraded', reason: `${output.dropped()} log lines were dropped` }
    : { status: 'ok' }
}

function mailerOf({ mail }: Config, data_dir: string, log: Logger) {
  if (mail.smtp_url) return smtpMailer(mail.smtp_url, mail.from)
  const outbox = join(data_dir, 'outbox')
  log.info({ outbox }, 'SMTP_URL is not set: mails are not sent but written into this folder')
  return outboxMailer(outbox, mail.from)
}

async function createFirstAdmin({ accounts }: App, { admin: { email, password } }: Config, log: Logger) {
  if (email === undefined || password === undefined) return
  if (await ensureAdmin(accounts, { email, password })) log.info({ email }, 'the first admin was created')
}

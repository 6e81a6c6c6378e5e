import { join, resolve } from 'node:path'
import type { ConnectionConfig } from './kit/connection.ts'
import { ensureAdmin } from './accounts/registration.service.ts'
import { buildApp, isRouter, type App } from './app.ts'
import type { Config } from './config.ts'
import { keepRoutes } from './deployments/router/keep.ts'
import { startRouter } from './deployments/router/server.ts'
import type { OpenedEngine } from './deployments/engine/open.ts'
import { openEngines } from './deployments/hosts.service.ts'
import { parseImage } from './deployments/image.rules.ts'
import { openRouteTable } from './deployments/router.service.ts'
import { openEnv } from './deployments/sealing.rules.ts'
import { environmentKeys } from './deployments/service.ts'
import { startWorker } from './deployments/worker.service.ts'
import { startRunner } from './jobs/runner.ts'
import { systemClock, type Clock } from './kit/clock.ts'
import type { Database } from './kit/database.ts'
import { startDatabase } from './database.ts'
import { openListener } from './kit/listener.ts'
import type { Logger } from './kit/log.ts'
import { outboxMailer, smtpMailer } from './kit/mail.ts'
import { openReadiness, type Readiness } from './kit/readiness.ts'
import { openRevocations } from './kit/revocations.ts'
import { openPasswords, type HashingCost } from './kit/passwords.ts'
import { readSecrets } from './secret-keys.ts'
import { package_version } from './kit/package.ts'
import { events_channel } from './social/events.service.ts'
import { verifyAnswers } from './http/verify-answers.ts'
import { loadCourse } from './learning/content.store.ts'

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
  /** For tests: how long a connection to the database may be silent. */
  silence_ms?: number
}

export interface Service {
  address: string
  /** Where the router listens, if it does. */
  router_address: string | undefined
  app: App
  db: Database
  /** Whether this process takes work (D-93). */
  readiness: Readiness
  /** Finishes what is in flight, writes what waits in memory, closes everything, then throws the first error met. */
  stop(): Promise<void>
}

/**
 * How often uses of grants noted in memory are written: well under the time after which a session counts as dead, and
 * seldom enough that the writes do not show beside ten thousand users' spends.
 */
const flushUsesMs = (heartbeat_seconds: number) => Math.min(20_000, (heartbeat_seconds * 1_000) / 6)

/** Starts the whole service: content, database, schema, first admin, job runner, HTTP. Throws when any of them cannot be had. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const stops: (() => Promise<void>)[] = []
  /** Last started, first stopped. */
  const stop = async () => {
    const errors: unknown[] = []
    for (let last = stops.pop(); last; last = stops.pop()) await last().catch((error: unknown) => errors.push(error))
    if (errors.length > 0) throw errors[0]
  }
  try {
    return { ...(await startParts(options, stops)), stop }
  } catch (error) {
    await stop().catch(() => {})
    throw error
  }
}

async function startParts(options: ServiceOptions, stops: (() => Promise<void>)[]) {
  const { config, log, clock = systemClock, verify_answers, scheduled = true, silence_ms } = options
  const course = await loadCourse(resolve(config.learning_dir))
  const data_dir = resolve(config.data_dir)
  const readiness = openReadiness()
  const { db, connection } = await startDatabase({ config, data_dir, log, readiness, stops, silence_ms })
  const revocations = await openRevocations({ connection, log })
  stops.push(revocations.close)
  const mailer = mailerOf(config, data_dir, log)
  stops.push(async () => mailer.close())
  const secrets = await readSecrets(config, data_dir)
  const { hosts, network_range } = config.containers
  const opened = await openEngines(db, hosts, network_range)
  stops.push(async () => void (await Promise.all(opened.map(({ close }) => close()))))
  const engines = new Map(opened.map(({ name, engine }) => [name, engine]))
  const app = buildApp({
    config,
    secrets,
    db,
    clock,
    log,
    mailer,
    passwords: openPasswords(options.hashing_cost),
    version: package_version,
    revocations,
    readiness,
    course,
    engines,
  })
  stops.push(app.drain)
  const bell = await openListener({
    connection,
    log,
    name: 'plaza-events',
    channel: events_channel,
    heard: () => app.events.wake(),
    connected: () => app.events.wake(),
  })
  stops.push(bell.close)
  if (verify_answers) verifyAnswers(app.fastify)
  await createFirstAdmin(app, config, log)
  if (config.roles.includes('api'))
    stops.push((await startRunner({ pool: db.pool, jobs: app.jobs, log, scheduled })).stop)
  stops.push(flushUsesRegularly(app, log, config.session_heartbeat_seconds))
  stops.push(async () => app.fastify.close())
  const { host, port } = config
  const address = config.roles.includes('api') ? await app.fastify.listen({ host, port }) : 'no address'
  if (config.roles.includes('worker') && opened.length > 0)
    stops.push((await startWorkerRole(options, { secrets, db, connection, engines: opened })).stop)
  const router_address = isRouter(config) ? await startRouterRole(config, connection, db, log, stops) : undefined
  return { address, router_address, app, db, readiness }
}

interface WorkerParts {
  secrets: readonly [string, ...string[]]
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
  stops: (() => Promise<void>)[],
) {
  const table = openRouteTable({ db, log, apps_domain: config.apps_domain })
  const keeper = await keepRoutes({ connection, log, table })
  stops.push(keeper.close)
  const router = await startRouter({
    settings: config.router,
    trusted_proxies: config.trusted_proxies,
    // The rest is for what must still be written after the last request.
    finish_seconds: config.shutdown_seconds * 0.75,
    log,
    table,
    isListening: keeper.isListening,
  })
  stops.push(router.stop)
  log.info({ address: router.address, apps_domain: config.apps_domain }, 'the router is ready')
  return router.address
}

function flushUsesRegularly({ uses }: App, log: Logger, heartbeat_seconds: number) {
  const timer = setInterval(() => {
    uses.flush().catch((error: Error) => log.warn({ error: error.message }, 'uses of grants were not written'))
  }, flushUsesMs(heartbeat_seconds))
  return async () => clearInterval(timer)
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

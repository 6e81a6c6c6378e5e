import { join, resolve } from 'node:path'
import { ensureAdmin } from '../accounts/registration.service.ts'
import { buildApp, type App, type AppParts } from '../app.ts'
import { createBackupJob } from '../backup/job.ts'
import { startBackupGauges } from '../backup/metrics.ts'
import type { Config } from '../config.ts'
import { listen } from '../http/listen.ts'
import { startRunner } from '../jobs/runner.ts'
import type { Clock } from '../platform/clock.ts'
import { openInvalidationBus } from '../platform/batching/invalidation-bus.ts'
import { standardOutputLog, type Logger } from '../platform/log.ts'
import { withHtml } from '../platform/mail-html.ts'
import { outboxMailer, smtpMailer } from '../platform/mail.ts'
import { package_version } from '../platform/package.ts'
import type { ConnectionConfig } from '../platform/postgres/connection.ts'
import type { Database } from '../platform/postgres/database.ts'
import { openListener } from '../platform/postgres/listener.ts'
import type { CheckResult } from '../platform/readiness.ts'
import { makeSampleCampaigns } from '../sandbox/campaigns.service.ts'
import { keepMails, mailKeys } from '../sandbox/mails.service.ts'
import { events_channel } from '../social/events/service.ts'
import { futureTimesJob } from './future-times.ts'
import { explainListenError } from './listen-error.ts'
import { openReads } from './reads.ts'
import type { Shutdown } from './shutdown.ts'

type OpenAppOptions = Omit<AppParts, 'mailer' | 'version' | 'invalidations' | 'reads'> & {
  connection: ConnectionConfig
  shutdown: Shutdown
}

/** Opens the application with its connections to the other processes: invalidations and events. */
export async function openApp({ connection, shutdown, ...parts }: OpenAppOptions): Promise<App> {
  const { log, readiness } = parts
  const invalidations = await openInvalidationBus({ connection, log })
  shutdown.add(invalidations.close)
  const mailer = openMailer(parts)
  shutdown.add(async () => mailer.close())
  readiness.add('mail', mailer.check)
  void mailer.probe().then(({ status, reason }) => {
    if (status !== 'ok') log.error({ reason }, 'mails cannot be sent')
  })
  readiness.add('log', checkLog)
  const reads = await openReads({ ...parts, invalidations, shutdown })
  const app = buildApp({ ...parts, mailer, version: package_version, invalidations, reads })
  shutdown.add(app.drain)
  const listener = await openListener({
    connection,
    log,
    name: 'plaza-events',
    channel: events_channel,
    onNotification: app.notified,
    onConnected: () => app.notified(),
  })
  shutdown.add(listener.close)
  return app
}

/** How long a stop waits for mail servers. Another process sends mails again that they have not accepted by then. */
const last_mails_ms = 5_000

interface JobsOptions {
  config: Config
  db: Database
  clock: Clock
  log: Logger
  scheduled: boolean
  shutdown: Shutdown
}

/** Starts the job runner of the API role. */
export async function startJobs(app: App, { config, db, clock, log, scheduled, shutdown }: JobsOptions) {
  const backups = config.backups && createBackupJob({ config: config.backups, db, clock, log })
  const jobs = [...app.jobs, futureTimesJob({ db, clock }), ...(backups ? [backups.job] : [])]
  const runner = await startRunner({ pool: db.pool, jobs, log, scheduled })
  shutdown.add(async () => {
    const mails = setTimeout(app.mailer.close, last_mails_ms)
    await runner.stop().finally(() => clearTimeout(mails))
  })
  if (!backups) return
  shutdown.add(startBackupGauges({ db, clock }))
  // Stopped before the runner, which waits for its jobs.
  shutdown.add(backups.stop)
}

/** Listens for requests. A process without the API role has an application but no address. */
export async function startApi({ roles, host, port }: Config, { fastify }: App, shutdown: Shutdown) {
  if (!roles.includes('api')) {
    shutdown.addServer({ drain: () => {}, close: () => fastify.close() })
    return 'no address'
  }
  const server = await listen(fastify, { host, port }).catch((error: unknown) => {
    throw explainListenError(error, { host, port, host_setting: 'HOST', port_setting: 'PORT' })
  })
  shutdown.addServer(server)
  return server.address
}

/** Creates the admin of ADMIN_EMAIL and ADMIN_PASSWORD unless there is one. */
export async function createFirstAdmin({ accounts }: App, { admin: { email, password } }: Config, log: Logger) {
  if (email === undefined || password === undefined) return
  if (await ensureAdmin(accounts, { email, password })) log.info({ email }, 'the first admin was created')
}

/** Logs that this is a sandbox, and creates its sample campaigns (D-102). */
export async function prepareSandbox(
  { is_sandbox }: Config,
  { db, clock, log }: Pick<AppParts, 'db' | 'clock' | 'log'>,
) {
  if (!is_sandbox) return
  log.info('this is a sandbox: apps are approved as they are made, and people give themselves points')
  await makeSampleCampaigns({ db, clock })
}

/** Dropped log lines affect no request, but the operator should know. */
function checkLog(): CheckResult {
  const output = standardOutputLog()
  return output.isDropping()
    ? { status: 'degraded', reason: `${output.dropped()} log lines were dropped` }
    : { status: 'ok' }
}

/** In a sandbox, the console also shows mails. */
function openMailer({
  config,
  db,
  clock,
  log,
  secrets,
}: Pick<AppParts, 'config' | 'db' | 'clock' | 'log' | 'secrets'>) {
  const usual = withHtml(openUsualMailer(config, log), config.public_url)
  return config.is_sandbox ? keepMails({ db, clock, keys: mailKeys(secrets) }, usual) : usual
}

function openUsualMailer({ mail, data_dir }: Config, log: Logger) {
  const { smtp_url, ...options } = mail
  if (smtp_url !== undefined) return smtpMailer({ smtp_url, ...options })
  const outbox = join(resolve(data_dir), 'outbox')
  log.info({ outbox }, 'SMTP_URL is not set: mails are not sent but written into this folder')
  return outboxMailer(outbox, mail.from)
}

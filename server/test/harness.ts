import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { readConfig } from '../config.ts'
import type { Database } from '../platform/postgres/database.ts'
import type { Env } from '../platform/env-reader.ts'
import { openLog } from '../platform/log.ts'
import { package_root } from '../platform/package.ts'
import type { Course } from '../learning/content.rules.ts'
import { loadCourse } from '../learning/content.store.ts'
import { startService, type Service, type ServiceOptions } from '../processes/start.ts'
import { atEnd } from './at-end.ts'
import { freePort } from './free-port.ts'
import { hosting_settings } from './settings.ts'

/** A clock that only moves when `advance` is called. */
export interface TestClock {
  now(): Date
  advance(seconds: number): void
}

export interface TestService {
  url: string
  clock: TestClock
  db: Database
  service: Service
  /** The log of the service so far. */
  logged(): string
  /** The newest mail to an address (containing this text, if given); waits until there are more than `after` of them. */
  mailTo(address: string, after?: number, holding?: string): Promise<string>
  /** Starts another instance of the service, in this process, on the same database. */
  startAnother(env?: Env, options?: Partial<ServiceOptions>): Promise<TestService>
  /** Stops every process of the service that this file has started on this database. Another may be started. */
  stopAll(): Promise<void>
}

const permissive_limit = '1000000/60'
/** Rate limits are effectively off, except in the tests of rate limits. */
const no_limits: Env = Object.fromEntries(
  ['LOGIN', 'REGISTER', 'VERIFY_EMAIL', 'SEND_VERIFICATION', 'TOKEN', 'TOKEN_VERIFY'].map((name) => [
    `RATE_LIMIT_${name}`,
    permissive_limit,
  ]),
)

/** Every test may deploy from these registries and have webhooks anywhere. No worker runs, even if the machine has a container engine. */
const usual_settings: Env = { ...hosting_settings, WEBHOOK_ADDRESSES: 'any' }

/** The key for everything that the service signs or seals. */
export const test_secret = 'a-secret-of-the-tests-long-enough-for-the-rule'

const admin_credentials = { email: 'root@plaza.test', password: 'root of all points' }

function testClock(): TestClock {
  let time = Date.now()
  return {
    now: () => new Date(time),
    advance: (seconds) => {
      time += seconds * 1000
    },
  }
}

/** Minimal parameters of argon2: with the usual ones, logins would dominate the duration of tests. */
const hashing_cost = { memoryCost: 8, timeCost: 1, parallelism: 1 }

/** Calls that race for a lock wait longer, for loaded machines. Tests that hold a lock for longer use 1. */
const patience = 10

/** The built-in content is read once for all services of a worker; services read other content themselves. */
let usual_course: Promise<Course> | undefined
const usualCourse = () => (usual_course ??= loadCourse(join(package_root, 'content/learning')))

let databases_made = 0

/**
 * Clones the template database with a new installation id, so that services that share an engine ignore each other's containers. The
 * template belongs to the real space; for a sandbox the clone is marked.
 */
export async function cloneTemplate(
  admin: pg.Client,
  { host, user, name, is_sandbox = false }: { host: string; user: string; name: string; is_sandbox?: boolean },
) {
  await admin.query(`create database ${name} template plaza_template strategy file_copy`)
  const client = new pg.Client({ host, user, database: name })
  await client.connect()
  await client.query('update installation set id = gen_random_uuid()')
  if (is_sandbox) await client.query('insert into sandbox_mark default values')
  await client.end()
}

/** A database cloned from the template with a data folder, and the service processes that run on them. */
interface Installation {
  start(env?: Env, options?: Partial<ServiceOptions>): Promise<TestService>
  stopAll(): Promise<void>
  /** Throws if a deployment has made an invalid transition. */
  checkTransitions(): void
  /** Stops the processes and removes database and folder. */
  close(): Promise<void>
}

async function openInstallation(
  env: Env,
  usual_options: Partial<ServiceOptions>,
  isUsed: () => boolean = () => true,
): Promise<Installation> {
  const { host, user } = inject('postgres')
  const name = `test_${process.pid}_${Date.now().toString(36)}_${++databases_made}`
  const admin = new pg.Client({ host, user, database: 'postgres' })
  await admin.connect()
  await cloneTemplate(admin, { host, user, name, is_sandbox: env.SANDBOX === 'on' })
  const folder = await mkdtemp(join(tmpdir(), 'plaza-data-'))
  const services: Service[] = []
  const illegal_transitions: string[] = []
  const clock = testClock()
  const mails = mailsIn(join(folder, 'outbox'))
  const settings: Env = {
    ...no_limits,
    DATABASE_URL: `postgres:///${name}?host=${encodeURIComponent(host)}&user=${user}`,
    SECRET_KEYS: test_secret,
    DATA_DIR: folder,
    HOST: '127.0.0.1',
    // The router needs another port. Tests that use it set ROLES and ROUTER_PORT.
    ROLES: 'api,worker',
    ADMIN_EMAIL: admin_credentials.email,
    ADMIN_PASSWORD: admin_credentials.password,
    ...env,
  }
  const stopAll = async () => {
    for (const service of services.splice(0)) await service.stop()
  }
  const start = async (more: Env = {}, options: Partial<ServiceOptions> = {}): Promise<TestService> => {
    const { url, ...started } = await startProcess(
      { ...settings, ...more },
      { clock: clock.now, ...usual_options, ...options },
      { illegal_transitions, isUsed },
    )
    services.push(started.service)
    const PUBLIC_URL = settings.PUBLIC_URL ?? url
    return {
      ...started,
      url,
      clock,
      mailTo: (address, after = 0, holding = '') => waitForMail(mails, { address, after, holding }),
      startAnother: ({ PORT = '0', ...extra } = {}, others = {}) => start({ PUBLIC_URL, PORT, ...extra }, others),
      stopAll,
    }
  }
  return {
    start,
    stopAll,
    checkTransitions() {
      if (illegal_transitions.length > 0) throw new Error(illegal_transitions.splice(0).join(''))
    },
    async close() {
      await stopAll()
      await admin.query(`drop database ${name} with (force)`)
      await admin.end()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Starts a process of the service in this process, by default on a free port. */
async function startProcess(
  env: Env,
  options: Partial<ServiceOptions>,
  { illegal_transitions, isUsed }: { illegal_transitions: string[]; isUsed: () => boolean },
) {
  const port = env.PORT === undefined || env.PORT === '0' ? await freePort() : Number(env.PORT)
  const url = `http://127.0.0.1:${port}`
  const lines: string[] = []
  const log = openLog('debug', {
    write(line) {
      lines.push(line)
      if (line.startsWith('{"level":"error"') && isUsed()) process.stderr.write(line)
      if (line.includes('illegal transition')) illegal_transitions.push(line)
    },
  })
  const service = await startService({
    config: readConfig({ PUBLIC_URL: url, ...env, PORT: String(port) }),
    log,
    verify_answers: true,
    scheduled: false,
    hashing_cost,
    patience,
    ...(env.LEARNING_DIR === undefined && { course: await usualCourse() }),
    ...options,
  })
  return { url, service, db: service.db, logged: () => lines.join('') }
}

/**
 * Starts the real service on a free port with its own database; both are removed after the test file, or after the test that calls this.
 * For tests that need other settings, times, faults or an empty database; the others use `sharedService`.
 */
export async function startTestService(env: Env = {}, options: Partial<ServiceOptions> = {}): Promise<TestService> {
  const installation = await openInstallation(env, options)
  atEnd(async () => {
    await installation.close()
    installation.checkTransitions()
  })
  return installation.start()
}

interface Shared {
  installation: Installation
  first: TestService
  /** The test files that use it now. A worker ends without notice after its last file, and PostgreSQL ends before its services. */
  files: { count: number }
}

const shared = new Map<string, Promise<Shared>>()

async function openShared(env: Env): Promise<Shared> {
  const files = { count: 0 }
  const installation = await openInstallation({ ...usual_settings, ...env }, {}, () => files.count > 0)
  return { installation, first: await installation.start(), files }
}

/**
 * The service that the test files of a worker share, one for each set of settings. A test makes its own people and apps, finds those of
 * other tests in lists, and may only move the clock forward.
 */
export async function sharedService(env: Env = {}): Promise<TestService> {
  const key = JSON.stringify(env)
  const opened = shared.get(key) ?? openShared(env)
  shared.set(key, opened)
  const { installation, first, files } = await opened
  const others: TestService[] = []
  files.count++
  atEnd(async () => {
    files.count--
    for (const { service } of others) await service.stop()
    installation.checkTransitions()
  })
  const start = first.logged().length
  return {
    ...first,
    logged: () => first.logged().slice(start),
    async startAnother(extra, options) {
      const other = await first.startAnother(extra, options)
      others.push(other)
      return other
    },
    stopAll: () => Promise.reject(new Error('other test files use this service: stop one of startTestService')),
  }
}

export const firstAdmin = admin_credentials

/** Returns all mails of a folder, oldest first. Each file is read once, because the folder of a shared service has hundreds. */
function mailsIn(outbox: string) {
  const texts = new Map<string, string>()
  return async () => {
    const names = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.eml')).sort()
    const added = names.filter((name) => !texts.has(name))
    await Promise.all(added.map(async (name) => texts.set(name, plainPart(await readFile(join(outbox, name), 'utf8')))))
    return names.map((name) => texts.get(name)!)
  }
}

/** A mail without its HTML. */
function plainPart(mail: string) {
  const [, boundary] = /boundary="([^"]+)"/.exec(mail) ?? []
  if (boundary === undefined) return mail
  const [head = '', plain = ''] = mail.split(`--${boundary}`)
  // The line break before a boundary is part of it.
  return head.trimEnd() + plain.replace(/\r\n$/, '')
}

async function waitForMail(
  mails: () => Promise<string[]>,
  { address, after, holding }: { address: string; after: number; holding: string },
): Promise<string> {
  const deadline = Date.now() + 200_000
  while (Date.now() < deadline) {
    const mine = (await mails())
      .filter((mail) => mail.includes(`To: ${address}\r\n`))
      .map(decodeQuotedPrintable)
      .filter((mail) => mail.includes(holding))
    const newest = mine.at(-1)
    if (newest !== undefined && mine.length > after) return newest
    await new Promise((next) => setTimeout(next, 20))
  }
  throw new Error(`no mail to ${address} within 200 s`)
}

function decodeQuotedPrintable(mail: string) {
  const bytes = mail
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

/** Calls `work` `times` times concurrently, after opening as many connections to the service; returns all results. */
export async function race<Result>(
  { url }: TestService,
  times: number,
  work: (at: number) => Promise<Result>,
): Promise<Result[]> {
  const all = Array.from({ length: times }, (_, at) => at)
  await Promise.all(all.map(async () => (await fetch(`${url}/health`)).text()))
  return Promise.all(all.map((at) => work(at)))
}

/** Opens a writing transaction in another database of the server; the returned function ends it. */
export async function openForeignTransaction() {
  const { host, user } = inject('postgres')
  const client = new pg.Client({ host, user, database: 'postgres' })
  await client.connect()
  await client.query('begin')
  await client.query('select pg_current_xact_id()')
  return () => client.end()
}

/** The name of the database that a service works on. */
export async function databaseNameOf({ db }: TestService): Promise<string> {
  const [row] = await db.sql<{ name: string }>`select current_database() as name`
  return row!.name
}

/** The number of items per key. */
export function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string | number) {
  const counts: Record<string, number> = {}
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1
  return counts
}

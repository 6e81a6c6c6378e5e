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
  /** The newest mail to an address that holds a text, if one is given; waits until there are more than `after` of them. */
  mailTo(address: string, after?: number, holding?: string): Promise<string>
  /** Starts another instance of the service, in this process, on the same database. */
  startAnother(env?: Env, options?: Partial<ServiceOptions>): Promise<TestService>
  /** Stops every process of the service that this file has started on this database; another may be started. */
  stopAll(): Promise<void>
}

const permissive_limit = '1000000/60'
/** Rate limits are off in effect, except in the tests of rate limits. */
const no_limits: Env = Object.fromEntries(
  ['LOGIN', 'REGISTER', 'VERIFY_EMAIL', 'SEND_VERIFICATION', 'TOKEN', 'TOKEN_VERIFY'].map((name) => [
    `RATE_LIMIT_${name}`,
    permissive_limit,
  ]),
)

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

/** The content that comes with the service is read once for all services of a worker; they read other content themselves. */
let usual_course: Promise<Course> | undefined
const usualCourse = () => (usual_course ??= loadCourse(join(package_root, 'content/learning')))

let databases_made = 0

/**
 * Creates a database from the template, with a new installation id: services that share an engine ignore each other's containers. The
 * template is the real space's; that of a sandbox gets the mark.
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

/**
 * Starts the real service on a free port, with a database of its own cloned from the template; both are removed when the test
 * file is done, or the test in which it is called.
 */
export async function startTestService(
  env: Env = {},
  more_options: Partial<ServiceOptions> = {},
): Promise<TestService> {
  const { host, user } = inject('postgres')
  const name = `test_${process.pid}_${Date.now().toString(36)}_${++databases_made}`
  const admin = new pg.Client({ host, user, database: 'postgres' })
  await admin.connect()
  await cloneTemplate(admin, { host, user, name, is_sandbox: env.SANDBOX === 'on' })
  const folder = await mkdtemp(join(tmpdir(), 'plaza-data-'))
  const services: Service[] = []
  const stopAll = async () => {
    for (const service of services.splice(0)) await service.stop()
  }
  const illegal_transitions: string[] = []
  atEnd(async () => {
    await stopAll()
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
    await rm(folder, { recursive: true, force: true })
    if (illegal_transitions.length > 0) throw new Error(illegal_transitions.join(''))
  })
  const clock = testClock()
  const shared: Env = {
    ...no_limits,
    DATABASE_URL: `postgres:///${name}?host=${encodeURIComponent(host)}&user=${user}`,
    SECRET_KEYS: 'a-secret-of-the-tests-long-enough-for-the-rule',
    DATA_DIR: folder,
    HOST: '127.0.0.1',
    // The router needs another port: tests that use it set ROLES and ROUTER_PORT.
    ROLES: 'api,worker',
    ADMIN_EMAIL: admin_credentials.email,
    ADMIN_PASSWORD: admin_credentials.password,
    ...env,
  }
  const start = async (more: Env, options: Partial<ServiceOptions> = {}): Promise<TestService> => {
    const port = more.PORT === undefined ? await freePort() : Number(more.PORT)
    const url = shared.PUBLIC_URL ?? `http://127.0.0.1:${port}`
    const lines: string[] = []
    const log = openLog('debug', {
      write(line) {
        lines.push(line)
        if (line.startsWith('{"level":"error"')) process.stderr.write(line)
        if (line.includes('illegal transition')) illegal_transitions.push(line)
      },
    })
    const settings: Env = { ...shared, PORT: String(port), PUBLIC_URL: url, ...more }
    const config = readConfig(settings)
    const service = await startService({
      config,
      log,
      clock: clock.now,
      verify_answers: true,
      scheduled: false,
      hashing_cost,
      ...(settings.LEARNING_DIR === undefined && { course: await usualCourse() }),
      ...more_options,
      ...options,
    })
    services.push(service)
    return {
      url: `http://127.0.0.1:${port}`,
      clock,
      db: service.db,
      service,
      logged: () => lines.join(''),
      mailTo: (address, after = 0, holding = '') => waitForMail(join(folder, 'outbox'), { address, after, holding }),
      startAnother: (extra = {}, others = {}) => start({ PUBLIC_URL: url, ...extra }, others),
      stopAll,
    }
  }
  // A test that needs to know it beforehand gives the port of the first process.
  return start(env.PORT === undefined ? {} : { PORT: env.PORT })
}

export const firstAdmin = admin_credentials

async function waitForMail(
  outbox: string,
  { address, after, holding }: { address: string; after: number; holding: string },
): Promise<string> {
  const deadline = Date.now() + 60_000
  while (Date.now() < deadline) {
    const names = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.eml')).sort()
    const mails = await Promise.all(names.map((name) => readFile(join(outbox, name), 'utf8')))
    const mine = mails
      .filter((mail) => mail.includes(`To: ${address}\r\n`))
      .map(decodeQuotedPrintable)
      .filter((mail) => mail.includes(holding))
    const newest = mine.at(-1)
    if (newest !== undefined && mine.length > after) return newest
    await new Promise((next) => setTimeout(next, 20))
  }
  throw new Error(`no mail to ${address} within 60 s`)
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

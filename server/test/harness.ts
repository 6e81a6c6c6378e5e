import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, inject } from 'vitest'
import { readConfig } from '../config.ts'
import type { Database } from '../platform/postgres/database.ts'
import type { Env } from '../platform/env-reader.ts'
import { openLog } from '../platform/log.ts'
import { package_root } from '../platform/package.ts'
import type { Course } from '../learning/content.rules.ts'
import { loadCourse } from '../learning/content.store.ts'
import { startService, type Service, type ServiceOptions } from '../processes/start.ts'
import { freePort } from './free-port.ts'

/** A clock that stands still until it is moved. */
export interface TestClock {
  now(): Date
  advance(seconds: number): void
}

export interface TestService {
  url: string
  clock: TestClock
  db: Database
  service: Service
  /** Everything that the service wrote to its log so far. */
  logged(): string
  /** The newest mail to an address; waits until there is one more than `after`. */
  mailTo(address: string, after?: number): Promise<string>
  /** Starts a second process's worth of the same service on the same database. */
  startAnother(env?: Env, options?: Partial<ServiceOptions>): Promise<TestService>
  /** Stops every process of the service that this file has started on this database; another may be started. */
  stopAll(): Promise<void>
}

const permissive_limit = '1000000/60'
/** Limits against guessing would get in the way of every test but their own. */
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

/** Signing people in would cost tests more than all that they are about. */
const hashing_cost = { memoryCost: 8, timeCost: 1, parallelism: 1 }

/** The content that comes with the service is read once for all services of a worker; they read other content themselves. */
let usual_course: Promise<Course> | undefined
const usualCourse = () => (usual_course ??= loadCourse(join(package_root, 'content/learning')))

let databases_made = 0

/** A new database from the template, which is an installation of its own: what others run on one engine is not its. */
export async function cloneTemplate(
  admin: pg.Client,
  { host, user, name }: { host: string; user: string; name: string },
) {
  await admin.query(`create database ${name} template plaza_template`)
  const client = new pg.Client({ host, user, database: name })
  await client.connect()
  await client.query('update installation set id = gen_random_uuid()')
  await client.end()
}

/**
 * Starts the real service, on a free port and a database of its own cloned from the template; both go when the test
 * file is done. Call it once per file, at the top level or in `beforeAll`.
 */
export async function startTestService(
  env: Env = {},
  more_options: Partial<ServiceOptions> = {},
): Promise<TestService> {
  const { host, user } = inject('postgres')
  const name = `test_${process.pid}_${Date.now().toString(36)}_${++databases_made}`
  const admin = new pg.Client({ host, user, database: 'postgres' })
  await admin.connect()
  await cloneTemplate(admin, { host, user, name })
  const folder = await mkdtemp(join(tmpdir(), 'plaza-data-'))
  const services: Service[] = []
  const stopAll = async () => {
    for (const service of services.splice(0)) await service.stop()
  }
  const illegal_transitions: string[] = []
  afterAll(async () => {
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
    // The router has a port of its own: tests that want one say ROLES and ROUTER_PORT.
    ROLES: 'api,worker',
    ADMIN_EMAIL: admin_credentials.email,
    ADMIN_PASSWORD: admin_credentials.password,
    ...env,
  }
  const start = async (more: Env, options: Partial<ServiceOptions> = {}): Promise<TestService> => {
    const port = await freePort()
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
      mailTo: (address, after = 0) => waitForMail(join(folder, 'outbox'), address, after),
      startAnother: (extra = {}, others = {}) => start({ PUBLIC_URL: url, ...extra }, others),
      stopAll,
    }
  }
  return start({})
}

export const firstAdmin = admin_credentials

async function waitForMail(outbox: string, address: string, after: number): Promise<string> {
  const deadline = Date.now() + 10_000
  while (Date.now() < deadline) {
    const names = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.eml')).sort()
    const mails = await Promise.all(names.map((name) => readFile(join(outbox, name), 'utf8')))
    const mine = mails.filter((mail) => mail.includes(`To: ${address}\r\n`))
    const newest = mine.at(-1)
    if (newest !== undefined && mine.length > after) return decodeQuotedPrintable(newest)
    await new Promise((next) => setTimeout(next, 20))
  }
  throw new Error(`no mail to ${address} within 10 s`)
}

const decodeQuotedPrintable = (mail: string) =>
  mail.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))

/** Calls `work` `times` times at once, after as many connections to the service were opened, and answers all results. */
export async function race<Result>(
  { url }: TestService,
  times: number,
  work: (at: number) => Promise<Result>,
): Promise<Result[]> {
  const all = Array.from({ length: times }, (_, at) => at)
  await Promise.all(all.map(async () => (await fetch(`${url}/health`)).text()))
  return Promise.all(all.map((at) => work(at)))
}

/** Begins a transaction that writes, in another database of the server; what is answered ends it. */
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

/** How often each key came. */
export function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string | number) {
  const counts: Record<string, number> = {}
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1
  return counts
}

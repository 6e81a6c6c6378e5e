import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../server/platform/postgres/embedded/start.ts'
import { openJwtKeyRing } from '../../server/platform/jwt.ts'
import { openLog } from '../../server/platform/log.ts'
import { package_root } from '../../server/platform/package.ts'
import { prepareDatabase } from '../../server/processes/database.ts'
import { isOk, waitUntil } from '../../server/test/wait.ts'
import { freePort } from '../../server/test/free-port.ts'

export const bench_secret = 'a-secret-of-the-benchmarks-long-enough'

export interface BenchDatabase {
  host: string
  user: string
  name: string
  pool: pg.Pool
  url: string
}

/** Resources of a benchmark, closed in reverse order when it ends, fails or is interrupted. */
export class Closers {
  private static readonly open = new Set<Closers>()
  private readonly closers: (() => Promise<unknown>)[] = []
  add(close: () => Promise<unknown>) {
    if (Closers.open.size === 0) Closers.closeWhenInterrupted()
    Closers.open.add(this)
    this.closers.push(close)
  }
  async closeAll() {
    for (let close = this.closers.pop(); close; close = this.closers.pop()) await close()
  }
  private static closeWhenInterrupted() {
    const close = async () => {
      for (const closers of Closers.open) await closers.closeAll().catch(() => {})
      process.exit(1)
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void close())
  }
}

/** Starts a PostgreSQL in a temporary folder, with fsync, for both sides of a figure. */
export async function startBenchPostgres(closers: Closers) {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-bench-'))
  closers.add(() => rm(folder, { recursive: true, force: true }))
  const postgres = await startEmbeddedPostgres({ data_dir: folder, fsync: true, trusts_local_users: true })
  closers.add(postgres.stop)
  return { ...postgres.connection, folder }
}

/** Creates a database with the current schema. */
export async function createBenchDatabase(
  closers: Closers,
  { host, user }: { host: string; user: string },
  name: string,
): Promise<BenchDatabase> {
  const admin = new pg.Client({ host, user, database: 'postgres' })
  await admin.connect()
  await admin.query(`create database ${name}`)
  await admin.end()
  const pool = new pg.Pool({ host, user, database: name, max: 4 })
  pool.on('error', () => {}).on('connect', () => {})
  closers.add(() => pool.end())
  await prepareDatabase(pool, openLog('silent'))
  return { host, user, name, pool, url: `postgres:///${name}?host=${encodeURIComponent(host)}&user=${user}` }
}

/** Creates and seeds another database for a bench. */
export async function createSeeded({ closers, postgres }: Omit<World, 'database'>, name: string, size: SeedSize) {
  const database = await createBenchDatabase(closers, postgres, name)
  await seed(database.pool, size)
  return database
}

/** Ids, tokens and names that both SQL and this code can compute. */
export const seeded = {
  userId: (n: number) => `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`,
  appId: (n: number) => `01900000-0000-7000-9000-${n.toString(16).padStart(12, '0')}`,
  sessionId: (n: number) => `01900000-0000-7000-b000-${n.toString(16).padStart(12, '0')}`,
  accessToken: (n: number) => `plz_at_seeded_${String(n).padStart(12, '0')}`,
  clientSecret: (n: number) => `plz_cs_seeded_${String(n).padStart(12, '0')}`,
}

const uuidSql = (variant: string) => `('01900000-0000-7000-${variant}-' || lpad(to_hex(n), 12, '0'))::uuid`
const all_scopes = `'{profile:read,points:read,points:spend,points:transfer,app:balance:read}'::text[]`

/** The environment of a bench: its PostgreSQL, and a database there with the requested seed. */
export interface World {
  closers: Closers
  postgres: Awaited<ReturnType<typeof startBenchPostgres>>
  database: BenchDatabase
}

export interface SeedSize {
  users: number
  apps: number
}

/** Inserts users with points, apps, and for each user n a grant, access token and login session. User n's app is n modulo `apps`. */
export async function seed(pool: pg.Pool, { users, apps }: SeedSize) {
  const run = (text: string) => pool.query(text)
  await run(`
    insert into users (id, email, username, password_hash, tier, email_verified, referral_code, registration_number, inserted_at)
    select ${uuidSql('8000')}, 'user' || n || '@bench.test', 'user' || n, '-', 'bronze', true, 'ref' || n, n + 1000000000, now()
      from generate_series(0, ${users - 1}) n`)
  await run(`
    insert into point_accounts (id, kind, credited) select ${uuidSql('8000')}, 'user', 1000000000 from generate_series(0, ${users - 1}) n`)
  await run(`
    insert into oauth_apps (id, client_id, owner_id, app_name, redirect_uris, allowed_scopes, status, inserted_at, updated_at)
    select ${uuidSql('9000')}, 'client' || n, '${seeded.userId(0)}', 'App ' || n, '{https://bench.test/cb}', ${all_scopes},
           'approved', now(), now()
      from generate_series(0, ${apps - 1}) n`)
  await run(
    `insert into point_accounts (id, kind) select ${uuidSql('9000')}, 'app' from generate_series(0, ${apps - 1}) n`,
  )
  await run(`
    insert into app_secrets (id, app_id, secret_hash, hint, inserted_at)
    select gen_random_uuid(), ${uuidSql('9000')}, sha256(('plz_cs_seeded_' || lpad(n::text, 12, '0'))::bytea), 'seed', now()
      from generate_series(0, ${apps - 1}) n`)
  await seedGrants(pool, { users, apps })
  await run('vacuum analyze')
}

async function seedGrants(pool: pg.Pool, { users, apps }: SeedSize) {
  const app = `('01900000-0000-7000-9000-' || lpad(to_hex(n % ${apps}), 12, '0'))::uuid`
  await pool.query(`
    insert into connections (user_id, app_id, scopes, connected_at)
    select ${uuidSql('8000')}, ${app}, ${all_scopes}, now() from generate_series(0, ${users - 1}) n`)
  await pool.query(`
    insert into grants (id, user_id, app_id, scopes, approval_epoch, inserted_at)
    select ${uuidSql('a000')}, ${uuidSql('8000')}, ${app}, ${all_scopes}, 0, now() from generate_series(0, ${users - 1}) n`)
  await pool.query(`
    insert into access_tokens (token_hash, grant_id, user_id, app_id, scopes, inserted_at, expires_at)
    select sha256(('plz_at_seeded_' || lpad(n::text, 12, '0'))::bytea), ${uuidSql('a000')}, ${uuidSql('8000')}, ${app},
           ${all_scopes}, now(), now() + interval '1 day'
      from generate_series(0, ${users - 1}) n`)
  await pool.query(`
    insert into login_sessions (id, user_id, inserted_at, expires_at)
    select ${uuidSql('b000')}, ${uuidSql('8000')}, now(), now() + interval '1 day' from generate_series(0, ${users - 1}) n`)
}

export interface BenchService {
  port: number
  pid: number
  issuer: string
  stop(): Promise<void>
  /** Microseconds of processor time used so far; needs `reporter.mjs` loaded into the process. */
  processorTime(): Promise<number>
  /** The delay of the event loop in milliseconds since the last call, at the 99.9th percentile; also needs `reporter.mjs`. */
  eventLoopDelay(): Promise<number>
}

/** How long the service may take to stop. */
const stop_ms = 60_000

/**
 * Starts the built service in a child process, on `PORT` or a free port, with the flags of `npm start`, without rate limits. Discards its
 * log.
 */
export async function startBenchService(
  closers: Closers,
  database: BenchDatabase,
  env: Record<string, string> = {},
  exec_args: string[] = [],
): Promise<BenchService> {
  const port = env.PORT === undefined ? await freePort() : Number(env.PORT)
  const issuer = `http://127.0.0.1:${port}`
  const off = ['LOGIN', 'REGISTER', 'VERIFY_EMAIL', 'SEND_VERIFICATION', 'TOKEN', 'TOKEN_VERIFY'].map((name) => [
    `RATE_LIMIT_${name}`,
    'off',
  ])
  const data_dir = join(tmpdir(), `plaza-bench-data-${process.pid}`)
  closers.add(() => rm(data_dir, { recursive: true, force: true }))
  const child = spawn(
    process.execPath,
    ['--max-semi-space-size=64', ...exec_args, join(package_root, 'dist/server/main.js')],
    {
      env: {
        ...process.env,
        ...Object.fromEntries(off),
        DATABASE_URL: database.url,
        SECRET_KEYS: bench_secret,
        DATA_DIR: data_dir,
        HOST: '127.0.0.1',
        PORT: String(port),
        PUBLIC_URL: issuer,
        ...env,
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  )
  const ended = new Promise<void>((done) => child.once('exit', () => done()))
  const stop = async () => {
    child.kill('SIGTERM')
    const watchdog = setTimeout(() => child.kill('SIGKILL'), stop_ms)
    await ended
    clearTimeout(watchdog)
    if (child.signalCode === 'SIGKILL') throw new Error(`the service did not stop within ${stop_ms / 1_000} s`)
  }
  closers.add(stop)
  await healthy(issuer)
  const ask = (what: 'processor time' | 'event-loop delay') =>
    new Promise<number>((resolve) => {
      child.once('message', (answer) => resolve(answer as number))
      child.send(what)
    })
  const [processorTime, eventLoopDelay] = [() => ask('processor time'), () => ask('event-loop delay')]
  return { port, pid: child.pid ?? 0, issuer, stop, processorTime, eventLoopDelay }
}

/** Waits until the service at this URL is healthy. */
const healthy = (url: string) => waitUntil(() => isOk(`${url}/health`), `the service at ${url}`, { interval_ms: 50 })

/** The Authorization header of seeded user n's access token, of its session, and of app n. */
export const tokenOf = (n: number) => ({ authorization: `Bearer ${seeded.accessToken(n)}` })
export const sessionOf = ({ issuer }: { issuer: string }, n: number) => ({
  authorization: `Bearer ${seededJwt(issuer, n)}`,
})
export const basicOf = (n: number) => ({
  authorization: `Basic ${Buffer.from(`client${n}:${seeded.clientSecret(n)}`).toString('base64')}`,
})

/** A JWT of seeded user n. */
export function seededJwt(issuer: string, n: number) {
  const iat = Math.floor(Date.now() / 1000)
  return openJwtKeyRing([bench_secret], issuer).sign({
    sub: seeded.userId(n),
    sid: seeded.sessionId(n),
    iat,
    exp: iat + 80_000,
  })
}

export function median(numbers: number[]) {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

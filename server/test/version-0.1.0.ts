import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import { brotliDecompressSync } from 'node:zlib'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { package_root } from '../platform/package.ts'
import type { Env } from '../platform/env-reader.ts'
import { freePort } from './free-port.ts'
import { startProcess } from './processes.ts'
import { isOk, waitUntil } from './wait.ts'

/** What 0.1.0 was built from, and what it has written: server/test/fixtures/version-0.1.0/README.md. */
const folder = join(package_root, 'server/test/fixtures/version-0.1.0')

/** A person of the fixture. `password` of everybody is `password of <username>`. */
export interface OldUser {
  id: string
  username: string
  email: string
  password: string
  jwt: string
  /** With two-factor authentication on: the secret, and recovery codes that were not used. */
  totp?: { secret: string; recovery_codes: string[] }
}

export interface OldApp {
  id: string
  client_id: string
  client_secret: string
  redirect_uri: string
  owner: string
}

export interface OldTokens {
  user: string
  app: string
  access_token: string
  refresh_token: string
  session_token: string
}

/** What the test needs to act in the database of 0.1.0: everything here was made through its API. */
export interface OldWorld {
  /** SECRET_KEYS of the fixture; of no other use. */
  secret_keys: string
  public_url: string
  /** When it was made: nothing of it is newer. */
  made_at: string
  admin: { email: string; password: string; jwt: string }
  users: Record<string, OldUser>
  apps: Record<string, OldApp>
  tokens: OldTokens[]
  /** A spend that was sent with a key, and its answer, which a repetition gets again. */
  keyed_spend: { access_token: string; key: string; body: object; answer: object }
  deployments: { id: string; app: string; env_vars: Record<string, string>; access_token: string }[]
  /** GET requests with a token, and what 0.1.0 answered. */
  answers: { path: string; token: string; body: unknown }[]
}

async function readCompressed(name: string) {
  return brotliDecompressSync(await readFile(join(folder, name))).toString()
}

/** What is known of the fixture's contents. */
export const oldWorld = async () => JSON.parse(await readCompressed('world.json.br')) as OldWorld

/** Unpacks the program of 0.1.0 into a new folder; `main` is its entry point. */
export async function unpackOldVersion() {
  const root = await mkdtemp(join(tmpdir(), 'plaza-0.1.0-'))
  const files = JSON.parse(await readCompressed('program.json.br')) as Record<string, string>
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  // For the native password hashing; everything else is in the program.
  await symlink(join(package_root, 'node_modules'), join(root, 'node_modules'))
  return { root, main: join(root, 'dist/server/main.js'), remove: () => rm(root, { recursive: true, force: true }) }
}

/** The settings with which 0.1.0 runs on a database of the tests. */
export const oldSettings = (world: Pick<OldWorld, 'secret_keys' | 'public_url'>, env: Env): Env => ({
  SECRET_KEYS: world.secret_keys,
  PUBLIC_URL: world.public_url,
  HOST: '127.0.0.1',
  ROLES: 'api',
  LOG_LEVEL: 'warn',
  ...unlimited,
  ...env,
})

/** Rate limits off, and tokens that outlive the fixture's age. */
const unlimited: Env = {
  ...Object.fromEntries(
    ['LOGIN', 'REGISTER', 'VERIFY_EMAIL', 'SEND_VERIFICATION', 'TOKEN', 'TOKEN_VERIFY'].map((name) => [
      `RATE_LIMIT_${name}`,
      'off',
    ]),
  ),
  JWT_TTL: '300000000',
  ACCESS_TOKEN_TTL: '300000000',
  REFRESH_TOKEN_TTL: '300000000',
  SESSION_TOKEN_TTL: '300000000',
}

/**
 * Fills a database in which 0.1.0 has made its schema with the rows of the fixture. Triggers and foreign keys are off meanwhile:
 * the rows are as 0.1.0 left them.
 */
async function restoreOldRows(client: pg.Client) {
  const text = await readCompressed('rows.copy.br')
  await client.query("set session_replication_role = 'replica'")
  await client.query('begin')
  const blocks = [...text.matchAll(/^\\copy (\S+) (\(.*\))\n((?:(?!\\\.$).*\n)*)\\\.\n/gm)]
  for (const [, table] of blocks) await client.query(`delete from ${table}`)
  for (const [, table, columns, rows] of blocks)
    await pipeline(Readable.from([rows]), client.query(copyFrom(`copy ${table} ${columns} from stdin`)))
  for (const [, sequence, value] of text.matchAll(/^\\sequence (\S+) (\d+)$/gm))
    await client.query('select setval($1, $2)', [sequence, value])
  // Transactions are numbered by the server: those of the rows are long over here.
  await client.query("update events set xid = '3'")
  await client.query("update events_cleared set xid = '3', seq = 0")
  await client.query("update app_activity_progress set seen_by = '3'")
  await client.query('commit')
  await client.query("set session_replication_role = 'origin'")
  await client.query('analyze')
}

/**
 * Makes the database of 0.1.0 with this name: its program makes the schema, and the rows of the fixture are put into it. Answers
 * the settings with which 0.1.0, and any later version, works on it.
 */
export async function restoreOldDatabase(admin: pg.Client, name: string, main: string): Promise<Env> {
  const { host, user } = admin
  await admin.query(`create database ${name}`)
  const env = oldSettings(await oldWorld(), {
    DATABASE_URL: `postgres:///${name}?host=${encodeURIComponent(host)}&user=${user}`,
    PORT: String(await freePort()),
  })
  const first = await startService(main, env)
  first.child.kill('SIGTERM')
  await first.ended
  const client = new pg.Client({ host, user: user!, database: name })
  await client.connect()
  await restoreOldRows(client)
  await client.end()
  return env
}

/** Starts the program of a version and waits until it serves; throws with its output where it ends instead. */
export async function startService(main: string, env: Env) {
  const started = startProcess(process.execPath, [main], env)
  const state = { ended: false }
  void started.ended.then(() => (state.ended = true))
  const url = `http://127.0.0.1:${env.PORT}`
  await waitUntil(
    async () => state.ended || (await isOk(`${url}/health`)),
    () => `the service: ${started.stderr()}`,
    {
      interval_ms: 50,
    },
  )
  if (state.ended) throw new Error(`the service has ended: ${started.stdout()}${started.stderr()}`)
  return { ...started, url }
}

/** Columns that are unique texts: a copy of the row gets a suffix. */
const unique_texts = [
  'email',
  'username',
  'referral_code',
  'client_id',
  'slug',
  'subdomain',
  'container_name',
  'ref_id',
]
/** Tables with one row, or whose rows name something outside of the database. */
const not_copied = [
  'schema_migrations',
  'installation',
  'registration_counter',
  'events_cleared',
  'app_activity_progress',
]

/**
 * Copies the whole world of the fixture `copies` times, so that its tables have thousands of rows: all ids of a copy are derived
 * from the first ones in the same way, so that its books balance too. Sealed values are bound to their row and not copied.
 */
export async function growOldRows(client: pg.Client, copies: number) {
  const { rows: columns } = await client.query<{ table: string; column: string; type: string; identity: boolean }>(`
    select table_name as table, column_name as column, data_type as type, is_identity = 'YES' as identity
      from information_schema.columns
     where table_schema = 'public' and is_generated = 'NEVER' order by table_name, ordinal_position`)
  await client.query("set session_replication_role = 'replica'")
  for (const table of new Set(columns.map((column) => column.table))) {
    if (not_copied.includes(table) || table === 'container_hosts' || table === 'pulled_images') continue
    const own = columns.filter((column) => column.table === table)
    await client.query(
      `insert into ${table} (${own.map(({ column }) => `"${column}"`).join(', ')}) overriding system value
       select ${own.map(copyOf).join(', ')} from ${table}, generate_series(1, ${copies}) as copy`,
    )
  }
  for (const { table, column } of columns.filter(({ identity }) => identity))
    await client.query(
      `select setval(pg_get_serial_sequence('${table}', '${column}'), (select max("${column}") from ${table}))`,
    )
  await client.query(`update registration_counter set registrations = (select max(registration_number) from users)`)
  await client.query("set session_replication_role = 'origin'")
  await client.query('analyze')
}

function copyOf({ table, column, type, identity }: { table: string; column: string; type: string; identity: boolean }) {
  const name = `"${column}"`
  if (column.startsWith('totp_') && type === 'bytea') return 'null'
  if (column === 'sealed_env') return `''::bytea`
  if (identity || column === 'registration_number') return `${name} + copy * (select max(${name}) from ${table})`
  if (type === 'uuid') return `overlay(${name}::text placing to_hex(copy + 16) from 1)::uuid`
  if (type === 'bytea') return `sha256(${name} || copy::text::bytea)`
  if (unique_texts.includes(column) || (table === 'rate_limits' && column === 'key')) return `${name} || '-' || copy`
  return name
}

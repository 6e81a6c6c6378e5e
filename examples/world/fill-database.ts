import { once } from 'node:events'
import { resolve } from 'node:path'
import pg from 'pg'
import { withDatabaseSource } from '../../server/commands/database.ts'
import { readConfig, type Config } from '../../server/config.ts'
import type { Env } from '../../server/platform/env-reader.ts'
import { openLog } from '../../server/platform/log.ts'
import type { ConnectionConfig } from '../../server/platform/postgres/connection.ts'
import { parseDatabaseUrl } from '../../server/platform/postgres/url.ts'
import { describeDatabase } from '../../server/processes/database-source.ts'
import { startService } from '../../server/processes/start.ts'
import { freePort } from '../../server/test/free-port.ts'
import { example_registry } from './hosting.ts'
import { example_admin, makeExampleWorld } from './world.ts'

/** The settings that name the database and its keys. The seed sets all others: it sends no mail and shares no port. */
const database_settings = ['DATABASE_URL', 'DATABASE_URL_FILE', 'DATA_DIR', 'SECRET_KEYS', 'SECRET_KEYS_FILE'] as const

async function ownSettings(env: Env, { public_url }: Config): Promise<Env> {
  const taken = Object.fromEntries(database_settings.map((name) => [name, env[name]]))
  return {
    ...taken,
    HOST: '127.0.0.1',
    PORT: String(await freePort()),
    PUBLIC_URL: public_url,
    ROLES: 'api',
    BACKUP_EVERY: 'off',
    ADMIN_EMAIL: example_admin.email,
    ADMIN_PASSWORD: example_admin.password,
    REGISTRY_CODE_HOST: example_registry,
    RATE_LIMIT_LOGIN: 'off',
    RATE_LIMIT_REGISTER: 'off',
  }
}

const isLocal = (host: string) => /^(localhost|127(\.\d+){3}|\[?::1\]?|\/.*)$/.test(host)

/** Throws if others could reach the accounts, whose passwords are public. */
function refuseRemote({ host, public_url, database_url }: Config) {
  const servers = database_url === undefined ? [] : parseDatabaseUrl(database_url).servers
  const remote = [
    ...(servers.every((server) => isLocal(server.host))
      ? []
      : [`DATABASE_URL (${describeDatabase(database_url ?? '')})`]),
    ...(isLocal(host) ? [] : [`HOST (${host})`]),
    ...(isLocal(new URL(public_url).hostname) ? [] : [`PUBLIC_URL (${public_url})`]),
  ]
  if (remote.length > 0)
    throw new Error(
      `The example accounts have public passwords, so they are made on this machine only: ${remote.join(', ')} is not of it. ` +
        'Nothing was written.',
    )
}

/** Throws if the database contains more than the first admin. */
async function refuseUsed(connection: ConnectionConfig, { database_url, data_dir }: Config) {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    if (!(await isUsed(client))) return
  } finally {
    await client.end()
  }
  const database =
    database_url === undefined ? `in ${resolve(data_dir)}` : `of DATABASE_URL (${describeDatabase(database_url)})`
  throw new Error(
    `The example world needs an empty database, and the one ${database} is in use. Nothing was written. ` +
      `Let ${database_url === undefined ? 'DATA_DIR' : 'DATABASE_URL'} name another one.`,
  )
}

async function isUsed(client: pg.Client) {
  const { rows: tables } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public'",
  )
  if (!tables.some(({ name }) => name === 'users')) return tables.length > 0
  const { rows } = await client.query<{ is_used: boolean }>(`
    select (select count(*) from users) > 1 or exists (select from users where not is_admin)
           or exists (select from oauth_apps) as is_used`)
  return rows[0]?.is_used ?? true
}

const interrupted = (signal: AbortSignal) =>
  once(signal, 'abort').then((): never => {
    throw new Error('interrupted')
  })

/** The environment of the seed. */
interface Seeding {
  signal: AbortSignal
  print(text: string): void
  printError(line: string): void
}

/**
 * Fills the database of a fresh local service with the example world, and prints its accounts. It starts a second service on that
 * database, so it works with and without a running one. Throws if it refuses.
 */
export async function fillDatabase(env: Env, { signal, print, printError }: Seeding) {
  const config = readConfig(env)
  refuseRemote(config)
  if (config.is_sandbox)
    throw new Error('The example world is for the real space: leave SANDBOX out. Nothing was written.')
  const fill = async ({ connection }: { connection: ConnectionConfig }) => {
    await refuseUsed(connection, config)
    const own = readConfig(await ownSettings(env, config))
    const service = await startService({ config: own, log: openLog('error'), abort: signal })
    try {
      return await Promise.race([makeExampleWorld(service), interrupted(signal)])
    } finally {
      await service.stop()
    }
  }
  const { user, operator, admin } = await withDatabaseSource({ env, signal, printError }, fill, { creates: true })
  const rows = Object.entries({ person: user, operator, admin })
  print(
    `The example world is made. Sign in at ${config.public_url} (npm start, if it does not run yet):\n` +
      rows.map(([who, { email, password }]) => `  ${who.padEnd(8)}  ${email.padEnd(20)}  ${password}\n`).join(''),
  )
}

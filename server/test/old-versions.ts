import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import pg from 'pg'
import { package_root } from '../platform/package.ts'
import type { Env } from '../platform/env-reader.ts'

/** The versions with a database in `fixtures/`; its README.md describes how they were made. */
type OldVersion = '0.1.0' | '0.2.0'

/** A person of the fixture. Every `password` is `password of <username>`. */
interface OldUser {
  id: string
  username: string
  email: string
  password: string
  jwt: string
  /** With two-factor authentication on: the secret, and unused recovery codes. */
  totp?: { secret: string; recovery_codes: string[] }
}

interface OldApp {
  id: string
  client_id: string
  client_secret: string
  redirect_uri: string
  owner: string
}

interface OldTokens {
  user: string
  app: string
  access_token: string
  refresh_token: string
  session_token: string
}

/** The contents of the database of 0.1.0. Its API created them. */
interface FirstWorld {
  /** SECRET_KEYS of the fixture. */
  secret_keys: string
  public_url: string
  admin: { email: string; password: string; jwt: string }
  users: Record<string, OldUser>
  apps: Record<string, OldApp>
  tokens: OldTokens[]
  /** A spend with a key, and the answer that a repetition gets again. */
  keyed_spend: { access_token: string; key: string; body: object; answer: object }
  deployments: { id: string; app: string; env_vars: Record<string, string>; access_token: string }[]
  /** GET requests with a token, and the answers of 0.1.0. */
  answers: { path: string; token: string; body: unknown }[]
}

/** The contents of the database of 0.2.0: the example world, a scaled deployment, webhooks and a second factor. */
interface SecondWorld {
  secret_keys: string
  public_url: string
  ada: { id: string; jwt: string; totp_secret: string; recovery_codes: string[] }
  olga: { id: string; jwt: string }
  admin: { id: string; jwt: string }
  shop: { id: string; client_id: string; client_secret: string }
  refresh_token: string
  deployment: { id: string; access_token: string; env_vars: Record<string, string> }
  keyed_spend: FirstWorld['keyed_spend']
  /** GET requests with a token, and the answers of 0.2.0. */
  answers: FirstWorld['answers']
}

interface Worlds {
  '0.1.0': FirstWorld
  '0.2.0': SecondWorld
}

const readFixture = async (version: OldVersion, name: string) =>
  brotliDecompressSync(await readFile(join(package_root, `server/test/fixtures/version-${version}`, name))).toString()

/** The known contents of a fixture. */
export const worldOf = async <Version extends OldVersion>(version: Version) =>
  JSON.parse(await readFixture(version, 'world.json.br')) as Worlds[Version]

/** Fills an empty database with the data that a version left. */
export async function restoreVersion(version: OldVersion, connection: pg.ClientConfig) {
  const client = new pg.Client(connection)
  await client.connect()
  await client.query(await readFixture(version, 'database.sql.br'))
  await client.query('analyze')
  await client.end()
}

/** The settings with which this version runs on the database of a fixture. */
export const settingsOf = (admin: pg.Client, name: string, world: FirstWorld | SecondWorld): Env => ({
  DATABASE_URL: `postgres:///${name}?host=${encodeURIComponent(admin.host)}&user=${admin.user}`,
  SECRET_KEYS: world.secret_keys,
  PUBLIC_URL: world.public_url,
  HOST: '127.0.0.1',
  ROLES: 'api',
  LOG_LEVEL: 'warn',
  DRAIN_SECONDS_API: '0',
  ...unlimited,
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
  REFRESH_TOKEN_MAX_TTL: '300000000',
  SESSION_TOKEN_TTL: '300000000',
}

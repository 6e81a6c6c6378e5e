import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateSync } from 'otplib'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Env } from '../platform/env-reader.ts'
import { freePort } from './free-port.ts'
import { runGuide } from './guide.ts'
import { runAdmin, startMain, type Started } from './processes.ts'
import { restoreVersion, settingsOf, worldOf } from './old-versions.ts'
import { isOk, waitUntil } from './wait.ts'

const [world, later_world] = [await worldOf('0.1.0'), await worldOf('0.2.0')]
const { host, user } = inject('postgres')
const admin = new pg.Client({ host, user, database: 'postgres' }).on('error', () => {})
await admin.connect()
const suffix = `${process.pid}_${Date.now().toString(36)}`
const data_dir = await mkdtemp(join(tmpdir(), 'plaza-upgrade-'))
const [first, second] = [`upgrade_first_${suffix}`, `upgrade_second_${suffix}`]
const env: Env = { ...settingsOf(admin, first, world), DATA_DIR: data_dir }
const later_env: Env = { ...settingsOf(admin, second, later_world), DATA_DIR: data_dir }
const started: Running[] = []

interface Running extends Started {
  url: string
}

/** Starts the built service and waits until it serves. If it ends instead, throws with its output. */
async function startService(settings: Env): Promise<Running> {
  const port = await freePort()
  const service = startMain(['--summary'], { ...settings, PORT: String(port) })
  const state = { ended: false }
  void service.ended.then(() => (state.ended = true))
  const url = `http://127.0.0.1:${port}`
  await waitUntil(
    async () => state.ended || (await isOk(`${url}/health`)),
    () => `the service: ${service.stderr()}`,
    { interval_ms: 50 },
  )
  if (state.ended) throw new Error(`the service has ended: ${service.stdout()}${service.stderr()}`)
  const running = { ...service, url }
  started.push(running)
  return running
}

const stop = async (service: Running) => {
  service.child.kill('SIGTERM')
  return service.ended
}

beforeAll(async () => {
  for (const [version, name] of [
    ['0.1.0', first],
    ['0.2.0', second],
  ] as const) {
    await admin.query(`create database ${name}`)
    await restoreVersion(version, { host, user, database: name })
  }
})
afterAll(async () => {
  for (const service of started) await stop(service)
  for (const name of [first, second]) await admin.query(`drop database if exists ${name} with (force)`)
  await admin.end()
  await rm(data_dir, { recursive: true, force: true })
})

const connect = async (database: string) => {
  const client = new pg.Client({ host, user, database }).on('error', () => {})
  await client.connect()
  return client
}

interface Sent {
  token?: string
  body?: object
  key?: string
}

/** Status and body of a call. */
async function call(url: string, method: string, path: string, { token, body, key }: Sent = {}) {
  const reply = await fetch(url + path, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  return [reply.status, text === '' ? undefined : JSON.parse(text)] as const
}

const totpNow = (secret: string) => generateSync({ secret, epoch: Math.floor(Date.now() / 1000) })
const signIn = (url: string, username: string, totp_code?: string) => {
  const { email, password } = world.users[username]!
  return call(url, 'POST', '/api/auth/login', {
    body: { email, password, ...(totp_code !== undefined && { totp_code }) },
  })
}

const schemaOf = async (database: string) => {
  const client = await connect(database)
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations order by name')
  await client.end()
  return rows.map(({ name }) => name)
}
const upgraded = / Data +.*, upgraded from an earlier version\n/
const appOf = (username: string) => {
  const tokens = world.tokens.find((issued) => issued.user === username)!
  return { tokens, app: world.apps[tokens.app]! }
}

test('guide: upgrade-check reads the database of 0.2 from the new version, reports that a rolling upgrade is possible, and changes nothing', async () => {
  const before = await schemaOf(second)
  const { code, stdout } = await runGuide('upgrade.md', 'upgrade-check', later_env)
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/To version \S+: can roll: start the new processes, then stop the old ones\./),
  ])
  expect(stdout).toContain('0180_reviewed_apps.sql')
  expect(stdout).not.toContain('0018_platform.sql')
  expect(await schemaOf(second)).toEqual(before)
})

test('upgrade-check of a database of 0.1.0 reports that its processes must stop, and changes nothing', async () => {
  const before = await schemaOf(first)
  const { code, stdout } = await runAdmin(['upgrade-check'], env)
  expect(code).toBe(3)
  expect(stdout).toContain(
    'Older processes cannot continue beside 0018_platform.sql: processes of 0.1.0 do not run beside a newer schema',
  )
  expect(stdout).toMatch(/0021_oauth\.sql: .*100 rows of oauth_apps/)
  expect(await schemaOf(first)).toEqual(before)
  expect(before).toHaveLength(17)
})

test('a database that 0.1.0 has filled is upgraded: every part answers as before, and works', async () => {
  const service = await startService(env)
  const { url } = service
  for (const { path, token, body } of world.answers) {
    const [status, now] = await call(url, 'GET', path, { token })
    // The ledger has one more system account, for people who left (D-106).
    const known = path.endsWith('/ledger/check') ? { ...(body as object), accounts: 405 } : body
    expect({ path, status, now }).toEqual({ path, status: 200, now: withAdditions(known) })
  }
  await signsIn(url)
  await refreshes(url)
  const { access_token, key, body, answer } = world.keyed_spend
  expect(await call(url, 'POST', '/api/external/points/spend', { token: access_token, key, body })).toEqual([
    200,
    // A replay includes the id too (D-96).
    { ...answer, transfer_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string },
  ])
  await actsOn(url)
  const [, ledger] = await call(url, 'GET', '/api/admin/ledger/check', { token: world.admin.jwt })
  expect(ledger).toMatchObject({ balanced: true })
  expect((await stop(service)).stderr).toMatch(upgraded)
})

test('a database that 0.2 has filled is upgraded: every part answers as before, and the summary says so once', async () => {
  const service = await startService(later_env)
  const { url } = service
  for (const { path, token, body } of later_world.answers) {
    const [status, now] = await call(url, 'GET', path, { token })
    expect({ path, status, now }).toEqual({ path, status: 200, now: withAdditions(body) })
  }
  const { access_token, key, body, answer } = later_world.keyed_spend
  expect(await call(url, 'POST', '/api/external/points/spend', { token: access_token, key, body })).toEqual([
    200,
    answer,
  ])
  const { client_id, client_secret } = later_world.shop
  const [status] = await call(url, 'POST', '/api/oauth/token', {
    body: { grant_type: 'refresh_token', client_id, client_secret, refresh_token: later_world.refresh_token },
  })
  expect(status).toBe(200)
  const credentials = { email: 'ada@people.example', password: 'the password of Ada' }
  const totp_code = totpNow(later_world.ada.totp_secret)
  expect((await call(url, 'POST', '/api/auth/login', { body: { ...credentials, totp_code } }))[0]).toBe(200)
  expect((await stop(service)).stderr).toMatch(upgraded)
  const again = await startService(later_env)
  expect((await stop(again)).stderr).not.toMatch(upgraded)
})

/** Signs in with a password and with a second factor, by code and by recovery code; a wrong one is refused. */
async function signsIn(url: string) {
  expect((await signIn(url, 'user0001'))[0]).toBe(200)
  const [first, second] = [world.users.user0000!.totp!, world.users.user0010!.totp!]
  expect((await signIn(url, 'user0000'))[0]).toBe(401)
  expect((await signIn(url, 'user0000', totpNow(first.secret)))[0]).toBe(200)
  expect((await signIn(url, 'user0010', second.recovery_codes[0]))[0]).toBe(200)
  expect((await signIn(url, 'user0010', second.recovery_codes[0]))[0]).toBe(401)
}

/** Tokens of 0.1.0: an access token is active, and a refresh token returns a working pair. */
async function refreshes(url: string) {
  const { tokens, app } = appOf('user0007')
  const { client_id, client_secret } = app
  const verify = async (token: string) => (await call(url, 'POST', '/api/oauth/token/verify', { body: { token } }))[1]
  expect(await verify(tokens.access_token)).toMatchObject({ active: true, client_id })
  const [status, issued] = await call(url, 'POST', '/api/oauth/token', {
    body: { grant_type: 'refresh_token', client_id, client_secret, refresh_token: tokens.refresh_token },
  })
  expect(status).toBe(200)
  expect((await call(url, 'GET', '/api/external/points', { token: issued.access_token }))[0]).toBe(200)
}

/** New rows beside those of 0.1.0: friends, chat, lessons, ads, spends, deployments. */
async function actsOn(url: string) {
  const [one, other] = [world.users.user0004!, world.users.user0200!]
  const { tokens } = appOf('user0004')
  const sent = async (method: string, path: string, more: Sent) => {
    const [status, body] = await call(url, method, path, more)
    expect([path, status, body]).toEqual([path, expect.toSatisfy((code: number) => code < 300), expect.anything()])
    return body
  }
  const { friendship_id } = await sent('POST', '/api/social/friends', { token: one.jwt, body: { friend_id: other.id } })
  await sent('PUT', `/api/social/friends/${friendship_id}`, { token: other.jwt, body: { action: 'accept' } })
  const channel = await sent('POST', '/api/social/chat/channels', {
    token: one.jwt,
    body: { type: 'table', ref_id: 'table 4' },
  })
  const line = { token: one.jwt, body: { body: 'After the upgrade' }, key: 'line-1' }
  const posted = await sent('POST', `/api/social/chat/${channel.id}/messages`, line)
  expect(await sent('POST', `/api/social/chat/${channel.id}/messages`, line)).toEqual(posted)
  const { modules } = await sent('GET', '/api/btc-progress/available-modules', { token: one.jwt })
  const next = modules.flatMap((module: { status: string; steps: { step_id: string; completed: boolean }[] }) =>
    module.status === 'locked' ? [] : module.steps.filter(({ completed }) => !completed),
  )[0]
  await sent('POST', `/api/btc-progress/${next.step_id}/complete`, { token: one.jwt })
  const { campaign } = await sent('GET', '/api/external/ads/serve?surface_type=banner', { token: tokens.access_token })
  const seen = { campaign_id: campaign.id, event_type: 'impression' }
  await sent('POST', '/api/external/ads/event', { token: tokens.access_token, body: seen })
  await sent('POST', '/api/external/points/spend', { token: tokens.access_token, body: { amount: 1 }, key: 'after-1' })
  const { id, access_token } = world.deployments[0]!
  await sent('POST', `/api/deploy/apps/${id}/restart`, { token: access_token })
}

test('values that 0.1.0 sealed are resealed under a new key, and the old key can be removed', async () => {
  const new_key = 'a-key-that-follows-the-one-of-version-0.1.0'
  const both = { ...env, SECRET_KEYS: `${new_key},${world.secret_keys}` }
  const refused = await runAdmin(['reseal'], { ...env, SECRET_KEYS: new_key })
  expect(refused.code).toBe(1)
  const { code, stdout } = await runAdmin(['reseal'], both)
  expect([code, stdout]).toEqual([0, expect.stringContaining('two-factor secrets: 60 sealed again\n')])
  expect(stdout).toMatch(/deployment environments: \d+ sealed again\n/)
  const service = await startService({ ...env, ROLES: 'api,worker', SECRET_KEYS: new_key })
  const { secret, recovery_codes } = world.users.user0020!.totp!
  expect((await signIn(service.url, 'user0020', totpNow(secret)))[0]).toBe(200)
  expect((await signIn(service.url, 'user0020', recovery_codes[0]))[0]).toBe(200)
})

test('the new version sends mails that 0.1.0 queued', async () => {
  const outbox = join(data_dir, 'outbox')
  const addressees = async () => {
    const names = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.eml'))
    const mails = await Promise.all(names.map((name) => readFile(join(outbox, name), 'utf8')))
    return mails.flatMap((mail) => /^To: (\S+)\r$/m.exec(mail)?.[1] ?? [])
  }
  const expected = Object.values(world.users)
    .slice(0, 20)
    .map(({ email }) => email)
  await waitUntil(async () => {
    const all = await addressees()
    return expected.every((email) => all.includes(email))
  }, 'the mails that 0.1.0 has queued')
})

/** Published fields remain; a newer version may add fields. */
function withAdditions(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withAdditions)
  if (typeof body !== 'object' || body === null) return body
  return expect.objectContaining(
    Object.fromEntries(Object.entries(body).map(([name, value]) => [name, withAdditions(value)])),
  )
}

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateSync } from 'otplib'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Env } from '../platform/env-reader.ts'
import { package_root } from '../platform/package.ts'
import { freePort } from './free-port.ts'
import { runGuide } from './guide.ts'
import { runAdmin } from './processes.ts'
import { growOldRows, oldWorld, restoreOldDatabase, startService, unpackOldVersion } from './version-0.1.0.ts'
import { waitUntil } from './wait.ts'

const main = join(package_root, 'dist/server/main.js')
const world = await oldWorld()
const old = await unpackOldVersion()
const { host, user } = inject('postgres')
const admin = new pg.Client({ host, user, database: 'postgres' }).on('error', () => {})
await admin.connect()
const suffix = `${process.pid}_${Date.now().toString(36)}`
const data_dir = await mkdtemp(join(tmpdir(), 'plaza-upgrade-'))
const [kept, grown] = [`upgrade_${suffix}`, `upgrade_grown_${suffix}`]
let env: Env = {}
const started: Awaited<ReturnType<typeof startService>>[] = []

const start = async (program: string, more: Env = {}) => {
  const service = await startService(program, { ...env, PORT: String(await freePort()), ...more })
  started.push(service)
  return service
}
const stop = async (service: Awaited<ReturnType<typeof startService>>) => {
  service.child.kill('SIGTERM')
  return service.ended
}

beforeAll(async () => {
  env = { ...(await restoreOldDatabase(admin, kept, old.main)), DATA_DIR: data_dir, DRAIN_SECONDS_API: '0' }
  await admin.query(`create database ${grown} template ${kept}`)
})
afterAll(async () => {
  for (const service of started) await stop(service)
  for (const name of [kept, grown]) await admin.query(`drop database if exists ${name} with (force)`)
  await admin.end()
  await old.remove()
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
const appOf = (username: string) => {
  const tokens = world.tokens.find((issued) => issued.user === username)!
  return { tokens, app: world.apps[tokens.app]! }
}

test('guide: upgrade-check reads the database of 0.1.0 from the new version, says that it can roll, and changes nothing', async () => {
  const before = await schemaOf(kept)
  const { code, stdout } = await runGuide('upgrade.md', 'upgrade-check', env)
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/To version \S+: can roll: start the new processes, then stop the old ones\./),
  ])
  expect(stdout).toContain(
    'Version 0.1.0 made this schema: its processes go on, but one that ends does not start again.',
  )
  expect(stdout).toMatch(/0041_bound_consent\.sql: .*100 rows of oauth_apps/)
  expect(await schemaOf(kept)).toEqual(before)
  expect(before).toHaveLength(17)
})

test('a database that 0.1.0 has filled is upgraded: every part answers as before, and works', async () => {
  const service = await start(main, { ROLES: 'api' })
  const { url } = service
  for (const { path, token, body } of world.answers) {
    const [status, now] = await call(url, 'GET', path, { token })
    expect({ path, status, now }).toEqual({ path, status: 200, now: withAdditions(body) })
  }
  await signsIn(url)
  await refreshes(url)
  const { access_token, key, body, answer } = world.keyed_spend
  expect(await call(url, 'POST', '/api/external/points/spend', { token: access_token, key, body })).toEqual([
    200,
    // A replay tells the id too (D-96).
    { ...answer, transfer_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string },
  ])
  await actsOn(url)
  const [, ledger] = await call(url, 'GET', '/api/admin/ledger/check', { token: world.admin.jwt })
  expect(ledger).toMatchObject({ balanced: true })
  await stop(service)
})

/** With a password, with a second factor by code and by recovery code, and without the right one not. */
async function signsIn(url: string) {
  expect((await signIn(url, 'user0001'))[0]).toBe(200)
  const [first, second] = [world.users.user0000!.totp!, world.users.user0010!.totp!]
  expect((await signIn(url, 'user0000'))[0]).toBe(401)
  expect((await signIn(url, 'user0000', totpNow(first.secret)))[0]).toBe(200)
  expect((await signIn(url, 'user0010', second.recovery_codes[0]))[0]).toBe(200)
  expect((await signIn(url, 'user0010', second.recovery_codes[0]))[0]).toBe(401)
}

/** Tokens of 0.1.0: an access token is active, a refresh token brings a pair that works. */
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

test('what 0.1.0 has sealed is sealed again under a new key, and the old key can go', async () => {
  const new_key = 'a-key-that-follows-the-one-of-version-0.1.0'
  const both = { ...env, SECRET_KEYS: `${new_key},${world.secret_keys}` }
  const refused = await runAdmin(['reseal'], { ...env, SECRET_KEYS: new_key })
  expect(refused.code).toBe(1)
  const { code, stdout } = await runAdmin(['reseal'], both)
  expect([code, stdout]).toEqual([0, expect.stringContaining('two-factor secrets: 60 sealed again\n')])
  expect(stdout).toMatch(/deployment environments: \d+ sealed again\n/)
  const service = await start(main, { ROLES: 'api', SECRET_KEYS: new_key })
  const { secret, recovery_codes } = world.users.user0020!.totp!
  expect((await signIn(service.url, 'user0020', totpNow(secret)))[0]).toBe(200)
  expect((await signIn(service.url, 'user0020', recovery_codes[0]))[0]).toBe(200)
  await stop(service)
})

test('mails that 0.1.0 has queued are sent by the new version', async () => {
  const service = await start(main, {
    ROLES: 'api,worker',
    SECRET_KEYS: `a-key-that-follows-the-one-of-version-0.1.0,${world.secret_keys}`,
  })
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
  await stop(service)
})

interface Load {
  answers: { call: string; status: number; body: unknown }[]
  spends: Map<string, number>
  stop(): Promise<void>
}

/** Calls of every part, without a pause, by several people; what is not answered counts as status 0. */
function startLoad(urlOf: () => string, prefix: string): Load {
  const state = { stopping: false }
  const answers: Load['answers'] = []
  const spends: Load['spends'] = new Map()
  const people = Object.keys(world.users).filter((_, at) => at % 29 < 28 && at % 31 < 30 && at % 60 < 59)
  let made = 0
  const one = async (method: string, path: string, more: Sent) => {
    const [status, body] = await call(urlOf(), method, path, more).catch((error: Error) => [0, error.message] as const)
    answers.push({ call: `${method} ${path}`, status, body })
    return status
  }
  const act = async (username: string) => {
    const { tokens } = appOf(username)
    const { jwt: token } = world.users[username]!
    const key = `${prefix}-${++made}`
    if (
      (await one('POST', '/api/external/points/spend', { token: tokens.access_token, key, body: { amount: 1 } })) ===
      200
    )
      spends.set(key, (spends.get(key) ?? 0) + 1)
    await one('GET', '/api/external/points', { token: tokens.access_token })
    await one('GET', '/api/points/history?limit=20', { token })
    await one('POST', '/api/social/presence', { token, body: { game: 'chess' } })
    await one('GET', '/api/social/friends', { token })
    const channel = world.answers.find(({ path }) => path.includes('/chat/'))!.path.split('/')[4]
    await one('POST', `/api/social/chat/${channel}/messages`, { token, body: { body: `Said as ${key}` } })
    await one('GET', '/api/user/connected-apps', { token })
    await one('POST', '/api/oauth/token/verify', { body: { token: tokens.access_token } })
  }
  const run = async (offset: number) => {
    for (let at = offset; !state.stopping; at += 4) await act(people[at % people.length]!)
  }
  const running = [0, 1, 2, 3].map(run)
  return {
    answers,
    spends,
    async stop() {
      state.stopping = true
      await Promise.all(running)
    },
  }
}

const refusalsOf = (load: Load) => load.answers.filter(({ status }) => status >= 300 || status === 0)

test('guide: 0.1.0 and the new version run on one database of thousands of rows under load: no acknowledged spend is lost', async () => {
  const database = await connect(grown)
  await growOldRows(database, 9)
  const { rows: sizes } = await database.query(`select min(n_live_tup)::integer as least from pg_stat_user_tables
    where relname in ('users', 'transfers', 'messages', 'access_tokens', 'grants', 'events', 'step_completions', 'friendships')`)
  expect(sizes[0].least).toBeGreaterThanOrEqual(3_000)
  const on_grown = { DATABASE_URL: env.DATABASE_URL!.replace(kept, grown), ROLES: 'api' }
  const older = await start(old.main, on_grown)
  const at_older = startLoad(() => older.url, 'older')
  await waitUntil(() => at_older.spends.size > 50, 'load on 0.1.0')

  const newer = await start(main, on_grown)
  expect((await schemaOf(grown)).length).toBeGreaterThan(17)
  const at_newer = startLoad(() => newer.url, 'newer')
  const before = at_older.spends.size
  await waitUntil(() => at_newer.spends.size > 100 && at_older.spends.size > before + 100, 'load on both')
  await at_older.stop()
  expect((await stop(older)).code).toBe(0)
  await at_newer.stop()

  expect(refusalsOf(at_newer)).toEqual([])
  // 0.1.0 may answer 500 to a call that meets a migration of the tables it uses.
  expect(refusalsOf(at_older).filter(({ status }) => status !== 500)).toEqual([])
  const keys = [...at_older.spends.keys(), ...at_newer.spends.keys()]
  const { rows } = await database.query(
    `select count(*)::integer as keys, count(t.id)::integer as transfers
       from idempotency_keys k left join transfers t on t.id = k.transfer_id where k.key = any($1)`,
    [keys],
  )
  expect(rows).toEqual([{ keys: keys.length, transfers: keys.length }])
  const [, ledger] = await call(newer.url, 'GET', '/api/admin/ledger/check', { token: world.admin.jwt })
  expect(ledger).toMatchObject({ balanced: true })
  await database.end()
  await stop(newer)
})

/** Answers of 0.1.0 stay; the current version may add fields. */
function withAdditions(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withAdditions)
  if (typeof body !== 'object' || body === null) return body
  // The ledger has one more system account: that of those who left (D-106).
  const known = 'accounts' in body ? { ...body, accounts: Number(body.accounts) + 1 } : body
  return expect.objectContaining(
    Object.fromEntries(Object.entries(known).map(([name, value]) => [name, withAdditions(value)])),
  )
}

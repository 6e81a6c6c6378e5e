import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { login } from '../../contract/accounts.ts'
import { awardPoints, checkLedger } from '../../contract/admin.ts'
import { approveApp } from '../../contract/admin-apps.ts'
import { createApp } from '../../contract/oauth-apps.ts'
import { token } from '../../contract/oauth.ts'
import { createPayouts, getOwnBalance } from '../../contract/payments.ts'
import { spendPoints } from '../../contract/points.ts'
import { package_root } from '../platform/package.ts'
import { buildConsole, buildServer } from './build.ts'
import { firstAdmin } from './harness.ts'
import { codeRequest, someCode } from './world.ts'
import { freePort } from './free-port.ts'
import { inParallel } from './in-parallel.ts'
import { isOk, sleep, waitUntil } from './wait.ts'

const crashes = 2
const connections = 8
const funds = 1_000_000
/** The app's balance, for its payouts. */
const income = 500_000
const batch = 150

let folder: string
let port: number
let service: ChildProcess | undefined
let api: PlazaClient
let shop: PlazaClient
let user_id: string

const url = () => `http://127.0.0.1:${port}`

/** Starts the service as `npm start` does, with the embedded PostgreSQL and fsync on, in a child process. */
async function startProcess() {
  service = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: package_root,
    env: {
      ...process.env,
      PORT: String(port),
      HOST: '127.0.0.1',
      PUBLIC_URL: url(),
      DATA_DIR: folder,
      LOG_LEVEL: 'silent',
      DRAIN_SECONDS_API: '0',
      RATE_LIMIT_LOGIN: 'off',
      RATE_LIMIT_REGISTER: 'off',
      RATE_LIMIT_TOKEN: 'off',
      ADMIN_EMAIL: firstAdmin.email,
      ADMIN_PASSWORD: firstAdmin.password,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await healthy()
}

const healthy = () => waitUntil(() => isOk(`${url()}/health`), 'the service', { interval_ms: 50 })

async function killService() {
  const child = service
  const gone = new Promise((done) => child?.once('exit', done))
  child?.kill('SIGKILL')
  await gone
}

const killPostgres = async () => {
  const [pid] = (await readFile(join(folder, 'postgres/postmaster.pid'), 'utf8')).split('\n')
  process.kill(Number(pid), 'SIGKILL')
}

beforeAll(async () => {
  await Promise.all([buildServer(), buildConsole()])
  folder = await mkdtemp(join(tmpdir(), 'plaza-crash-'))
  port = await freePort()
  await startProcess()
  api = await openSpendingClient()
})

afterAll(async () => {
  // A process that has ended by itself has failed its test.
  if (service?.exitCode === null && service.signalCode === null) {
    const gone = new Promise((done) => service?.once('exit', done))
    service.kill('SIGTERM')
    await gone
  }
  await rm(folder, { recursive: true, force: true })
})

/** A client that may spend. The admin owns the app, is its user, and awards the points. */
async function openSpendingClient() {
  const anonymous = new PlazaClient(url())
  const session = await anonymous.result(login, { body: firstAdmin })
  const admin = anonymous.withToken(session.token)
  const redirect_uri = 'https://app.test/cb'
  const { app } = await admin.result(createApp, {
    body: { app_name: 'Crash', redirect_uris: [redirect_uri], requested_scopes: ['points:spend'] },
  })
  await admin.result(approveApp, { params: { id: app.id }, body: {} })
  await admin.result(awardPoints, { body: { user_id: session.user.id, amount: funds } })
  const user = { ...session.user, ...firstAdmin, token: session.token, api: admin }
  const some_app = { id: app.id, client_id: app.client_id, client_secret: app.client_secret, redirect_uri, owner: user }
  const issued = await anonymous.result(token, { body: codeRequest(some_app, await someCode(some_app, user)) })
  user_id = user.id
  shop = new PlazaClient(url(), some_app)
  const client = anonymous.withToken(issued.access_token)
  await client.result(spendPoints, { body: { amount: income } })
  return client
}

interface Operation {
  key: string
  acknowledged: boolean
}

const spendOnce = (key: string) => api.call(spendPoints, { body: { amount: 1 }, headers: { 'idempotency-key': key } })

const payOnce = (key: string) =>
  shop.call(createPayouts, {
    body: { payouts: Array.from({ length: batch }, () => ({ to_user_id: user_id, amount: 1 })) },
    headers: { 'idempotency-key': key },
  })

interface Batch {
  key: string
  answer: unknown
}

/** Pays one batch after the other while `load.on`. Every batch has a key, and its answer is recorded. */
async function payUnderLoad(name: string, batches: Batch[], load: Load) {
  while (load.on) {
    const made: Batch = { key: `${name}-${batches.length}`, answer: undefined }
    batches.push(made)
    const reply = await payOnce(made.key).catch(() => undefined)
    if (reply?.status === 200) made.answer = reply.body
    else await load.up
    await sleep(50)
  }
}

interface Load {
  on: boolean
  /** Callers wait for this after a failed call, as a client would. */
  up: Promise<void>
}

/** Spends on all connections while `load.on`. Every spend has a key; records if it was acknowledged. */
function spendUnderLoad(name: string, operations: Operation[], load: Load) {
  return Promise.all(
    Array.from({ length: connections }, async () => {
      while (load.on) {
        const operation = { key: `${name}-${operations.length}`, acknowledged: false }
        operations.push(operation)
        const reply = await spendOnce(operation.key).catch(() => undefined)
        operation.acknowledged = reply?.status === 200
        await sleep(50)
        if (!operation.acknowledged) await load.up
      }
    }),
  )
}

test.each([
  [
    'the service',
    async () => {
      await killService()
      await startProcess()
    },
  ],
  [
    'PostgreSQL',
    async () => {
      await killPostgres()
      await sleep(200)
      await healthy()
    },
  ],
])(
  'kill -9 of %s under load: every acknowledged spend and payout is booked exactly once, the others at most once',
  async (name, crash) => {
    const operations: Operation[] = []
    const load: Load = { on: true, up: Promise.resolve() }
    const batches: Batch[] = []
    const before = await shop.result(getOwnBalance)
    const moved = async () => {
      const { total_earned, total_spent } = await shop.result(getOwnBalance)
      return { booked: total_earned - before.total_earned, paid: total_spent - before.total_spent }
    }
    const loading = Promise.all([spendUnderLoad(name, operations, load), payUnderLoad(name, batches, load)])
    for (let round = 0; round < crashes; round++) {
      await sleep(400 + 150 * round)
      load.up = crash()
      await load.up
    }
    load.on = false
    await loading

    const acknowledged = operations.filter((operation) => operation.acknowledged).length
    const { booked, paid } = await moved()
    expect(paid).toBeGreaterThanOrEqual(batch * batches.filter(({ answer }) => answer !== undefined).length)
    expect(paid).toBeLessThanOrEqual(batch * batches.length)
    expect(acknowledged).toBeGreaterThan(0)
    expect(booked).toBeGreaterThanOrEqual(acknowledged)
    expect(booked).toBeLessThanOrEqual(operations.length)

    // Repeating every key books what was not booked, and changes nothing else.
    const statuses = new Set<number>()
    await inParallel(connections, operations, async ({ key }) => void statuses.add((await spendOnce(key)).status))
    expect([...statuses]).toEqual([200])
    for (const { key, answer } of batches) {
      const { body } = await payOnce(key)
      expect(body).toEqual(
        answer ?? { outcomes: Array.from({ length: batch }, () => expect.objectContaining({ error: null }) as object) },
      )
    }
    expect(await moved()).toEqual({ booked: operations.length, paid: batch * batches.length })

    const admin = await new PlazaClient(url()).result(login, { body: firstAdmin })
    const books = await new PlazaClient(url(), admin.token).result(checkLedger)
    expect(books).toMatchObject({ balanced: true, faults: [] })
  },
)

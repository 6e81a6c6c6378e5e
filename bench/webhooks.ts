import { fork, type ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { package_root } from '../server/platform/package.ts'
import { seal } from '../server/platform/secrets.ts'
import { newWebhookSecret } from '../server/webhooks/rules.ts'
import { webhookKeys } from '../server/webhooks/secrets.service.ts'
import { waitUntil } from '../server/test/wait.ts'
import { inTurns, medianRatio, perSecond, type Figure } from './lib/figure.ts'
import { putLoad } from './lib/load.ts'
import { spendRequest } from './spend.ts'
import {
  bench_secret,
  createBenchDatabase,
  seed,
  seeded,
  startBenchService,
  type BenchDatabase,
  type Closers,
} from './lib/world.ts'

const users = 10_000
const connections = 64
const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const deliveries_per_round = 5_000
const dead_deliveries = 100_000

interface Postgres {
  host: string
  user: string
}

/** What spends cost where nobody listens and where somebody does, how fast deliveries are, and what a dead receiver does to them. */
export async function benchWebhooks(closers: Closers, postgres: Postgres): Promise<Figure[]> {
  return [...(await benchRecording(closers, postgres)), ...(await benchDelivery(closers, postgres))]
}

const requests = Array.from({ length: users }, (_, n) => spendRequest((n * 7919) % users))

async function spendsPerSecond(port: number) {
  const result = await putLoad({ port, connections, seconds, requests })
  if (result.refused > 0) throw new Error(`${result.refused} spends were refused`)
  return result.per_second
}

async function seededService(closers: Closers, postgres: Postgres, name: string) {
  const database = await createBenchDatabase(closers, postgres, name)
  await seed(database.pool, { users, apps: 2 })
  // All spends go to one app, as in the figure of spends.
  await database.pool.query('update access_tokens set app_id = $1', [seeded.appId(0)])
  return database
}

/** The ledger function as it is, and without the step that records events. */
async function removeRecording({ pool }: BenchDatabase) {
  const text = await readFile(join(package_root, 'server/points/functions.sql'), 'utf8')
  const without = text.replace(/  if is_plain and not 'award'[\s\S]*?end if;\nend \$\$;\n/, 'end $$$$;\n')
  if (without === text) throw new Error('the step that records events was not found in functions.sql')
  await pool.query(without)
}

async function benchRecording(closers: Closers, postgres: Postgres): Promise<Figure[]> {
  const [database, before] = [
    await seededService(closers, postgres, 'webhooks_spend'),
    await seededService(closers, postgres, 'webhooks_before'),
  ]
  await removeRecording(before)
  const [service, service_before] = [
    await startBenchService(closers, database),
    await startBenchService(closers, before),
  ]
  const listen = (on: boolean) =>
    database.pool.query('update point_accounts set listened = $1 where id = $2', [on, seeded.appId(0)])
  const quiet = async () => {
    await listen(false)
    return spendsPerSecond(service.port)
  }
  const recorded = async () => {
    await listen(true)
    return spendsPerSecond(service.port)
  }
  await quiet()
  await spendsPerSecond(service_before.port)
  const unlistened = await inTurns('spend, nobody listens', rounds, quiet, () => spendsPerSecond(service_before.port))
  const listened = await inTurns('spend, events recorded', rounds, recorded, quiet)
  await addWebhook(database, seeded.appId(0), `http://127.0.0.1:${await startDeadReceiver(closers)}/`)
  const waiting = await inTurns('spend, a delivery made of each', rounds, recorded, quiet)
  await service.stop()
  await service_before.stop()
  return [
    {
      name: 'spend where nobody listens to events',
      ours: perSecond(unlistened.map(({ ours }) => ours)),
      other: `without events ${perSecond(unlistened.map(({ other }) => other))}`,
      ratio: medianRatio(unlistened),
      must: 0.97,
      sense: 'at_least',
    },
    {
      name: 'spend whose events are recorded and published',
      ours: perSecond(listened.map(({ ours }) => ours)),
      other: `nobody listens ${perSecond(listened.map(({ other }) => other))}`,
      ratio: medianRatio(listened),
      must: 0.9,
      sense: 'at_least',
    },
    {
      name: 'spend whose events become deliveries, which wait for a dead receiver',
      ours: perSecond(waiting.map(({ ours }) => ours)),
      other: `nobody listens ${perSecond(waiting.map(({ other }) => other))}`,
      ratio: medianRatio(waiting),
      must: 0.9,
      sense: 'at_least',
    },
  ]
}

async function benchDelivery(closers: Closers, postgres: Postgres): Promise<Figure[]> {
  const database = await createBenchDatabase(closers, postgres, 'webhooks_delivery')
  await seed(database.pool, { users: 10, apps: 2 })
  const receiver = await startReceiver(closers)
  const dead = await startDeadReceiver(closers)
  const webhook = await addWebhook(database, seeded.appId(0), `http://127.0.0.1:${receiver.port}/`)
  const dead_webhook = await addWebhook(database, seeded.appId(1), `http://127.0.0.1:${dead}/`)
  await startBenchService(closers, database, { WEBHOOK_ADDRESSES: 'any' })
  const deliver = async () => {
    const started_ms = performance.now()
    const expected = (await receiver.count()) + deliveries_per_round
    await addDeliveries(database, webhook, deliveries_per_round)
    await waitUntil(async () => (await receiver.count()) >= expected, 'all deliveries', {
      timeout_ms: 120_000,
      interval_ms: 10,
    })
    return deliveries_per_round / ((performance.now() - started_ms) / 1_000)
  }
  await deliver()
  const alone: number[] = []
  for (let round = 0; round < rounds; round++) alone.push(await deliver())
  await addDeliveries(database, dead_webhook, dead_deliveries)
  const beside: number[] = []
  for (let round = 0; round < rounds; round++) beside.push(await deliver())
  const ratios = beside.map((value, at) => value / (alone[at] ?? value))
  const middle = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
  return [
    {
      name: 'deliveries to a local receiver',
      ours: perSecond(alone),
      other: 'wanted 1,000/s',
      ratio: middle(alone) / 1_000,
      must: 1,
      sense: 'at_least',
    },
    {
      name: `deliveries beside ${dead_deliveries.toLocaleString('en')} that wait for a dead receiver`,
      ours: perSecond(beside),
      other: `without them ${perSecond(alone)}`,
      ratio: middle(ratios),
      must: 0.9,
      sense: 'at_least',
    },
  ]
}

async function addWebhook({ pool }: BenchDatabase, app_id: string, url: string) {
  const { rows } = await pool.query<{ id: string; secret_id: string }>(
    `insert into webhooks (id, app_id, url, inserted_at, updated_at) values (gen_random_uuid(), $1, $2, now(), now())
     returning id, gen_random_uuid() as secret_id`,
    [app_id, url],
  )
  const { id, secret_id } = rows[0]!
  const sealed = seal(webhookKeys([bench_secret]), newWebhookSecret(), secret_id)
  await pool.query('insert into webhook_secrets (id, webhook_id, sealed, inserted_at) values ($1, $2, $3, now())', [
    secret_id,
    id,
    sealed,
  ])
  return id
}

/** Adds deliveries of a spend that are due now, and has them looked for. */
const addDeliveries = async ({ pool }: BenchDatabase, webhook_id: string, count: number) => {
  await pool.query(
    `insert into webhook_deliveries (webhook_id, id, event_id, type, data, occurred_at, next_attempt_at, inserted_at)
     select $1, new_id(now()), new_id(now()), 'points.spent',
            json_build_object('transfer_id', new_id(now()), 'user_id', new_id(now()), 'amount', n, 'description', null,
                              'reference', 'order-' || n, 'metadata', null), now(), now(), now()
       from generate_series(1, $2::integer) n`,
    [webhook_id, count],
  )
  await pool.query('update webhooks set due_at = now() where id = $1', [webhook_id])
  await pool.query(`select pg_notify('plaza_events', 'webhooks')`)
}

/** A receiver in a process of its own, which counts. */
async function startReceiver(closers: Closers) {
  const child = fork(fileURLToPath(import.meta.url), ['receive'], { execArgv: process.execArgv })
  closers.add(async () => void child.kill())
  const ask = () => new Promise<number>((done) => child.once('message', (value) => done(value as number)))
  const port = await ask()
  return {
    port,
    count: () => {
      const answered = ask()
      child.send('count')
      return answered
    },
  }
}

/** Accepts connections and never answers. */
async function startDeadReceiver(closers: Closers) {
  const server = createTcpServer((socket) => socket.on('error', () => {}).resume())
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  closers.add(async () => void server.close())
  return (server.address() as { port: number }).port
}

function receive(parent: ChildProcess | NodeJS.Process) {
  let count = 0
  const server = createServer((request, response) => {
    count++
    request.resume()
    response.writeHead(204).end()
  })
  server.listen(0, '127.0.0.1', () => parent.send?.((server.address() as { port: number }).port))
  process.on('message', () => parent.send?.(count))
}

if (process.argv[2] === 'receive') receive(process)

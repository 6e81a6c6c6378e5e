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
import { nextMessage, startChild } from './lib/child.ts'
import { compare, perSecond, rounds, type Figure } from './lib/figure.ts'
import { rateOf } from './lib/load.ts'
import {
  bench_secret,
  createSeeded,
  median,
  seeded,
  startBenchService,
  type BenchDatabase,
  type Closers,
  type World,
} from './lib/world.ts'
import { spends } from './points.ts'

const deliveries_per_round = Number(process.env.BENCH_DELIVERIES ?? 5_000)
const dead_deliveries = 100_000

/** The cost of spends with and without listeners, the rate of deliveries, and the effect of a dead receiver on them. */
export const benchWebhooks = async (world: World): Promise<Figure[]> => [
  ...(await benchRecording(world)),
  ...(await benchDelivery(world)),
]

/** The database of spends. All go to one app, as in the figure of spends. */
async function databaseOfSpends(world: World, name: string) {
  const database = await createSeeded(world, name, { users: 10_000, apps: 2 })
  await database.pool.query('update access_tokens set app_id = $1', [seeded.appId(0)])
  return database
}

/** Removes the step that records events from the ledger's function. */
async function removeRecording({ pool }: BenchDatabase) {
  const text = await readFile(join(package_root, 'server/points/functions.sql'), 'utf8')
  const without = text.replace(/  if events is not null and \([\s\S]*?end if;\n/, '')
  if (without === text) throw new Error('the step that records events was not found in functions.sql')
  await pool.query(without)
}

async function benchRecording(world: World): Promise<Figure[]> {
  const { closers } = world
  const [database, before] = [
    await databaseOfSpends(world, 'webhooks_spend'),
    await databaseOfSpends(world, 'webhooks_before'),
  ]
  await removeRecording(before)
  const [service, service_before] = [
    await startBenchService(closers, database),
    await startBenchService(closers, before),
  ]
  const spendsWith = (listened: boolean) => async () => {
    await database.pool.query('update point_accounts set listened = $1 where id = $2', [listened, seeded.appId(0)])
    return rateOf({ port: service.port, requests: spends })
  }
  const [recorded, quiet] = [spendsWith(true), spendsWith(false)]
  const nobody = 'nobody listens'
  const unlistened = await compare(
    { name: 'spend where nobody listens to events', other: 'without events', must: 0.97 },
    quiet,
    () => rateOf({ port: service_before.port, requests: spends }),
  )
  const listened = await compare(
    { name: 'spend whose events are recorded and published', other: nobody, must: 0.9 },
    recorded,
    quiet,
  )
  await addWebhook(database, seeded.appId(0), `http://127.0.0.1:${await startDeadReceiver(closers)}/`)
  const name = 'spend whose events become deliveries, which wait for a dead receiver'
  const waiting = await compare({ name, other: nobody, must: 0.9 }, recorded, quiet)
  await service.stop()
  await service_before.stop()
  return [unlistened, listened, waiting]
}

async function benchDelivery(world: World): Promise<Figure[]> {
  const { closers } = world
  const database = await createSeeded(world, 'webhooks_delivery', { users: 10, apps: 2 })
  const receiver = await startReceiver(closers)
  const webhook = await addWebhook(database, seeded.appId(0), `http://127.0.0.1:${receiver.port}/`)
  const dead_url = `http://127.0.0.1:${await startDeadReceiver(closers)}/`
  const dead_webhook = await addWebhook(database, seeded.appId(1), dead_url)
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
  const deliverRounds = async () => {
    const rates: number[] = []
    for (let round = 0; round < rounds; round++) rates.push(await deliver())
    return rates
  }
  await deliver()
  const alone = await deliverRounds()
  await addDeliveries(database, dead_webhook, dead_deliveries)
  const beside = await deliverRounds()
  const [rate, without] = [perSecond(median(beside)), perSecond(median(alone))]
  const sense = 'at_least'
  return [
    {
      name: 'deliveries to a local receiver',
      ours: without,
      other: 'wanted 1,000/s',
      ratio: median(alone) / 1_000,
      must: 1,
      sense,
    },
    {
      name: `deliveries beside ${dead_deliveries.toLocaleString('en')} that wait for a dead receiver`,
      ours: rate,
      other: `without them ${without}`,
      ratio: median(beside.map((value, at) => value / alone[at]!)),
      must: 0.9,
      sense,
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

/** Adds deliveries of a spend that are due now, and triggers the search for them. */
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

/** A receiver in a separate process that counts. */
async function startReceiver(closers: Closers) {
  const { child, first: port } = await startChild<number>(closers, fileURLToPath(import.meta.url), ['receive'])
  return {
    port,
    count() {
      const count = nextMessage<number>(child)
      child.send('count')
      return count
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

function receive() {
  let count = 0
  const server = createServer((request, response) => {
    count++
    request.resume()
    response.writeHead(204).end()
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as { port: number }).port))
  process.on('message', () => process.send?.(count))
}

if (process.argv[2] === 'receive') receive()

import pg from 'pg'
import { inTurns, note, type Figure } from './lib/figure.ts'
import { putLoad } from './lib/load.ts'
import { memoryOf } from './lib/processor-time.ts'
import { rawRequest } from './lib/raw.ts'
import { median, seeded, startBenchService, type BenchDatabase, type Closers } from './lib/world.ts'
import { spendRequest } from './spend.ts'

const users = 10_000
const soak_seconds = Number(process.env.BENCH_SOAK_SECONDS ?? 300)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)

const readRequest = (n: number) =>
  rawRequest('GET', '/api/external/points', { authorization: `Bearer ${seeded.accessToken(n)}` })

/** Mixed spends and reads for several minutes: the last 30 seconds compared with the first. */
export async function benchSteady(closers: Closers, database: BenchDatabase): Promise<Figure> {
  const service = await startBenchService(closers, database)
  const requests = Array.from({ length: users }, (_, n) =>
    (n % 2 === 0 ? spendRequest : readRequest)((n * 7919) % users),
  )
  const slice = { port: service.port, connections: 64, requests }
  await putLoad({ ...slice, seconds: 5 })
  const slices = Math.max(3, Math.round(soak_seconds / 30))
  const rates: number[] = []
  const memory: number[] = []
  for (let at = 0; at < slices; at++) {
    const result = await putLoad({ ...slice, seconds: 30 })
    if (result.refused > 0) throw new Error(`${result.refused} calls were refused`)
    rates.push(result.per_second)
    memory.push(Math.round((await memoryOf(service.pid)) / 1024 / 1024))
    note(`steady ${at + 1}/${slices}: ${Math.round(result.per_second)}/s, ${memory.at(-1)} MB`)
  }
  await service.stop()
  const [first = 1, last = 0] = [rates[0], rates.at(-1)]
  return {
    name: `spend and points mixed for ${slices * 30} s`,
    ours: `last 30 s ${Math.round(last)}/s`,
    other: `first 30 s ${Math.round(first)}/s`,
    ratio: last / first,
    must: 0.9,
    sense: 'at_least',
    note: `memory ${memory.join(', ')} MB`,
  }
}

/** The latency of one spend on one connection compared with one transaction with the same statements. */
export async function benchLatency(closers: Closers, database: BenchDatabase): Promise<Figure> {
  const service = await startBenchService(closers, database)
  const client = new pg.Client({ host: database.host, user: database.user, database: database.name })
  await client.connect()
  const requests = Array.from({ length: 500 }, (_, n) => spendRequest(n))
  const ours = async () =>
    (await putLoad({ port: service.port, connections: 1, seconds: 3, requests })).milliseconds.median
  const other = () => medianTransaction(client)
  await ours()
  const results = await inTurns('latency in ms', rounds, ours, other)
  await client.end()
  await service.stop()
  const [mine, theirs] = [median(results.map((round) => round.ours)), median(results.map((round) => round.other))]
  return {
    name: 'latency of one spend at one connection',
    ours: `${mine.toFixed(2)} ms over HTTP`,
    other: `${theirs.toFixed(2)} ms for its own transaction, without HTTP`,
    ratio: median(results.map((round) => round.ours / round.other)),
    must: 1.1,
    sense: 'at_most',
  }
}

/** Median milliseconds of begin, lock, debit, credit, insert, commit, each a round trip, as a service without batches sends them. */
async function medianTransaction(client: pg.Client) {
  const times: number[] = []
  const ends = performance.now() + 3_000
  for (let n = 0; performance.now() < ends; n = (n + 1) % 500) {
    const started_at = performance.now()
    await oneTransaction(client, seeded.userId(n), seeded.appId(0))
    times.push(performance.now() - started_at)
  }
  return median(times)
}

async function oneTransaction(client: pg.Client, user_id: string, app_id: string) {
  const run = (name: string, text: string, values: unknown[] = []) => client.query({ name, text, values })
  await run('begin', 'begin')
  await run('lock', 'select id from point_accounts where id = any($1::uuid[]) order by id for no key update', [
    [user_id, app_id],
  ])
  const { rows } = await run(
    'debit',
    'update point_accounts set debited = debited + 1 where id = $1 and credited - debited >= 1 returning credited - debited as points',
    [user_id],
  )
  await run(
    'credit',
    'update point_accounts set credited = credited + 1 where id = $1 returning credited - debited as points',
    [app_id],
  )
  await run(
    'insert',
    `insert into transfers (id, kind, from_account, to_account, amount, from_after, to_after, app_id, inserted_at)
     values (gen_random_uuid(), 'spend', $1, $2, 1, $3, 0, $2, now())`,
    [user_id, app_id, (rows[0] as { points: number }).points],
  )
  await run('commit', 'commit')
}

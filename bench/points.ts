import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fastify } from 'fastify'
import pg from 'pg'
import { freePort } from '../server/test/free-port.ts'
import { startChild } from './lib/child.ts'
import { compare, milliseconds, note, type Figure, type Round } from './lib/figure.ts'
import { answeredLoad, ofUsers, rateOf, seconds } from './lib/load.ts'
import { memoryOf, processorSeconds } from './lib/processor-time.ts'
import { rawRequest } from './lib/raw.ts'
import { median, seeded, startBenchService, tokenOf, type BenchDatabase, type World } from './lib/world.ts'

const users = 10_000

export const spendRequest = (n: number, is_keyed = false) =>
  rawRequest(
    'POST',
    '/api/external/points/spend',
    { ...tokenOf(n), ...(is_keyed && { 'idempotency-key': '{unique}' }) },
    '{"amount":1}',
  )

export const spends = ofUsers(users, (n) => spendRequest(n))
export const readRequest = (n: number) => rawRequest('GET', '/api/external/points', tokenOf(n))

const uuid = (variant: string, variable: string) =>
  `('01900000-0000-7000-${variant}-' || lpad(to_hex(cast(${variable} as integer)), 12, '0'))::uuid`

interface SpendCase {
  operators: number
  /** True if each spend has its own Idempotency-Key, as the README recommends. */
  is_keyed: boolean
  must: number
}

/** The same tables without the batcher: debit, credit, insert, and the key if any, in one transaction per spend. */
function pgbenchScript({ operators, is_keyed }: SpendCase) {
  const [user, operator] = [uuid('8000', ':user'), uuid('9000', ':operator')]
  const key = `insert into idempotency_keys (user_id, app_id, operation, key, request_hash, transfer_id, points, inserted_at)
  values (${user}, ${operator}, 'spend', gen_random_uuid()::text, sha256('1'), gen_random_uuid(), 0, now());
`
  return `\\set user random(0, ${users - 1})
\\set operator :user % ${operators}
begin;
update point_accounts set debited = debited + 1 where id = ${user} and credited - debited >= 1;
update point_accounts set credited = credited + 1 where id = ${operator};
insert into transfers (id, kind, from_account, to_account, amount, from_after, to_after, app_id, inserted_at)
  values (gen_random_uuid(), 'spend', ${user}, ${operator}, 1, 0, 0, ${operator}, now());
${is_keyed ? key : ''}commit;
`
}

/** Transactions per second of pgbench with 32 clients and prepared statements. */
function pgbench({ host, user, name }: BenchDatabase, script: string): Promise<number> {
  const options = `-n -M prepared -c 32 -j 2 -T ${seconds}`.split(' ')
  return new Promise((resolve, reject) => {
    const child = spawn('pgbench', [...options, '-f', script, '-h', host, '-U', user, name])
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)))
    child.on('error', () => reject(new Error('pgbench is not installed: Debian has it in postgresql-contrib')))
    child.on('exit', () => {
      const tps = /tps = ([\d.]+) \(without/.exec(output)?.[1]
      if (tps) resolve(Number(tps))
      else reject(new Error(`pgbench said: ${output}`))
    })
  })
}

/** Spends over HTTP compared with one transaction each in pgbench, with contention on few or many operators. */
export const benchSpend = (spend: SpendCase) =>
  async function run({ closers, postgres, database }: World): Promise<Figure> {
    const { operators, is_keyed, must } = spend
    const script = join(postgres.folder, 'spend.sql')
    await writeFile(script, pgbenchScript(spend))
    const { port } = await startBenchService(closers, database)
    const requests = ofUsers(users, (n) => spendRequest(n, is_keyed))
    let share = 0
    return compare(
      {
        name: `spend${is_keyed ? ' with an Idempotency-Key' : ''}, 10 000 users, ${operators} operator${operators > 1 ? 's' : ''}, 64 connections`,
        other: 'pgbench',
        must,
        note: () => `load generator ${Math.round(share * 100)} % of a core`,
      },
      async () => {
        const result = await answeredLoad({ port, requests })
        share = result.generator_share
        return result.per_second
      },
      () => pgbench(database, script),
    )
  }

/** Starts a process with only the framework, which returns the same JSON from memory. */
async function serveBare(port: number) {
  const bare = fastify()
  const schema = { response: { 200: { type: 'object', properties: { points: { type: 'integer' } } } } }
  bare.get('/api/external/points', { schema }, async () => ({ points: 1_000_000_000 }))
  await bare.listen({ port, host: '127.0.0.1' })
  process.send?.('ready')
}

/**
 * `GET /api/external/points` compared with the bare framework: by rate, and by the processor time of a call in the two processes, which
 * depends less on the load of the machine.
 */
export async function benchReads({ closers, database }: World): Promise<Figure> {
  const service = await startBenchService(closers, database)
  const port = await freePort()
  const bare = await startChild(closers, fileURLToPath(import.meta.url), ['bare', String(port)])
  const requests = ofUsers(users, readRequest)
  const costs: Record<keyof Round, number[]> = { ours: [], other: [] }
  const measure = (side: keyof Round, at: { port: number; pid: number }) => async () => {
    const before = await processorSeconds(at.pid)
    const { answers, per_second } = await answeredLoad({ port: at.port, requests })
    costs[side].push((((await processorSeconds(at.pid)) - before) * 1_000_000) / answers)
    return per_second
  }
  return compare(
    {
      name: 'GET /api/external/points, 10 000 users, 64 connections',
      other: 'bare Fastify from memory',
      must: 0.6,
      note: () =>
        `processor time of a call ${median(costs.ours).toFixed(1)} µs beside ${median(costs.other).toFixed(1)} µs, ` +
        `ratio ${median(costs.ours.map((cost, round) => costs.other[round]! / cost)).toFixed(2)} ×`,
    },
    measure('ours', service),
    measure('other', { port, pid: bare.pid }),
  )
}

/** Holds for these users at the first app, which captures each. */
export const holdLoad = {
  client_id: 'client0',
  client_secret: seeded.clientSecret(0),
  tokens: Array.from({ length: users }, (_, n) => seeded.accessToken(n)),
}

/** The cost of a hold and its capture (two calls), compared with one spend. */
export async function benchHolds({ closers, database }: World): Promise<Figure> {
  const { port, pid } = await startBenchService(closers, database)
  const processor = { ours: 0, other: 0 }
  const microseconds = (side: keyof Round) => async () => {
    const before = await processorSeconds(pid)
    const load = side === 'ours' ? { holds: holdLoad } : { requests: spends }
    const { per_second, answers } = await answeredLoad({ port, ...load })
    processor[side] = ((await processorSeconds(pid)) - before) / answers
    return 1e6 / per_second
  }
  return compare(
    {
      name: 'a hold and its capture, one operator, 64 connections: times the cost of a spend',
      other: 'a spend',
      must: 2.2,
      sense: 'at_most',
      text: (cost) => `${cost.toFixed(0)} µs`,
      note: () => `processor time of the service ${(processor.ours / processor.other).toFixed(2)} ×`,
    },
    microseconds('ours'),
    microseconds('other'),
  )
}

/** Locks the rows that turn movements into notices: the jobs skip them, and only their work is missing. */
async function withoutNotices({ pool }: BenchDatabase, measure: () => Promise<number>) {
  const client = await pool.connect()
  await client.query('begin')
  await client.query('select from notice_progress for update')
  const result = await measure()
  // Neither side writes notices about these movements.
  await client.query(
    "update notice_progress set seq = (select max(seq) from transfers), next_seq = null where source = 'points'",
  )
  await client.query('commit')
  client.release()
  return result
}

const transferRequest = (n: number) =>
  rawRequest(
    'POST',
    '/api/external/points/transfer',
    tokenOf(n),
    JSON.stringify({ to_user_id: seeded.userId((n * 31 + 7) % users), amount: 1 }),
  )

/** The cost of spends and transfers with notices about received points (D-119), compared with the cost without. */
export async function benchNotices({ closers, database }: World): Promise<Figure[]> {
  const { port } = await startBenchService(closers, database)
  const figures: Figure[] = []
  for (const [name, requests] of Object.entries({ spend: spends, transfer: ofUsers(users, transferRequest) })) {
    const measure = () => rateOf({ port, seconds: seconds * 3, requests })
    const figure = await compare(
      {
        name: `${name} beside the jobs that write notices of points, 64 connections`,
        other: 'without notices',
        must: 0.95,
      },
      measure,
      () => withoutNotices(database, measure),
    )
    const { rows } = await database.pool.query<{ notices: number }>('select count(*)::integer as notices from notices')
    figures.push({ ...figure, note: `${rows[0]?.notices ?? 0} notices` })
  }
  return figures
}

const soak_seconds = Number(process.env.BENCH_SOAK_SECONDS ?? 300)

/** Mixed spends and reads for several minutes: the last tenth compared with the first. */
export async function benchSteady({ closers, database }: World): Promise<Figure> {
  const { port, pid } = await startBenchService(closers, database)
  const requests = ofUsers(users, (n) => (n % 2 === 0 ? spendRequest(n) : readRequest(n)))
  await rateOf({ port, requests })
  const slice = Math.min(30, soak_seconds / 3)
  const slices = Math.max(3, Math.round(soak_seconds / slice))
  const rates: number[] = []
  const memory: number[] = []
  for (let at = 0; at < slices; at++) {
    rates.push(await rateOf({ port, requests, seconds: slice }))
    memory.push(Math.round((await memoryOf(pid)) / 1024 / 1024))
    note(`steady ${at + 1}/${slices}: ${Math.round(rates.at(-1)!)}/s, ${memory.at(-1)} MB`)
  }
  const [first = 1, last = 0] = [rates[0], rates.at(-1)]
  return {
    name: `spend and points mixed for ${slices * slice} s`,
    ours: `last ${slice} s ${Math.round(last)}/s`,
    other: `first ${slice} s ${Math.round(first)}/s`,
    ratio: last / first,
    must: 0.9,
    sense: 'at_least',
    note: `memory ${memory.join(', ')} MB`,
  }
}

/** The latency of one spend on one connection compared with one transaction with the same statements. */
export async function benchLatency({ closers, database }: World): Promise<Figure> {
  const { port } = await startBenchService(closers, database)
  const client = new pg.Client({ host: database.host, user: database.user, database: database.name })
  await client.connect()
  closers.add(() => client.end())
  return compare(
    {
      name: 'latency of one spend at one connection',
      other: 'a transaction of its statements, without HTTP,',
      must: 1.1,
      sense: 'at_most',
      text: milliseconds(2),
    },
    async () => (await answeredLoad({ port, connections: 1, requests: spends.slice(0, 500) })).milliseconds.median,
    () => medianTransaction(client),
  )
}

/** Median milliseconds of begin, lock, debit, credit, insert, commit, each a round trip, as a service without batches sends them. */
async function medianTransaction(client: pg.Client) {
  const times: number[] = []
  const ends = performance.now() + seconds * 1_000
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

if (process.argv[2] === 'bare') await serveBare(Number(process.argv[3]))

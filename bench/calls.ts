import { cpus } from 'node:os'
import { note } from './lib/figure.ts'
import { answeredLoad, connections, ofUsers, rateOf, seconds, type LoadResult } from './lib/load.ts'
import { familyOf, machineSeconds, memoryOf, postmasterOf, processorSeconds } from './lib/processor-time.ts'
import {
  Closers,
  createSeeded,
  median,
  startBenchPostgres,
  startBenchService,
  type BenchDatabase,
} from './lib/world.ts'
import { verifyRequest } from './accounts.ts'
import { readRequest, spendRequest } from './points.ts'
import { waitUntil } from '../server/test/wait.ts'

const users = 10_000
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const process_counts = [1, 2, 4]
/** Above this share of its core, the generator itself may limit the rate. */
const generator_share_max = 0.8

interface Calls {
  name: string
  /** Apps that the spends go to. */
  operators: number
  request(n: number): string
}

const kinds: Calls[] = [
  { name: 'spend with a key, one operator', operators: 1, request: (n) => spendRequest(n, true) },
  { name: 'spend with a key, 1,000 operators', operators: 1_000, request: (n) => spendRequest(n, true) },
  { name: 'read points', operators: 1, request: readRequest },
  { name: 'verify a token', operators: 1, request: verifyRequest },
]

/** The processor time of one round, in seconds. */
interface Used {
  service: number
  postgres: number
  machine: number
}

interface Cost {
  per_second: number
  /** Microseconds of processor time per call. */
  service_us: number
  postgres_us: number
  generator_us: number
  /** Shares of all processors. */
  idle: number
  others: number
}

interface Sides {
  service: number
  postgres: number
}

const usedSoFar = async ({ service, postgres }: Sides): Promise<Used> => ({
  service: await processorSeconds(service),
  postgres: await processorSeconds(postgres),
  machine: await machineSeconds(),
})

/** One round of a load: the rate, and the cost of a call for each side. Excludes the generator’s own start. */
async function measureOnce(port: number, sides: Sides, requests: string[]): Promise<Cost> {
  let began: { used: Promise<Used>; at: number } | undefined
  const result = await answeredLoad({ port, requests }, () => {
    began = { used: usedSoFar(sides), at: performance.now() }
  })
  if (!began) throw new Error('the load never began')
  const [before, after] = [await began.used, await usedSoFar(sides)]
  if (result.generator_share > generator_share_max)
    note(`the load generator used ${Math.round(result.generator_share * 100)} % of a core`)
  return costOf(result, before, after, (performance.now() - began.at) / 1_000)
}

function costOf({ answers, per_second, generator_share }: LoadResult, before: Used, after: Used, elapsed: number) {
  const spent = (side: keyof Used) => after[side] - before[side]
  const generator = (generator_share * answers) / per_second
  const capacity = elapsed * cpus().length
  return {
    per_second,
    service_us: (spent('service') / answers) * 1e6,
    postgres_us: (spent('postgres') / answers) * 1e6,
    generator_us: (generator / answers) * 1e6,
    idle: Math.max(0, 1 - spent('machine') / capacity),
    others: Math.max(0, (spent('machine') - spent('service') - spent('postgres') - generator) / capacity),
  }
}

async function connectionsTo({ pool, name }: BenchDatabase) {
  const { rows } = await pool.query<{ count: string }>(
    "select count(*) from pg_stat_activity where datname = $1 and application_name like 'plaza%'",
    [name],
  )
  return Number(rows[0]?.count)
}

/** Waits until this many processes answer: a request id begins with a text that identifies its process. */
async function allReady(url: string, processes: number) {
  const origins = new Set<string>()
  const ask = async () => {
    const reply = await fetch(`${url}/livez`, { headers: { connection: 'close' } })
    origins.add(reply.headers.get('x-request-id')?.split('-')[0] ?? '')
    return origins.size === processes
  }
  await waitUntil(ask, 'an answer of each process', { timeout_ms: 60_000 })
}

interface Measured extends Cost {
  processes: number
  connections: number
  memory_mb: number
}

async function measureProcesses(
  database: BenchDatabase,
  postgres: number,
  processes: number,
  requests: string[],
): Promise<Measured> {
  const closers = new Closers()
  try {
    const service = await startBenchService(closers, database, {
      ROLES: 'api',
      DRAIN_SECONDS_API: '0',
      // Four processes fit into the 100 connections of the bench's server.
      DATABASE_CONNECTIONS: '22',
      // Counting is part of the cost of a verification.
      RATE_LIMIT_TOKEN_VERIFY: '100000000/60',
      ...(processes > 1 && { PROCESSES: String(processes) }),
    })
    await allReady(service.issuer, processes)
    const serving = processes === 1 ? [service.pid] : (await familyOf(service.pid)).slice(1)
    const sides = { service: service.pid, postgres }
    await rateOf({ port: service.port, requests })
    const results: Cost[] = []
    for (let round = 0; round < rounds; round++) results.push(await measureOnce(service.port, sides, requests))
    const middle = (of: keyof Cost) => median(results.map((result) => result[of]))
    return {
      processes,
      per_second: middle('per_second'),
      service_us: middle('service_us'),
      postgres_us: middle('postgres_us'),
      generator_us: middle('generator_us'),
      idle: middle('idle'),
      others: middle('others'),
      connections: await connectionsTo(database),
      memory_mb: Math.max(...(await Promise.all(serving.map(memoryOf)))) / 1024 / 1024,
    }
  } finally {
    await closers.closeAll()
  }
}

const whole = (value: number) => Math.round(value).toLocaleString('en')
const percent = (share: number) => `${Math.round(share * 100)} %`

const rowOf = ({ name }: Calls, cost: Measured) =>
  `| ${name} | ${cost.processes} | ${whole(cost.per_second)} | ${whole(cost.service_us)} | ${whole(cost.postgres_us)} | ` +
  `${whole(cost.generator_us)} | ${percent(cost.idle)} | ${percent(cost.others)} | ${cost.connections} | ${whole(cost.memory_mb)} |`

const head = [
  '| call | processes | a second | service, µs a call | PostgreSQL, µs a call | load generator, µs a call | processors idle | used by others | connections | MB a process |',
  '|---|---|---|---|---|---|---|---|---|---|',
]

/** The cost of a call for each side with 1, 2 and 4 processes. `save` gets the table so far after every kind of call. */
export async function measureCalls(save: (table: string) => Promise<void>) {
  const rows: string[] = []
  const title = `${connections} connections, medians of ${rounds} rounds of ${seconds} s.`
  for (const kind of kinds) {
    const closers = new Closers()
    try {
      const postgres = await startBenchPostgres(closers)
      const database = await createSeeded({ closers, postgres }, 'sizing', { users, apps: kind.operators })
      const requests = ofUsers(users, kind.request)
      const postmaster = await postmasterOf(postgres.folder)
      for (const processes of process_counts) {
        rows.push(rowOf(kind, await measureProcesses(database, postmaster, processes, requests)))
        note(rows.at(-1)!)
      }
    } finally {
      await closers.closeAll()
    }
    await save(`${title}\n\n${[...head, ...rows].join('\n')}`)
  }
}

import { readFile, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { package_root } from '../server/platform/package.ts'
import { waitUntil } from '../server/test/wait.ts'
import { putLoad } from './lib/load.ts'
import { familyOf, memoryOf, postmasterOf, processorSeconds } from './lib/processor-time.ts'
import { rawForm, rawRequest } from './lib/raw.ts'
import {
  Closers,
  createBenchDatabase,
  median,
  seed,
  seeded,
  startBenchPostgres,
  startBenchService,
  type BenchDatabase,
} from './lib/world.ts'
import { measureReaders } from './readers.ts'
import { spendRequest } from './spend.ts'

/**
 * `npx tsx bench/sizing.ts [calls] [readers]` after `npm run build`: what a call costs each side with 1, 2 and 4 processes, and what many
 * event readers cost one process. Writes bench/sizing.md.
 */
const users = 10_000
const connections = 64
const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const process_counts = [1, 2, 4]

interface Calls {
  name: string
  /** Apps that the spends go to. */
  operators: number
  request(n: number): string
}

const kinds: Calls[] = [
  { name: 'spend with a key, one operator', operators: 1, request: (n) => spendRequest(n, true) },
  { name: 'spend with a key, 1,000 operators', operators: 1_000, request: (n) => spendRequest(n, true) },
  {
    name: 'read points',
    operators: 1,
    request: (n) => rawRequest('GET', '/api/external/points', { authorization: `Bearer ${seeded.accessToken(n)}` }),
  },
  {
    name: 'verify a token',
    operators: 1,
    request: (n) => rawForm('/api/oauth/token/verify', { token: seeded.accessToken(n) }),
  },
]

interface Cost {
  processes: number
  per_second: number
  service_us: number
  postgres_us: number
  connections: number
  memory_mb: number
}

/** One round of a load: the rate, and the processor time of a call on both sides, in microseconds. */
async function measureOnce(port: number, pids: { service: number; postgres: number }, requests: string[]) {
  const before = await Promise.all([processorSeconds(pids.service), processorSeconds(pids.postgres)])
  const result = await putLoad({ port, connections, seconds, requests })
  const after = await Promise.all([processorSeconds(pids.service), processorSeconds(pids.postgres)])
  if (result.refused > 0) throw new Error(`${result.refused} calls were refused`)
  const perCall = (side: 0 | 1) => ((after[side] - before[side]) / result.answers) * 1e6
  return { per_second: result.per_second, service_us: perCall(0), postgres_us: perCall(1) }
}

async function connectionsTo({ pool, name }: BenchDatabase) {
  const { rows } = await pool.query<{ count: string }>(
    "select count(*) from pg_stat_activity where datname = $1 and application_name like 'plaza%'",
    [name],
  )
  return Number(rows[0]?.count)
}

/** Waits until so many processes answer: the id of a request begins with a text of its process. */
async function allReady(url: string, processes: number) {
  const origins = new Set<string>()
  const ask = async () => {
    const reply = await fetch(`${url}/livez`, { headers: { connection: 'close' } })
    origins.add(reply.headers.get('x-request-id')?.split('-')[0] ?? '')
    return origins.size === processes
  }
  await waitUntil(ask, 'an answer of each process', { timeout_ms: 60_000 })
}

async function measureCalls(closers: Closers, { name, operators, request }: Calls): Promise<Cost[]> {
  const postgres = await startBenchPostgres(closers)
  const database = await createBenchDatabase(closers, postgres, 'sizing')
  await seed(database.pool, { users, apps: operators })
  const requests = Array.from({ length: users }, (_, n) => request((n * 7919) % users))
  const costs: Cost[] = []
  for (const processes of process_counts) {
    const service = await startBenchService(closers, database, {
      ROLES: 'api',
      // Four processes fit into the 100 connections of the bench's server.
      DATABASE_CONNECTIONS: '22',
      // Counting is part of the cost of a verification.
      RATE_LIMIT_TOKEN_VERIFY: '100000000/60',
      ...(processes > 1 && { PROCESSES: String(processes) }),
    })
    await allReady(service.issuer, processes)
    const serving = processes === 1 ? [service.pid] : (await familyOf(service.pid)).slice(1)
    const pids = { service: service.pid, postgres: await postmasterOf(postgres.folder) }
    await putLoad({ port: service.port, connections, seconds, requests })
    const results = []
    for (let round = 0; round < rounds; round++) results.push(await measureOnce(service.port, pids, requests))
    const memory = await Promise.all(serving.map(memoryOf))
    costs.push({
      processes,
      per_second: median(results.map((result) => result.per_second)),
      service_us: median(results.map((result) => result.service_us)),
      postgres_us: median(results.map((result) => result.postgres_us)),
      connections: await connectionsTo(database),
      memory_mb: Math.max(...memory) / 1024 / 1024,
    })
    await service.stop()
    process.stderr.write(`  ${name}, ${processes}: ${JSON.stringify(costs.at(-1))}\n`)
  }
  return costs
}

const whole = (value: number) => Math.round(value).toLocaleString('en')

async function callsTable() {
  const rows: string[] = []
  for (const kind of kinds) {
    const closers = new Closers()
    try {
      for (const cost of await measureCalls(closers, kind)) rows.push(rowOf(kind, cost))
    } finally {
      await closers.closeAll()
    }
  }
  return [
    '| call | processes | a second | service, µs a call | PostgreSQL, µs a call | connections | MB a process |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

const rowOf = ({ name }: Calls, cost: Cost) =>
  `| ${name} | ${cost.processes} | ${whole(cost.per_second)} | ${whole(cost.service_us)} | ${whole(cost.postgres_us)} | ` +
  `${cost.connections} | ${whole(cost.memory_mb)} |`

async function readersTable() {
  const closers = new Closers()
  try {
    const rows = await measureReaders(closers, await startBenchPostgres(closers))
    return ['| event readers on one process | |', '|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`)].join(
      '\n',
    )
  } finally {
    await closers.closeAll()
  }
}

const parts: Record<string, () => Promise<string>> = { calls: callsTable, readers: readersTable }
const report_file = join(package_root, 'bench/sizing.md')
const begin = (part: string) => `<!-- ${part} -->\n`

/** The tables of earlier runs, so that one part can be measured without the other. */
async function earlier(part: string) {
  const text = await readFile(report_file, 'utf8').catch(() => '')
  return text.split(begin(part))[1]?.split('\n<!-- ')[0]?.trim() ?? ''
}

const wanted = process.argv.slice(2)
for (const part of wanted)
  if (!(part in parts)) throw new Error(`there is no part ${part}: ${Object.keys(parts).join(', ')}`)
const tables: Record<string, string> = {}
for (const [part, measure] of Object.entries(parts))
  tables[part] = wanted.length === 0 || wanted.includes(part) ? await measure() : await earlier(part)
const text = [
  '# Costs, for sizing',
  `Made by \`npx tsx bench/sizing.ts\`. ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.version}; service, PostgreSQL (fsync on) ` +
    `and load generator share them. ${connections} connections, medians of ${rounds} rounds of ${seconds} s. What it means: [sizing](../docs/operating/sizing.md).`,
  ...Object.entries(tables).map(([part, table]) => `${begin(part)}${table}`),
].join('\n\n')
await writeFile(report_file, `${text}\n`)
process.stdout.write(`${text}\n`)

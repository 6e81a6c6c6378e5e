import { sleep, waitUntil } from '../server/test/wait.ts'
import { note, type Figure } from './lib/figure.ts'
import { fillFleet, openHostingWorld } from './lib/hosting.ts'
import { memoryOf, postmasterOf, processorSeconds } from './lib/processor-time.ts'
import type { BenchDatabase, World } from './lib/world.ts'

const sizes = { all: Number(process.env.BENCH_FLEET ?? 200), chatty: Number(process.env.BENCH_CHATTY ?? 20) }
/** The number of writing programs in the smaller measurement. */
const few = Math.max(1, Math.floor(sizes.chatty / 4))
const seconds = Number(process.env.BENCH_SECONDS ?? 60)
const lines_per_second = 100
/** By then, started work has settled and all streams are open. */
const settle_seconds = 5

interface Endpoint {
  host: string
  port: number
}

/** The cost of a period per second. */
type Spent = Reading

/**
 * Measures collecting on a real engine: the same fleet silent, with a few programs that write, with more, and with as many that write
 * without end.
 */
export async function benchOutput({ closers, database, postgres: { folder } }: World): Promise<Figure[]> {
  const {
    service,
    images: [small = '', chatty = ''],
  } = await openHostingWorld(closers, database, ['small', 'echo'])
  await fillFleet(database, small, sizes.all - sizes.chatty)
  await fillFleet(database, chatty, sizes.chatty, { memory_mb: 128, millicores: 1_000 })
  const { rows: endpoints } = await database.pool.query<Endpoint>(
    'select endpoint_host as host, endpoint_port as port from deployments where container_image = $1 order by id',
    [chatty],
  )
  const postmaster = await postmasterOf(folder)
  const measure = async (name: string, paths: readonly string[]) => {
    await Promise.all(paths.map((path, at) => begin(endpoints[at]!, path)))
    await sleep(settle_seconds * 1_000)
    const before = await reading(database, service.pid, postmaster)
    const began = performance.now()
    await sleep(seconds * 1_000)
    const after = await reading(database, service.pid, postmaster)
    const spent = perSecond(before, after, (performance.now() - began) / 1000)
    note(`${name}: ${JSON.stringify(spent)}`)
    await untilQuiet(database)
    return spent
  }
  const duration = seconds + settle_seconds * 2
  const printing = `/print?tag=${'a-line-of-a-program-'.repeat(4)}&count=${duration * lines_per_second}&every_ms=${1000 / lines_per_second}`
  const all = (path: string, many: number) => Array.from({ length: many }, () => path)
  const silent = await measure('silent', [])
  const some = await measure(`${few} write`, all(printing, few))
  const many = await measure(`${sizes.chatty} write`, all(printing, sizes.chatty))
  const flood = await measure(`${sizes.chatty} write without end`, all(`/flood?seconds=${duration}`, sizes.chatty))
  await service.stop()
  return figuresOf({ silent, some, many, flood })
}

async function begin({ host, port }: Endpoint, path: string) {
  const reply = await fetch(`http://${host}:${port}${path}`)
  if (!reply.ok) throw new Error(`${path}: ${reply.status}`)
  await reply.text()
}

async function reading(database: BenchDatabase, worker: number, postmaster: number) {
  const { rows } = await database.pool.query<{ wal: string; parts: string; lines: string }>(`
    select pg_current_wal_insert_lsn() - '0/0' as wal,
           (select n_tup_ins from pg_stat_user_tables where relname = 'deploy_output') as parts,
           (select coalesce(sum(next_number - 1), 0) from deploy_output_sources) as lines`)
  const [row] = rows
  return {
    worker_ms: (await processorSeconds(worker)) * 1000,
    postgres_ms: (await processorSeconds(postmaster)) * 1000,
    memory_bytes: await memoryOf(worker),
    wal_bytes: Number(row?.wal),
    parts: Number(row?.parts),
    lines: Number(row?.lines),
  }
}

type Reading = Awaited<ReturnType<typeof reading>>

function perSecond(before: Reading, after: Reading, elapsed: number): Spent {
  const rates = Object.entries(after).map(([name, value]) => {
    const spent = value - before[name as keyof Reading]
    return [name, Math.round((spent / elapsed) * 10) / 10]
  })
  return { ...(Object.fromEntries(rates) as Reading), memory_bytes: after.memory_bytes }
}

/** Waits until nothing was written for some seconds. */
async function untilQuiet({ pool }: BenchDatabase) {
  let before: string | undefined
  await waitUntil(
    async () => {
      const { rows } = await pool.query<{ sum: string }>('select sum(next_number) from deploy_output_sources')
      const is_quiet = rows[0]?.sum === before
      before = rows[0]?.sum
      return is_quiet
    },
    'silence',
    { timeout_ms: 300_000, interval_ms: 4_000 },
  )
}

function figuresOf({ silent, some, many, flood }: Record<'silent' | 'some' | 'many' | 'flood', Spent>): Figure[] {
  const beyond = (spent: Spent) => spent.worker_ms - silent.worker_ms
  const each = (spent: Spent, writers: number) => `${(beyond(spent) / writers).toFixed(1)} ms`
  const fleet = `${sizes.all} deployments on one host, ${sizes.chatty} of which`
  const sense = 'at_most'
  const collecting = (spent: Spent, what: string, must: number): Figure => ({
    name: `collecting the output of ${fleet} write ${what}`,
    ours: `${Math.round(beyond(spent))} ms of the worker a second`,
    other: `all silent ${Math.round(silent.worker_ms)} ms`,
    ratio: beyond(spent) / 1000,
    must,
    sense,
    note:
      `the ratio is the share of one core; ${Math.round(spent.lines)} lines kept a second in ${Math.round(spent.parts)} rows; PostgreSQL ` +
      `${Math.round(spent.postgres_ms - silent.postgres_ms)} ms and ${Math.round((spent.wal_bytes - silent.wal_bytes) / 1000)} kB written a second`,
  })
  return [
    collecting(many, `${lines_per_second} lines a second`, 0.25),
    {
      name: `the same, for each deployment that writes, with ${sizes.chatty} of them`,
      ours: `${each(many, sizes.chatty)} of the worker a second`,
      other: `with ${few} of them ${each(some, few)}`,
      ratio: beyond(many) / sizes.chatty / (beyond(some) / few),
      must: 1.25,
      sense,
    },
    collecting(flood, 'without end', 0.75),
    {
      name: `memory of the worker, ${sizes.chatty} of ${sizes.all} deployments writing without end`,
      ours: `${Math.round(flood.memory_bytes / 1e6)} MB`,
      other: `all silent ${Math.round(silent.memory_bytes / 1e6)} MB`,
      ratio: flood.memory_bytes / silent.memory_bytes,
      must: 2,
      sense,
    },
  ]
}

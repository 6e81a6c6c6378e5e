import { spawnSync } from 'node:child_process'
import { freePort } from '../server/test/free-port.ts'
import { sleep, waitUntil } from '../server/test/wait.ts'
import { startReaders, type ReaderGroup } from './lib/event-readers.ts'
import { note } from './lib/figure.ts'
import { memoryOf, processorSeconds } from './lib/processor-time.ts'
import {
  Closers,
  createBenchDatabase,
  median,
  seed,
  seeded,
  seededJwt,
  startBenchPostgres,
  startBenchService,
  type BenchService,
} from './lib/world.ts'

const wanted_readers = Number(process.env.BENCH_READERS ?? 20_000)
const rest_seconds = Number(process.env.BENCH_REST_SECONDS ?? 30)
const messages = 20
/** Files that the service needs beside its readers' connections. */
const other_files = 300
/** A step that takes longer than this has failed. */
const step_ms = 300_000

/** A process may open only so many files, connections included. */
const filesMax = () => Number(spawnSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).stdout.trim()) || Infinity

/** Processor and memory of one process with very many event readers: at rest, while it delivers, and when all connect again. */
export async function measureReaders(save: (table: string) => Promise<void>) {
  const closers = new Closers()
  try {
    const rows = await measure(closers)
    const title = `${messages} messages to all, ${rest_seconds} s at rest; the readers are two processes.`
    await save([title, '', '| event readers on one process | |', '|---|---|', ...rows.map(rowOf)].join('\n'))
  } finally {
    await closers.closeAll()
  }
}

const rowOf = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

async function measure(closers: Closers) {
  const readers = Math.min(wanted_readers, filesMax() - other_files)
  const database = await createBenchDatabase(closers, await startBenchPostgres(closers), 'readers')
  await seed(database.pool, { users: readers, apps: 1 })
  const channel = seeded.appId(99)
  await database.pool.query("insert into channels (id, type, ref_id, inserted_at) values ($1, 'table', 'all', now())", [
    channel,
  ])
  const PORT = String(await freePort())
  const start = () => startBenchService(closers, database, { ROLES: 'api', PORT, DRAIN_SECONDS_API: '0' })
  const service = await start()
  const empty = await memoryOf(service.pid)
  // Two processes of readers, so that neither reaches the limit of files.
  const halves = [Math.floor(readers / 2), Math.ceil(readers / 2)]
  const groups = await Promise.all(
    halves.map((count, at) => startReaders(closers, { port: service.port, channel, first: at * halves[0]!, count })),
  )
  await allConnected(groups, readers)
  note(`${readers} readers are connected`)
  await sleep(5_000)
  const memory = await memoryOf(service.pid)
  const rest = await shareDuring(service, () => sleep(rest_seconds * 1_000))
  note(`at rest: ${(rest * 100).toFixed(1)} % of a core`)
  const delivery = await deliver(service, groups, { channel, readers })
  note(`${whole(delivery.per_core_second)} deliveries a second of one core`)
  const storm = await restart(service, start, groups, readers)
  return [
    ['readers', whole(readers)],
    ['memory of the process at rest; without readers', `${megabytes(memory)}; ${megabytes(empty)}`],
    ['memory of a reader', `${((memory - empty) / readers / 1024).toFixed(1)} kB`],
    ['at rest (heartbeats, checks of sessions)', `${(rest * 100).toFixed(1)} % of a core`],
    ['deliveries a second of one core', whole(delivery.per_core_second)],
    ['a message until all have it, median of messages', `${whole(delivery.median_ms)} ms`],
    ['longest until all have it', `${whole(delivery.max_ms)} ms`],
    [
      'all connect again after a restart, each 1 to 3 s after it lost its stream',
      `${storm.seconds.toFixed(1)} s after the new process answers, ${storm.processor.toFixed(1)} s of its processor; ${whole(storm.refused)} were refused first`,
    ],
  ]
}

const whole = (value: number) => Math.round(value).toLocaleString('en')
const megabytes = (bytes: number) => `${whole(bytes / 1024 / 1024)} MB`
const sumOf = (groups: readonly ReaderGroup[], of: 'connected' | 'received' | 'refused') =>
  groups.reduce((sum, { state }) => sum + state()[of], 0)

const allConnected = (groups: readonly ReaderGroup[], readers: number) =>
  waitUntil(
    () => sumOf(groups, 'connected') === readers,
    () =>
      `all ${readers} readers (${sumOf(groups, 'connected')} are connected, ${sumOf(groups, 'refused')} answers were refusals)`,
    { timeout_ms: step_ms, interval_ms: 20 },
  )

/** The share of one core that the service uses during something. */
async function shareDuring({ pid }: BenchService, something: () => Promise<void>) {
  const [before, started_at] = [await processorSeconds(pid), performance.now()]
  await something()
  return ((await processorSeconds(pid)) - before) / ((performance.now() - started_at) / 1_000)
}

async function deliver(
  service: BenchService,
  groups: readonly ReaderGroup[],
  to: { channel: string; readers: number },
) {
  const delays: number[] = []
  const before = await processorSeconds(service.pid)
  for (let message = 1; message <= messages; message++) {
    const sent_at = performance.now()
    const reply = await fetch(`${service.issuer}/api/social/chat/${to.channel}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${seededJwt(service.issuer, 0)}`, 'content-type': 'application/json' },
      body: '{"body":"to everybody"}',
    })
    if (reply.status !== 201) throw new Error(`a message was answered with ${reply.status}`)
    await waitUntil(
      () => sumOf(groups, 'received') >= message * to.readers,
      () => `message ${message} at all readers (${sumOf(groups, 'received')} of ${message * to.readers} deliveries)`,
      { timeout_ms: step_ms, interval_ms: 2 },
    )
    delays.push(performance.now() - sent_at)
  }
  const used = (await processorSeconds(service.pid)) - before
  return {
    per_core_second: (messages * to.readers) / used,
    median_ms: median(delays),
    max_ms: Math.max(...delays),
  }
}

/** Restarts the service; every reader connects again at once, and resumes after its last event. */
async function restart(
  service: BenchService,
  start: () => Promise<BenchService>,
  groups: readonly ReaderGroup[],
  readers: number,
) {
  await service.stop()
  const again = await start()
  const [refused, used, answers_at] = [sumOf(groups, 'refused'), await processorSeconds(again.pid), performance.now()]
  await allConnected(groups, readers)
  return {
    seconds: (performance.now() - answers_at) / 1_000,
    processor: (await processorSeconds(again.pid)) - used,
    refused: sumOf(groups, 'refused') - refused,
  }
}

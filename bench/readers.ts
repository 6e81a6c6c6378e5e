import { spawnSync } from 'node:child_process'
import { freePort } from '../server/test/free-port.ts'
import { startReaders, type ReaderGroup } from './lib/event-readers.ts'
import { memoryOf, processorSeconds } from './lib/processor-time.ts'
import {
  createBenchDatabase,
  seed,
  seeded,
  seededJwt,
  startBenchService,
  type BenchService,
  type Closers,
} from './lib/world.ts'

const wanted_readers = Number(process.env.BENCH_READERS ?? 20_000)
const rest_seconds = Number(process.env.BENCH_REST_SECONDS ?? 30)
const messages = 20
/** Files that the service needs beside its readers' connections. */
const other_files = 300

/** A process may open only so many files, connections included. */
const filesMax = () => Number(spawnSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).stdout.trim()) || Infinity

/** Processor and memory of one process with very many event readers: at rest, while it delivers, and when all connect again. */
export async function measureReaders(closers: Closers, postgres: { host: string; user: string }) {
  const readers = Math.min(wanted_readers, filesMax() - other_files)
  const database = await createBenchDatabase(closers, postgres, 'readers')
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
  await pause(5_000)
  const memory = ((await memoryOf(service.pid)) - empty) / readers
  const rest = await shareDuring(service, () => pause(rest_seconds * 1_000))
  const delivery = await deliver(service, groups, { channel, readers })
  const storm = await restart(service, start, groups, readers)
  return [
    ['readers', whole(readers)],
    ['memory of a reader', `${(memory / 1024).toFixed(1)} kB`],
    ['at rest (heartbeats, checks of sessions)', `${(rest * 100).toFixed(1)} % of a core`],
    ['deliveries a second of one core', whole(delivery.per_core_second)],
    ['a message until all have it, median of messages', `${whole(delivery.median_ms)} ms`],
    [
      'all connect again after a restart',
      `${storm.seconds.toFixed(1)} s, ${storm.processor.toFixed(1)} s of processor`,
    ],
  ]
}

const whole = (value: number) => Math.round(value).toLocaleString('en')
const pause = (ms: number) => new Promise<void>((next) => setTimeout(next, ms))

async function allConnected(groups: readonly ReaderGroup[], readers: number) {
  while (groups.reduce((sum, { state }) => sum + state().connected, 0) < readers) await pause(20)
}

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
  const received = () => groups.reduce((sum, { state }) => sum + state().received, 0)
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
    while (received() < message * to.readers) await pause(2)
    delays.push(performance.now() - sent_at)
  }
  const used = (await processorSeconds(service.pid)) - before
  delays.sort((a, b) => a - b)
  return { per_core_second: (messages * to.readers) / used, median_ms: delays[Math.floor(delays.length / 2)] ?? 0 }
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
  const started_at = performance.now()
  await allConnected(groups, readers)
  const seconds = (performance.now() - started_at) / 1_000
  return { seconds, processor: await processorSeconds(again.pid) }
}

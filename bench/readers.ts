import { spawnSync } from 'node:child_process'
import { freePort } from '../server/test/free-port.ts'
import { sleep } from '../server/test/wait.ts'
import { openReaders } from './lib/event-readers.ts'
import { note } from './lib/figure.ts'
import { memoryOf, processorSeconds } from './lib/processor-time.ts'
import { Closers, createSeeded, median, seeded, startBenchPostgres, startBenchService } from './lib/world.ts'

const wanted_readers = Number(process.env.BENCH_READERS ?? 20_000)
const rest_seconds = Number(process.env.BENCH_REST_SECONDS ?? 30)
const messages = 20
/** Files that the service needs in addition to its readers' connections. */
const other_files = 300

/** The limit of open files, including connections, of a process. */
const filesMax = () => Number(spawnSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).stdout.trim()) || Infinity

/** Processor and memory of one process with very many event readers: idle, while it delivers, and while all reconnect. */
export async function measureReaders(save: (table: string) => Promise<void>) {
  const closers = new Closers()
  try {
    const rows = (await measure(closers)).map((cells) => `| ${cells.join(' | ')} |`)
    const title = `${messages} messages to all, ${rest_seconds} s at rest; the readers are two processes.`
    await save([title, '', '| event readers on one process | |', '|---|---|', ...rows].join('\n'))
  } finally {
    await closers.closeAll()
  }
}

const whole = (value: number) => Math.round(value).toLocaleString('en')
const megabytes = (bytes: number) => `${whole(bytes / 1024 / 1024)} MB`

async function measure(closers: Closers) {
  const readers = Math.min(wanted_readers, filesMax() - other_files)
  const postgres = await startBenchPostgres(closers)
  const database = await createSeeded({ closers, postgres }, 'readers', { users: readers, apps: 1 })
  const channel = seeded.appId(99)
  await database.pool.query("insert into channels (id, type, ref_id, inserted_at) values ($1, 'table', 'all', now())", [
    channel,
  ])
  const PORT = String(await freePort())
  const start = () => startBenchService(closers, database, { ROLES: 'api', PORT, DRAIN_SECONDS_API: '0' })
  const service = await start()
  const empty = await memoryOf(service.pid)
  const opened = await openReaders(closers, { port: service.port, channel, readers })
  await opened.connected()
  note(`${readers} readers are connected`)
  await sleep(5_000)
  const memory = await memoryOf(service.pid)
  const [rest_before, rested_at] = [await processorSeconds(service.pid), performance.now()]
  await sleep(rest_seconds * 1_000)
  const used_at_rest = (await processorSeconds(service.pid)) - rest_before
  const rest = `${((used_at_rest / ((performance.now() - rested_at) / 1_000)) * 100).toFixed(1)} % of a core`
  note(`at rest: ${rest}`)
  const before = await processorSeconds(service.pid)
  const delays: number[] = []
  for (let message = 0; message < messages; message++) delays.push(await opened.deliver(service))
  const deliveries = whole((messages * readers) / ((await processorSeconds(service.pid)) - before))
  note(`${deliveries} deliveries a second of one core`)
  // Every reader reconnects after its own delay, and resumes after its last event.
  await service.stop()
  const again = await start()
  const [{ refused }, used, answers_at] = [opened.state(), await processorSeconds(again.pid), performance.now()]
  await opened.connected()
  const storm = {
    seconds: ((performance.now() - answers_at) / 1_000).toFixed(1),
    processor: ((await processorSeconds(again.pid)) - used).toFixed(1),
    refused: whole(opened.state().refused - refused),
  }
  return [
    ['readers', whole(readers)],
    ['memory of the process at rest; without readers', `${megabytes(memory)}; ${megabytes(empty)}`],
    ['memory of a reader', `${((memory - empty) / readers / 1024).toFixed(1)} kB`],
    ['at rest (heartbeats, checks of sessions)', rest],
    ['deliveries a second of one core', deliveries],
    ['a message until all have it, median of messages', `${whole(median(delays))} ms`],
    ['longest until all have it', `${whole(Math.max(...delays))} ms`],
    [
      'all connect again after a restart, each 1 to 3 s after it lost its stream',
      `${storm.seconds} s after the new process answers, ${storm.processor} s of its processor; ${storm.refused} were refused first`,
    ],
  ]
}

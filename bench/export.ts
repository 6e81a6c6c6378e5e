import type pg from 'pg'
import { compare, milliseconds, note, type Figure } from './lib/figure.ts'
import { answeredLoad, ofUsers } from './lib/load.ts'
import { memoryOf } from './lib/processor-time.ts'
import { basicOf, seeded, startBenchService, type World } from './lib/world.ts'
import { readRequest } from './points.ts'

const rows = Number(process.env.BENCH_ROWS ?? 1_000_000)
const users = 10_000
const app_id = seeded.appId(0)

/** The memory of a CSV of a million rows, and its effect on the slowest concurrent calls (D-99). */
export async function benchExport({ closers, database }: World): Promise<Figure[]> {
  await seedSpends(database.pool)
  const { port, pid } = await startBenchService(closers, database)
  const url = `http://127.0.0.1:${port}/api/app/transfers.csv`
  /** The p99 in milliseconds of sequential balance reads on few connections, as another app's page makes them. */
  const requests = ofUsers(users, readRequest, 2_000)
  const slowest = async () => (await answeredLoad({ port, connections: 2, requests })).milliseconds.p99

  // Caches, compiled code and the young generation grow with the first calls.
  await slowest()
  await download(url, rows / 5)
  const before = await memoryOf(pid)
  let most = before
  const watch = setInterval(() => void memoryOf(pid).then((now) => (most = Math.max(most, now))), 200)
  const whole = await download(url)
  clearInterval(watch)
  if (whole.lines !== rows + 1) throw new Error(`the CSV has ${whole.lines} lines instead of ${rows + 1}`)
  note(`${rows} rows in ${whole.seconds.toFixed(1)} s`)

  const beside = async () => {
    const stop = new AbortController()
    const reading = download(url, Infinity, stop.signal)
    const result = await slowest()
    stop.abort()
    await reading
    return result
  }
  const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MB`
  return [
    {
      name: `memory of the service over a CSV of ${rows.toLocaleString('en')} rows`,
      ours: megabytes(most),
      other: `before it ${megabytes(before)}`,
      ratio: most / before,
      must: 1.25,
      sense: 'at_most',
      note: `${Math.round(rows / whole.seconds).toLocaleString('en')} rows/s, ${megabytes(whole.bytes)}`,
    },
    await compare(
      {
        name: 'p99 of balances read beside a CSV',
        other: 'without it',
        must: 1.5,
        sense: 'at_most',
        text: milliseconds(1),
      },
      beside,
      slowest,
    ),
  ]
}

/** Past spends at one app, without changing balances. */
const seedSpends = (pool: pg.Pool) =>
  pool.query(
    `insert into transfers (id, kind, from_account, to_account, amount, from_after, to_after, app_id, description, inserted_at)
     select gen_random_uuid(), 'spend', ('01900000-0000-7000-8000-' || lpad(to_hex(n % ${users}), 12, '0'))::uuid, $1, 1, 1, 1, $1,
            'Lantern number ' || n, now() - (${rows} - n) * interval '1 second'
       from generate_series(1, ${rows}) n`,
    [app_id],
  )

async function download(url: string, lines_max = Infinity, signal?: AbortSignal) {
  const started_ms = performance.now()
  let lines = 0
  let bytes = 0
  try {
    const response = await fetch(url, { headers: basicOf(0), signal: signal ?? null })
    if (!response.ok || !response.body) throw new Error(`${url} answered ${response.status}`)
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      bytes += chunk.length
      for (const byte of chunk) if (byte === 10) lines++
      if (lines > lines_max) break
    }
  } catch (error) {
    if (!signal?.aborted) throw error
  }
  return { lines, bytes, seconds: (performance.now() - started_ms) / 1_000 }
}

import { readFile } from 'node:fs/promises'
import type pg from 'pg'
import { inTurns, medianRatio, note, type Figure } from './lib/figure.ts'
import { putLoad } from './lib/load.ts'
import { rawRequest } from './lib/raw.ts'
import { createBenchDatabase, median, seed, seeded, startBenchService, type Closers } from './lib/world.ts'

const rows = Number(process.env.BENCH_ROWS ?? 1_000_000)
const users = 10_000
const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const app_id = seeded.appId(0)

/** What a CSV of a million rows takes of memory, and what it does to the slowest calls of others meanwhile (D-99). */
export async function benchExport(closers: Closers, postgres: { host: string; user: string }): Promise<Figure[]> {
  const database = await createBenchDatabase(closers, postgres, 'export')
  await seed(database.pool, { users, apps: 1 })
  await seedSpends(database.pool)
  const service = await startBenchService(closers, database)
  const url = `http://127.0.0.1:${service.port}/api/app/transfers.csv`
  const memory = () => residentMegabytes(service.pid)

  // Caches, compiled code and the young generation grow with the first calls.
  await slowest(service.port)
  await download(url, rows / 5)
  const before = await memory()
  let most = before
  const watch = setInterval(() => void memory().then((now) => (most = Math.max(most, now))), 200)
  const whole = await download(url)
  clearInterval(watch)
  if (whole.lines !== rows + 1) throw new Error(`the CSV has ${whole.lines} lines instead of ${rows + 1}`)
  note(`${rows} rows in ${whole.seconds.toFixed(1)} s`)

  const beside = async () => {
    const stop = new AbortController()
    const reading = download(url, Infinity, stop.signal)
    const result = await slowest(service.port)
    stop.abort()
    await reading
    return result
  }
  const turns = await inTurns('slowest of a hundred beside a CSV, ms', rounds, beside, () => slowest(service.port))
  return [
    {
      name: `memory of the service over a CSV of ${rows.toLocaleString('en')} rows`,
      ours: `${most.toFixed(0)} MB`,
      other: `before it ${before.toFixed(0)} MB`,
      ratio: most / before,
      must: 1.25,
      sense: 'at_most',
      note: `${Math.round(rows / whole.seconds).toLocaleString('en')} rows/s, ${(whole.bytes / 2 ** 20).toFixed(0)} MB`,
    },
    {
      name: 'p99 of balances read beside a CSV',
      ours: `${median(turns.map(({ ours }) => ours)).toFixed(1)} ms`,
      other: `without it ${median(turns.map(({ other }) => other)).toFixed(1)} ms`,
      ratio: medianRatio(turns),
      must: 1.5,
      sense: 'at_most',
    },
  ]
}

/** Past spends at the one app, without changing balances. */
const seedSpends = (pool: pg.Pool) =>
  pool.query(
    `insert into transfers (id, kind, from_account, to_account, amount, from_after, to_after, app_id, description, inserted_at)
     select gen_random_uuid(), 'spend', ('01900000-0000-7000-8000-' || lpad(to_hex(n % ${users}), 12, '0'))::uuid, $1, 1, 1, 1, $1,
            'Lantern number ' || n, now() - (${rows} - n) * interval '1 second'
       from generate_series(1, ${rows}) n`,
    [app_id],
  )

/** The p99 of one balance read after another on few connections, as a page of another app reads them, in milliseconds. */
async function slowest(port: number) {
  const requests = Array.from({ length: 2_000 }, (_, at) =>
    rawRequest('GET', '/api/external/points', {
      authorization: `Bearer ${seeded.accessToken((at * 7919) % users)}`,
    }),
  )
  const { milliseconds, refused } = await putLoad({ port, connections: 2, seconds, requests })
  if (refused > 0) throw new Error(`${refused} reads were refused`)
  return milliseconds.p99
}

async function download(url: string, lines_max = Infinity, signal?: AbortSignal) {
  const started_ms = performance.now()
  const authorization = `Basic ${Buffer.from(`client0:${seeded.clientSecret(0)}`).toString('base64')}`
  let lines = 0
  let bytes = 0
  try {
    const response = await fetch(url, { headers: { authorization }, signal: signal ?? null })
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

async function residentMegabytes(pid: number) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { RouteMeter } from '../server/http/metrics.ts'
import { batcherMetrics, cacheMetrics } from '../server/platform/batching/metrics.ts'
import { countTransfer } from '../server/points/metrics.ts'
import type { Figure } from './lib/figure.ts'
import { putLoad } from './lib/load.ts'
import { processorSeconds } from './lib/processor-time.ts'
import { median, seed, createBenchDatabase, startBenchService, type Closers } from './lib/world.ts'
import { freePort } from '../server/test/free-port.ts'
import { spendRequest } from './spend.ts'

const users = 10_000
const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const recorded = 5_000_000

/** Microseconds of processor time for what one spend records, alone in its batch: the worst case, a batch has twenty of them. */
function recordSpends() {
  const meter = new RouteMeter({ route: '/api/external/points/spend', method: 'POST' })
  const { hits } = cacheMetrics('tokens')
  const batch = batcherMetrics('ledger')
  const before = process.cpuUsage()
  for (let spend = 0; spend < recorded; spend++) {
    const queued_at = performance.now()
    hits.add()
    batch.queue.add()
    const sent_at = performance.now()
    batch.queue.add(-1)
    batch.size.observe(1 + (spend & 31))
    batch.wait.observe((sent_at - queued_at) / 1_000)
    countTransfer('spend', 'applied')
    const took_ms = performance.now() - sent_at + (spend & 15)
    batch.seconds.observe(took_ms / 1_000)
    meter.record(200, took_ms)
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / recorded
}

/** Runs `recordSpends` in a process of its own. */
const recordingCost = () =>
  new Promise<number>((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), ['record'], { execArgv: process.execArgv })
    child.once('message', (cost) => resolve(cost as number))
    child.once('error', reject)
  })

/** Seconds of the service's processor time that a scrape takes. */
async function scrapeCost(pid: number, address: string) {
  const scrapes = 100
  const before = await processorSeconds(pid)
  for (let scrape = 0; scrape < scrapes; scrape++) await (await fetch(address)).text()
  return ((await processorSeconds(pid)) - before) / scrapes
}

/**
 * What the metrics cost: what a spend records compared with the processor time that the service takes for a spend, in turns. It records
 * whether METRICS_PORT is set or not, so that there is no service without to compare with.
 */
export async function benchMetrics(closers: Closers, postgres: { host: string; user: string }): Promise<Figure> {
  const database = await createBenchDatabase(closers, postgres, 'metrics')
  await seed(database.pool, { users, apps: 1 })
  const metrics_port = await freePort()
  const service = await startBenchService(closers, database, { METRICS_PORT: String(metrics_port) })
  const requests = Array.from({ length: users }, (_, n) => spendRequest((n * 7919) % users))
  const spendCost = async () => {
    const before = await processorSeconds(service.pid)
    const { answers, refused } = await putLoad({ port: service.port, connections: 64, seconds, requests })
    if (refused > 0) throw new Error(`${refused} spends were refused`)
    return (((await processorSeconds(service.pid)) - before) * 1_000_000) / answers
  }
  await spendCost()
  const results: { recording: number; spend: number }[] = []
  for (let round = 0; round < rounds; round++)
    results.push({ recording: await recordingCost(), spend: await spendCost() })
  const scrape_ms = (await scrapeCost(service.pid, `http://127.0.0.1:${metrics_port}/metrics`)) * 1_000
  await service.stop()
  const microseconds = (list: number[]) => `${median(list).toFixed(2)} µs`
  return {
    name: 'metrics: what one spend records, beside the service’s processor time for a spend',
    ours: microseconds(results.map(({ recording }) => recording)),
    other: `a spend ${microseconds(results.map(({ spend }) => spend))}`,
    ratio: median(results.map(({ recording, spend }) => recording / spend)),
    must: 0.02,
    sense: 'at_most',
    note: `a scrape takes ${scrape_ms.toFixed(1)} ms: ${((scrape_ms / 15_000) * 100).toFixed(2)} % of a core at one every 15 s`,
  }
}

if (process.argv[2] === 'record') {
  recordSpends()
  process.send?.(recordSpends(), () => process.disconnect())
}

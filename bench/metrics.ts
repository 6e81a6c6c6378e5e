import { fileURLToPath } from 'node:url'
import { RouteMeter } from '../server/http/metrics.ts'
import { batcherMetrics, cacheMetrics } from '../server/platform/batching/metrics.ts'
import { countTransfer } from '../server/points/metrics.ts'
import { freePort } from '../server/test/free-port.ts'
import { startChild } from './lib/child.ts'
import { compare, type Figure } from './lib/figure.ts'
import { answeredLoad } from './lib/load.ts'
import { processorSeconds } from './lib/processor-time.ts'
import { startBenchService, type World } from './lib/world.ts'
import { spends } from './points.ts'

const recorded = 5_000_000

/**
 * Microseconds of processor time to record the metrics of one spend that is alone in its batch. This is the worst case: a batch has twenty
 * spends.
 */
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

/** Seconds of the service's processor time per scrape. */
async function scrapeCost(pid: number, address: string) {
  const scrapes = 100
  const before = await processorSeconds(pid)
  for (let scrape = 0; scrape < scrapes; scrape++) await (await fetch(address)).text()
  return ((await processorSeconds(pid)) - before) / scrapes
}

/**
 * The processor time of a spend's metrics, compared with that of the whole spend. The service records them with or without METRICS_PORT, so
 * there is no service without metrics to compare with.
 */
export async function benchMetrics({ closers, database }: World): Promise<Figure> {
  const metrics_port = await freePort()
  const { port, pid } = await startBenchService(closers, database, { METRICS_PORT: String(metrics_port) })
  const figure = await compare(
    {
      name: 'metrics: what one spend records, beside the service’s processor time for a spend',
      other: 'a spend',
      must: 0.02,
      sense: 'at_most',
      text: (microseconds) => `${microseconds.toFixed(2)} µs`,
    },
    async () => (await startChild<number>(closers, fileURLToPath(import.meta.url), ['record'])).first,
    async () => {
      const before = await processorSeconds(pid)
      const { answers } = await answeredLoad({ port, requests: spends })
      return (((await processorSeconds(pid)) - before) * 1_000_000) / answers
    },
  )
  const scrape_ms = (await scrapeCost(pid, `http://127.0.0.1:${metrics_port}/metrics`)) * 1_000
  const share = `${((scrape_ms / 15_000) * 100).toFixed(2)} % of a core at one every 15 s`
  return { ...figure, note: `a scrape takes ${scrape_ms.toFixed(1)} ms: ${share}` }
}

if (process.argv[2] === 'record') {
  recordSpends()
  process.send?.(recordSpends(), () => process.disconnect())
}

import cluster from 'node:cluster'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Config } from '../config.ts'
import type { Logger } from '../platform/log.ts'
import {
  joinClusterMetrics,
  metrics_content_type,
  openClusterMetrics,
  processMetrics,
} from '../platform/metrics/exposition.ts'
import { listenAt } from './listen-error.ts'
import type { Shutdown } from './shutdown.ts'

interface MetricsServerOptions {
  host: string
  port: number
  log: Logger
  /** The text of a scrape. */
  scrape(): Promise<string>
}

/** A scraper that does not read its answer must not prevent the process from ending. */
const answer_ms = 10_000

/** Serves `GET /metrics` on a separate port. Fails with a sentence that names the setting if it cannot listen. */
async function startMetricsServer({ host, port, log, scrape }: MetricsServerOptions) {
  async function answer(request: IncomingMessage, response: ServerResponse) {
    const path = request.url?.split('?', 1)[0]
    if (path !== '/metrics') return void response.writeHead(404).end('GET /metrics\n')
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return void response.writeHead(405, { allow: 'GET' }).end()
    const text = await scrape()
    response.writeHead(200, { 'content-type': metrics_content_type, 'cache-control': 'no-store' }).end(text)
  }
  const server = createServer({ requestTimeout: answer_ms }, (request, response) => {
    response.setTimeout(answer_ms, () => response.destroy())
    answer(request, response).catch((error: unknown) => {
      log.warn({ err: error }, 'the metrics could not be read')
      if (response.headersSent) response.destroy()
      else response.writeHead(500).end('the metrics could not be read\n')
    })
  })
  const address = await listenAt(server, { host, port, host_setting: 'METRICS_HOST', port_setting: 'METRICS_PORT' })
  return {
    address: `${address}/metrics`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

interface MetricsOptions {
  config: Config
  log: Logger
}

async function serveMetrics({ config, log }: MetricsOptions, scrape: () => Promise<string>) {
  const { host, port } = config.metrics
  if (port === undefined) return undefined
  const server = await startMetricsServer({ host, port, log, scrape })
  log.info({ address: server.address }, 'metrics are served')
  return server
}

/**
 * For the primary process of a cluster (PROCESSES): serves the metrics of all its processes if METRICS_PORT is set. Returns a function that
 * stops this.
 */
export async function openMetricsOfCluster(options: MetricsOptions): Promise<() => Promise<void>> {
  const server = await serveMetrics(options, openClusterMetrics())
  return server ? server.close : async () => {}
}

/**
 * Serves the metrics of this process if METRICS_PORT is set; returns their address. A process of a cluster has no port: its primary process
 * serves the metrics of all.
 */
export async function openMetrics({ shutdown, ...options }: MetricsOptions & { shutdown: Shutdown }) {
  if (cluster.isWorker) {
    joinClusterMetrics()
    return undefined
  }
  const server = await serveMetrics(options, processMetrics)
  if (server) shutdown.add(server.close)
  return server?.address
}

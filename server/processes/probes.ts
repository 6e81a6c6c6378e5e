import type { Config } from '../config.ts'
import { createProbeServer } from '../http/probes.ts'
import type { Readiness } from '../platform/readiness.ts'
import { listenAt } from './listen-error.ts'
import type { Shutdown } from './shutdown.ts'

/**
 * Answers `/livez` and `/readyz` on PROBES_PORT in a process without the API role, from the beginning of the start to the end of the stop.
 * The process is not ready until `started` is called.
 */
export async function startProbes({ roles, host, probes_port }: Config, readiness: Readiness, shutdown: Shutdown) {
  if (roles.includes('api') || probes_port === undefined) return { address: undefined, started: () => {} }
  readiness.add('start', () => ({ status: 'failed', reason: 'starting' }))
  const server = createProbeServer(readiness)
  const address = await listenAt(server, { host, port: probes_port, host_setting: 'HOST', port_setting: 'PROBES_PORT' })
  shutdown.add(async () => {
    server.close()
    server.closeAllConnections()
  })
  return {
    address,
    started: () => readiness.add('start', () => ({ status: 'ok' })),
  }
}

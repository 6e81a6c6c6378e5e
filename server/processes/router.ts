import type { Config } from '../config.ts'
import { openRequestCounts } from '../hosting/proxy/request-counts.ts'
import { openRouteTable, type RouteTable } from '../hosting/proxy/route-table.ts'
import { startRouteSync } from '../hosting/proxy/route-sync.ts'
import { startRouter } from '../hosting/proxy/server.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import type { ConnectionConfig } from '../platform/postgres/connection.ts'
import type { Database } from '../platform/postgres/database.ts'
import { explainListenError } from './listen-error.ts'
import { openReadiness, type Readiness } from '../platform/readiness.ts'
import type { Shutdown } from './shutdown.ts'

interface RouterOptions {
  config: Config
  connection: ConnectionConfig
  db: Database
  clock: Clock
  log: Logger
  shutdown: Shutdown
  /** The readiness of the process. */
  readiness: Readiness
}

/** Starts the router (docs/hosting): the route table, its synchronisation, and the server. Returns its address. */
export async function startRouterRole({ config, connection, db, clock, log, shutdown, readiness }: RouterOptions) {
  const table = openRouteTable({ db, log, apps_domain: config.apps_domain })
  const requests = openRequestCounts({ db, clock, log })
  const sync = await startRouteSync({ connection, log, table })
  const router_readiness = openReadiness(log)
  addRouterChecks(router_readiness, table, sync)
  if (!config.roles.includes('api')) addRouterChecks(readiness, table, sync)
  const { host, port } = config.router
  const router = await startRouter({
    settings: config.router,
    trusted_proxies: config.trusted_proxies,
    log,
    table,
    requests,
    readiness: router_readiness,
    isListening: sync.isListening,
  }).catch(async (error: unknown) => {
    await Promise.all([sync.close(), requests.close()])
    throw explainListenError(error, { host, port, host_setting: 'ROUTER_HOST', port_setting: 'ROUTER_PORT' })
  })
  shutdown.addServer({
    drain: router.drain,
    close: async (finish_ms) => {
      await router.stop(finish_ms)
      await requests.close()
      await sync.close()
    },
  })
  log.info({ address: router.address, apps_domain: config.apps_domain }, 'the router is ready')
  return router.address
}

/** A router serves from memory: without the database it stays ready, and changes wait. */
function addRouterChecks(readiness: Readiness, table: RouteTable, { isListening }: { isListening(): boolean }) {
  readiness.add('routes', () =>
    table.loadedAt() > 0 ? { status: 'ok' } : { status: 'failed', reason: 'the routes were not loaded yet' },
  )
  readiness.add('route_changes', () =>
    isListening() ? { status: 'ok' } : { status: 'degraded', reason: 'changes of routes wait for the database' },
  )
}

import type { Config } from '../config.ts'
import { openRouteTable } from '../hosting/proxy/route-table.ts'
import { startRouteSync } from '../hosting/proxy/route-sync.ts'
import { startRouter } from '../hosting/proxy/server.ts'
import type { Logger } from '../platform/log.ts'
import type { ConnectionConfig } from '../platform/postgres/connection.ts'
import type { Database } from '../platform/postgres/database.ts'
import { explainListenError } from './listen-error.ts'
import type { Shutdown } from './shutdown.ts'

interface RouterOptions {
  config: Config
  connection: ConnectionConfig
  db: Database
  log: Logger
  shutdown: Shutdown
}

/** Starts the router (docs/hosting): the table of routes, its synchronisation, and the server. Answers its address. */
export async function startRouterRole({ config, connection, db, log, shutdown }: RouterOptions) {
  const table = openRouteTable({ db, log, apps_domain: config.apps_domain })
  const sync = await startRouteSync({ connection, log, table })
  const { host, port } = config.router
  const router = await startRouter({
    settings: config.router,
    trusted_proxies: config.trusted_proxies,
    log,
    table,
    isListening: sync.isListening,
  }).catch(async (error: unknown) => {
    await sync.close()
    throw explainListenError(error, { host, port, host_setting: 'ROUTER_HOST', port_setting: 'ROUTER_PORT' })
  })
  shutdown.addServer({
    drain: router.drain,
    close: async (finish_ms) => {
      await router.stop(finish_ms)
      await sync.close()
    },
  })
  log.info({ address: router.address, apps_domain: config.apps_domain }, 'the router is ready')
  return router.address
}

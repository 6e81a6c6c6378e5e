import type { ConnectionConfig } from '../../platform/postgres/connection.ts'
import { openListener } from '../../platform/postgres/listener.ts'
import { isId } from '../../platform/ids.ts'
import type { Logger } from '../../platform/log.ts'
import { intents_channel, routes_channel } from '../channels.ts'
import type { RouteTable } from './route-table.ts'

/** Everything is read again this often, whatever was heard; more often while nothing can be heard. */
const reread_ms = 60_000
const reread_deaf_ms = 1_000

export interface RouteSyncOptions {
  connection: ConnectionConfig
  log: Logger
  table: RouteTable
}

/**
 * Keeps a route table true: reads what is announced, everything after a connection was lost, and everything now and
 * then. Resolves when it has been read for the first time, or that failed and is tried again.
 */
export async function startRouteSync({ connection, log, table }: RouteSyncOptions) {
  const listen = (channel: string) =>
    openListener({
      connection,
      log,
      name: `plaza-router-${channel}`,
      channel,
      onNotification: (id) => void (isId(id) ? table.refresh(id) : table.reload()),
      onConnected: () => void table.reload(),
    })
  const listeners = await Promise.all([routes_channel, intents_channel].map(listen))
  const isListening = () => listeners.every((listener) => listener.isListening())
  let reread_at = Date.now()
  const timer = setInterval(() => {
    if (Date.now() - reread_at < (isListening() ? reread_ms : reread_deaf_ms)) return
    reread_at = Date.now()
    void table.reload()
  }, reread_deaf_ms)
  await table.reload()
  return {
    isListening,
    async close() {
      clearInterval(timer)
      await Promise.all(listeners.map((listener) => listener.close()))
    },
  }
}

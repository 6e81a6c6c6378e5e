import type { ConnectionConfig } from '../../platform/postgres/connection.ts'
import { openListener } from '../../platform/postgres/listener.ts'
import { isId } from '../../platform/ids.ts'
import type { Logger } from '../../platform/log.ts'
import { intents_channel, routes_channel } from '../channels.ts'
import type { RouteTable } from './route-table.ts'

/** Interval of full reloads, and the shorter one while the listeners are disconnected. */
const reload_ms = 60_000
const reload_unlistened_ms = 1_000

export interface RouteSyncOptions {
  connection: ConnectionConfig
  log: Logger
  table: RouteTable
}

/**
 * Keeps a route table current: refreshes routes on NOTIFY, and reloads all of them after a reconnect and at intervals.
 * Resolves after the first load, even if it failed and will be repeated.
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
  let reloaded_at = performance.now()
  const timer = setInterval(() => {
    if (performance.now() - reloaded_at < (isListening() ? reload_ms : reload_unlistened_ms)) return
    reloaded_at = performance.now()
    void table.reload()
  }, reload_unlistened_ms)
  await table.reload()
  return {
    isListening,
    async close() {
      clearInterval(timer)
      await Promise.all(listeners.map((listener) => listener.close()))
    },
  }
}

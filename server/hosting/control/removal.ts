import type { WorkRow } from './leases.store.ts'
import { withDeadline, type Host } from './hosts.ts'
import { call_seconds, type ReconcilerDeps } from './step-context.ts'
import { isAppOnHost } from './steps.store.ts'

/** Removes the app's network from a host after its last deployment there. A failure is only logged: the network is harmless. */
export async function removeUnusedNetwork(
  { db, log }: Pick<ReconcilerDeps, 'db' | 'log'>,
  row: Pick<WorkRow, 'id' | 'app_id'>,
  host: Host | undefined,
) {
  if (!host || (await isAppOnHost(db, row.app_id, host.name, row.id))) return
  await withDeadline(call_seconds, new AbortController().signal, (signal) =>
    host.engine.remove({ network_of_app: row.app_id }, signal),
  ).catch((error: Error) => log.warn({ app_id: row.app_id, error: error.message }, 'a network was not removed'))
}

import type { WorkRow } from './leases.store.ts'
import { withDeadline, type Host } from '../hosts/hosts.ts'
import { isAppOnHost } from './instances.store.ts'
import { call_seconds, type ReconcilerDeps } from './step-context.ts'

/**
 * Removes the app's network from a host after its last instance there: instance `number` of the deployment, or all of
 * them. A failure is only logged, because a remaining network is harmless.
 */
export async function removeUnusedNetwork(
  { db, log }: Pick<ReconcilerDeps, 'db' | 'log'>,
  { id, app_id }: Pick<WorkRow, 'id' | 'app_id'>,
  host: Host | undefined,
  number?: number,
) {
  if (!host || (await isAppOnHost(db, { id, app_id, host: host.name, number: number ?? null }))) return
  await withDeadline(call_seconds, new AbortController().signal, (signal) =>
    host.engine.remove({ network_of_app: app_id }, signal),
  ).catch((error: Error) => log.warn({ app_id, error: error.message }, 'a network was not removed'))
}

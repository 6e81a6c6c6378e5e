import { setTimeout as after } from 'node:timers/promises'
import { withDeadline } from '../hosts/hosts.ts'
import { findServed, saveEndpoint } from './instances.store.ts'
import { claimOf, findLeased } from './leases.store.ts'
import { ensureRunning, runningWorkload } from './rollout.ts'
import type { StepContext } from './step-context.ts'
import { upkeepStep } from './upkeep.rules.ts'

/**
 * Keeps the serving generation running while its successor is not ready. A container that is gone or was stopped is
 * recreated from the serving release, and requests are sent to its current address.
 */
export async function keepServing({ deps, lease, row, observed }: StepContext, signal: AbortSignal) {
  const { db, owner, timing } = deps
  for (const instance of row.instances) {
    const { number } = instance
    const stepFor = (found: typeof observed) => {
      const containers = found.get(number)
      return upkeepStep(row, instance, containers instanceof Error ? undefined : containers)
    }
    let step = stepFor(observed)
    const host = deps.hosts.find(instance.host_server ?? '')
    if (step?.do === 'start' && host) {
      const served = await findServed(db, row.id)
      if (!served) return
      lease.throwIfExpired()
      const workload = runningWorkload(deps, { ...row, ...served }, { generation: step.generation, replica: number })
      const { why } = step
      await withDeadline(timing.pull_seconds, signal, (bounded) => ensureRunning(host, workload, why, bounded))
      step = stepFor(await deps.observeInstances(row))
    }
    if (step?.do === 'update_endpoint') await saveEndpoint(db, { ...claimOf(row, owner), number }, step)
  }
}

/** Calls `keepServing` every few seconds until the returned function is called. The successor's image may take minutes to arrive. */
export function keepServingMeanwhile(context: StepContext) {
  const { deps, lease } = context
  const closing = new AbortController()
  const signal = AbortSignal.any([closing.signal, lease.signal])
  const look = async () => {
    const row = await findLeased(deps.db, { id: context.row.id, owner: deps.owner })
    if (row?.generation !== context.row.generation) return
    await keepServing({ ...context, row, observed: await deps.observeInstances(row) }, signal)
  }
  const run = async () => {
    for (;;) {
      await after(deps.timing.drift_seconds * 1000, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      await look().catch((error: Error) =>
        deps.log.debug(
          { deployment_id: context.row.id, error: error.message },
          'the serving container could not be repaired',
        ),
      )
    }
  }
  const ended = run()
  return async () => {
    closing.abort()
    await ended
  }
}

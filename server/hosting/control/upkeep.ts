import { setTimeout as after } from 'node:timers/promises'
import { withDeadline, type Host } from './hosts.ts'
import { claimOf, findLeased, type WorkRow } from './leases.store.ts'
import { runningWorkload } from './rollout.ts'
import type { StepContext } from './step-context.ts'
import { findServed, saveEndpoint } from './steps.store.ts'
import { upkeepStep } from './upkeep.rules.ts'

/**
 * Keeps up what serves while its successor is not there: a container that is gone or was stopped is made again from the release that
 * serves, and requests are sent to where it answers now.
 */
export async function keepServing({ deps, lease, row, observed }: StepContext, host: Host, signal: AbortSignal) {
  const { db, owner, clock, timing } = deps
  const step = upkeepStep(row, observed, { now: clock(), timing })
  if (!step) return
  let endpoint = step
  if (step.do === 'start') {
    const served = await findServed(db, row.id)
    if (!served) return
    lease.throwIfExpired()
    const workload = runningWorkload(deps, { ...row, ...served }, { ...step, replica: row.leading_replica })
    await withDeadline(timing.pull_seconds, signal, (bounded) => host.engine.ensure(workload, bounded))
    endpoint = upkeepStep(row, await observeLeading(host, row), { now: clock(), timing }) ?? step
  }
  if (endpoint.do === 'update_endpoint') await saveEndpoint(db, claimOf(row, owner), endpoint)
}

/** Does so every few seconds until the returned function is called: the image of the successor may take minutes to arrive. */
export function keepServingMeanwhile(context: StepContext, host: Host) {
  const { deps, lease } = context
  const closing = new AbortController()
  const signal = AbortSignal.any([closing.signal, lease.signal])
  const look = async () => {
    const row = await findLeased(deps.db, { id: context.row.id, owner: deps.owner })
    if (row?.generation !== context.row.generation) return
    await keepServing({ ...context, row, observed: await observeLeading(host, row) }, host, signal)
  }
  const run = async () => {
    for (;;) {
      await after(deps.timing.drift_seconds * 1000, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      await look().catch((error: Error) =>
        deps.log.debug(
          { deployment_id: context.row.id, error: error.message },
          'what serves could not be looked after',
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

const observeLeading = async (host: Host, row: WorkRow) =>
  (await host.observeOne(row)).filter(({ replica }) => replica === row.leading_replica)

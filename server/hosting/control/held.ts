import { withDeadline, type Host } from './hosts.ts'
import { nextStep, no_history, type Step } from './plan.rules.ts'
import { runningWorkload } from './rollout.ts'
import { findServed } from './steps.store.ts'
import { waitFor, type StepContext } from './step-context.ts'

/** The steps that keep what serves as it is. */
type Upkeep = Step & { do: 'update_endpoint' | 'count_restarts' }

/**
 * What serves is kept up while its successor may not start: a container that is gone or was stopped is made again, from the release
 * that serves. `start`: that was done. Another step is returned for the caller; undefined where nothing is to be done.
 */
export async function keepServing(
  { deps, lease, row, observed }: StepContext,
  host: Host,
): Promise<Upkeep | 'started' | undefined> {
  const served = row.serving_generation === null ? undefined : await findServed(deps.db, row.id)
  if (!served || row.serving_generation === null) return undefined
  const serving = { ...row, ...served, failed_generation: row.generation, transient_seconds: null }
  const step = nextStep(serving, observed, { now: deps.clock(), history: no_history, timing: deps.timing })
  if (step.do === 'update_endpoint' || step.do === 'count_restarts') return step
  if (step.do !== 'start') return undefined
  const delay = deps.history.delayBefore(row, step)
  if (delay > 0) return (await waitFor(lease, delay)) === 'continue' ? 'started' : undefined
  lease.throwIfExpired()
  const workload = runningWorkload(deps, serving, { generation: row.serving_generation, replica: row.leading_replica })
  await withDeadline(deps.timing.pull_seconds, lease.signal, (signal) => host.engine.ensure(workload, signal))
  return 'started'
}

import { EngineError } from '../engine/engine.ts'
import { withDeadline, type Host } from './hosts.ts'
import { claimOf, findLeased, type WorkRow } from './leases.store.ts'
import { placeDeployment } from './placement.ts'
import { acceptsConnections } from './probe.ts'
import { backoffSeconds, isUnreachable, nextStep, type Step } from './plan.rules.ts'
import { saveRestarts, saveEndpoint, isAppOnHost, saveTransientError, saveCompletion, unroute } from './steps.store.ts'
import { fail, stoppedWorkload, serve, start } from './rollout.ts'
import {
  call_seconds,
  PlatformError,
  waitFor,
  type LeaseHandle,
  type ReconcilerDeps,
  type StepContext,
  type StepOutcome,
  type ReconcilerContext,
} from './step-context.ts'
import { openObservationHistory } from './observation-history.ts'

/** How the work on a deployment ended: due again after `seconds`; without them, when something changes. */
export interface Outcome {
  row: WorkRow
  seconds: number | undefined
}

export interface Reconciler {
  /**
   * Runs steps until the deployment is in its desired state or must wait for more than a second. Returns undefined when the
   * lease was lost. Throws errors of the database only.
   */
  reconcile(lease: LeaseHandle, row: WorkRow): Promise<Outcome | undefined>
}

export function openReconciler(deps: ReconcilerDeps): Reconciler {
  const history = openObservationHistory()
  return {
    async reconcile(lease, first) {
      let row: WorkRow | undefined = first
      while (row && !lease.signal.aborted) {
        const outcome = await runStep({ ...deps, history }, lease, row)
        if (outcome === 'done') {
          history.delete(row.id)
          return { row, seconds: undefined }
        }
        if (typeof outcome === 'number') return { row, seconds: outcome }
        lease.refresh()
        row = await findLeased(deps.db, { id: row.id, owner: deps.owner })
        if (row) lease.observed(row)
      }
      return undefined
    },
  }
}

async function runStep(deps: ReconcilerContext, lease: LeaseHandle, row: WorkRow): Promise<StepOutcome> {
  try {
    const host = row.host_server === null ? undefined : getHost(deps, row.host_server)
    const observed = host ? await host.observeOne(row) : []
    const history = deps.history.record(row, observed)
    const step = nextStep(row, observed, { now: deps.clock(), history, timing: deps.timing })
    if (step.do === 'nothing') return 'done'
    if (step.do === 'wait') return await waitFor(lease, step.seconds)
    const delay = deps.history.delayBefore(row, step)
    if (delay > 0) return await waitFor(lease, delay)
    deps.log.debug({ deployment_id: row.id, generation: row.generation, step: step.do }, 'a step of a deployment')
    lease.throwIfExpired()
    return await execute({ deps, lease, row, observed }, step, host)
  } catch (error) {
    if (lease.signal.aborted || lease.intentSignal().aborted) return 'continue'
    return backOff(deps, row, error)
  }
}

function getHost({ hosts }: ReconcilerContext, name: string): Host {
  const host = hosts.find(name)
  if (!host) throw new EngineError('unreachable', `The container host ${name} is not configured here.`)
  return host
}

/** Saves a transient error; returns the seconds until the next attempt, which grow with each. */
async function backOff(deps: ReconcilerContext, row: WorkRow, error: unknown): Promise<number> {
  const named = error instanceof EngineError || error instanceof PlatformError
  if (!named && isDatabaseError(error)) throw error
  const attempts = row.attempts + 1
  const seconds = backoffSeconds(row.attempts, Math.random())
  const [fault, message] = named ? [error.fault, error.message] : ['internal', 'The platform could not work on it.']
  deps.log.warn(
    {
      deployment_id: row.id,
      fault,
      seconds: Math.round(seconds),
      ...(named ? {} : { err: error }),
    },
    `a deployment is retried later: ${message}`,
  )
  await saveTransientError(deps.db, claimOf(row, deps.owner), {
    message: `${fault}: ${message}`,
    unreachable: isUnreachable(fault),
    attempts,
  })
  return seconds
}

/** Errors of the driver carry a code; programming errors do not. */
const isDatabaseError = (error: unknown) =>
  error instanceof Error && ('code' in error || /connection|timeout|client/i.test(error.message))

/** Most programs listen soon after their start: for this time the port is probed in short intervals, without the engine. */
const probe_ms = 200

/** Probes the port of a generation; once it answers, the generation serves. */
async function probe(context: StepContext, step: Step & { do: 'probe' }): Promise<StepOutcome> {
  const { lease } = context
  const began = performance.now()
  for (let seconds = 0.005; performance.now() - began < probe_ms; seconds *= 2) {
    if (await acceptsConnections(step.endpoint)) return serve(context, step)
    await waitFor(lease, seconds)
    if (lease.signal.aborted || lease.intentSignal().aborted) return 'continue'
  }
  return waitFor(lease, 0.1)
}

async function execute(context: StepContext, step: Step, host: Host | undefined): Promise<StepOutcome> {
  const { deps, row, observed } = context
  const { db, clock, owner } = deps
  const claim = claimOf(row, owner)
  switch (step.do) {
    case 'place':
      await placeDeployment(deps, row)
      return 'continue'
    case 'unroute':
      await unroute(db, claim)
      return 'continue'
    case 'complete':
      if (step.status === 'destroyed') await removeUnusedNetwork(deps, row, host)
      await saveCompletion(db, claim, { status: step.status, now: clock() })
      return 'continue'
    case 'update_endpoint':
      await saveEndpoint(db, claim, step)
      return 'continue'
    case 'count_restarts':
      await saveRestarts(db, claim, { ...step, health: row.status === 'running' ? 'restarting' : row.health_status })
      return 'continue'
    case 'probe':
      return probe(context, step)
    case 'retry':
      deps.history.startFailed(row)
      return backOff(deps, row, new EngineError('refused', step.message))
    case 'fail':
      await fail(context, step, host)
      return 'continue'
    case 'remove':
    case 'stop':
    case 'start':
      return host ? callEngine(context, step, host) : 'continue'
    default:
      deps.log.error({ step: step.do, observed: observed.length }, 'unknown step')
      return 'done'
  }
}

/** The steps that change something on the engine. */
async function callEngine(
  context: StepContext,
  step: Step & { do: 'remove' | 'stop' | 'start' },
  host: Host,
): Promise<StepOutcome> {
  const { deps, lease, row } = context
  if (step.do === 'start') return start(context, step, host)
  const { generation } = step
  await withDeadline<unknown>(call_seconds, lease.signal, (signal) =>
    step.do === 'stop'
      ? host.engine.ensure(stoppedWorkload(deps, row, step.generation), signal)
      : host.engine.remove({ workload: row.id, ...(generation === undefined ? {} : { generation }) }, signal),
  )
  return 'continue'
}

/** Removes the app's network from a host after its last deployment there. A failure is only logged: the network is harmless. */
async function removeUnusedNetwork({ db, log }: ReconcilerContext, row: WorkRow, host: Host | undefined) {
  if (!host || (await isAppOnHost(db, row.app_id, host.name, row.id))) return
  await withDeadline(call_seconds, new AbortController().signal, (signal) =>
    host.engine.remove({ network_of_app: row.app_id }, signal),
  ).catch((error: Error) => log.warn({ app_id: row.app_id, error: error.message }, 'a network was not removed'))
}

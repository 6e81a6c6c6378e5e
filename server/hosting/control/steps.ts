import { EngineError } from '../engine/engine.ts'
import { withDeadline, type Host } from './hosts.ts'
import { claimOf, findLeased, type WorkRow } from './leases.store.ts'
import { openPlacement } from './placement.ts'
import { acceptsConnections } from './probe.ts'
import { backoffSeconds, isUnreachable, nextStep, shown_health, type Step } from './plan.rules.ts'
import { promoteFollower } from './replicas.store.ts'
import { findSuccessor } from './replicas.rules.ts'
import { openFollowerHistory, runReplicaStep, type FollowerHistory } from './replicas.ts'
import { removeUnusedNetwork } from './removal.ts'
import { restarts_unknown } from './restarts.rules.ts'
import { saveRestarts, saveEndpoint, saveTransientError, saveCompletion, saveWaiting, unroute } from './steps.store.ts'
import { fail, stoppedWorkload, serve, start } from './rollout.ts'
import { PlatformError } from './platform-error.ts'
import {
  call_seconds,
  isDatabaseError,
  waitFor,
  type LeaseHandle,
  type ReconcilerDeps,
  type StepContext,
  type StepOutcome,
  type ReconcilerContext,
} from './step-context.ts'
import { openObservationHistory } from './observation-history.ts'
import { waitingMessage } from './waiting.ts'
import { keepServing, keepServingMeanwhile } from './upkeep.ts'

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

type Deps = ReconcilerContext & { followers: FollowerHistory }

export function openReconciler(given: ReconcilerDeps): Reconciler {
  const deps: Deps = {
    ...given,
    history: openObservationHistory(),
    followers: openFollowerHistory(),
    placement: openPlacement(given),
  }
  return {
    async reconcile(lease, first) {
      let row: WorkRow | undefined = first
      /** When the leading replica must be looked at again; the others are worked on meanwhile. */
      let leading_due_at = 0
      while (row && !lease.signal.aborted) {
        const is_due = performance.now() >= leading_due_at || lease.intentSignal().aborted
        const leading: StepOutcome = is_due ? await runStep(deps, lease, row) : secondsUntil(leading_due_at)
        if (leading !== 'continue') {
          if (typeof leading === 'number') leading_due_at = performance.now() + leading * 1000
          const others = await runReplicaStep({ deps, lease, row })
          if (others !== 'continue') return endOf(deps, row, leading, others)
        }
        lease.refresh()
        row = await findLeased(deps.db, { id: row.id, owner: deps.owner })
        if (row) lease.observed(row)
      }
      return undefined
    },
  }
}

const secondsUntil = (at: number) => Math.max(0, (at - performance.now()) / 1000)

/** The deployment is due again when the first of its replicas is. */
function endOf(deps: Deps, row: WorkRow, ...outcomes: ('done' | number)[]): Outcome {
  const seconds = Math.min(...outcomes.map((outcome) => (outcome === 'done' ? Infinity : outcome)))
  if (seconds !== Infinity) return { row, seconds }
  deps.history.delete(row.id)
  deps.followers.delete(row.id)
  return { row, seconds: undefined }
}

async function runStep(deps: Deps, lease: LeaseHandle, row: WorkRow): Promise<StepOutcome> {
  try {
    const host = row.host_server === null ? undefined : getHost(deps, row.host_server)
    const all = host ? await host.observeOne(row) : []
    const observed = all.filter(({ replica }) => replica === row.leading_replica)
    const history = deps.history.record(row, observed)
    const step = nextStep(row, observed, { now: deps.clock(), history, timing: deps.timing })
    if (step.do === 'nothing') return 'done'
    if (step.do === 'wait') return await waitFor(lease, step.seconds)
    if (await handOver(deps, row, step)) return 'continue'
    // What is stopped or destroyed is so with all its replicas.
    if (step.do === 'complete' && row.followers.length > 0) return await runReplicaStep({ deps, lease, row })
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

/** Where the leading replica serves no more and another one does, that one leads from now on (D-105). */
async function handOver({ db, log, owner, clock }: ReconcilerContext, row: WorkRow, step: Step) {
  if (row.serving_generation === null || !endsServing(row, step)) return false
  const successor = findSuccessor(row)
  if (!successor) return false
  const claim = { ...claimOf(row, owner), number: successor.number }
  const health = step.do === 'fail' ? (shown_health[step.cause] ?? step.cause) : 'restarting'
  log.info({ deployment_id: row.id, replica: successor.number }, 'another replica of a deployment leads')
  return promoteFollower(db, claim, { health, now: clock() })
}

/** Whether a step is taken because the generation that serves does so no more. */
const endsServing = ({ serving_generation }: WorkRow, step: Step) =>
  ((step.do === 'start' || step.do === 'fail') && step.generation === serving_generation) ||
  (step.do === 'update_endpoint' && step.endpoint === null)

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
  await saveWaiting(deps.db, claimOf(row, deps.owner), waitingMessage(error))
  return seconds
}

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
      await deps.placement.place(row)
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
      await saveRestarts(db, claim, { ...step, health: hasRestarted(row) ? 'restarting' : row.health_status })
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

/** A baseline that is saved after a change of the leading replica is no restart. */
const hasRestarted = ({ status, restarts_seen }: WorkRow) => status === 'running' && restarts_seen !== restarts_unknown

/** Starts a generation. What serves is kept up meanwhile, and while its successor waits for what may pass. */
async function startBeside(context: StepContext, step: Step & { do: 'start' }, host: Host): Promise<StepOutcome> {
  const { deps, lease, row } = context
  if (row.serving_generation === null || row.serving_generation === step.generation) return start(context, step, host)
  const stopUpkeep = keepServingMeanwhile(context, host)
  try {
    return await start(context, step, host)
  } catch (error) {
    await stopUpkeep()
    const until = AbortSignal.any([lease.signal, lease.intentSignal()])
    if (doesEngineAnswer(error) && !until.aborted)
      await keepServing(context, host, until).catch((cause: Error) =>
        deps.log.warn({ deployment_id: row.id, error: cause.message }, 'what serves could not be made again'),
      )
    throw error
  } finally {
    await stopUpkeep()
  }
}

const doesEngineAnswer = (error: unknown) =>
  error instanceof PlatformError || (error instanceof EngineError && !isUnreachable(error.fault))

/** The steps that change something on the engine. */
async function callEngine(
  context: StepContext,
  step: Step & { do: 'remove' | 'stop' | 'start' },
  host: Host,
): Promise<StepOutcome> {
  const { deps, lease, row } = context
  if (step.do === 'start') return startBeside(context, step, host)
  const { generation } = step
  await withDeadline<unknown>(call_seconds, lease.signal, (signal) =>
    step.do === 'stop'
      ? host.engine.ensure(stoppedWorkload(deps, row, step.generation), signal)
      : host.engine.remove(
          { workload: row.id, replica: row.leading_replica, ...(generation === undefined ? {} : { generation }) },
          signal,
        ),
  )
  return 'continue'
}

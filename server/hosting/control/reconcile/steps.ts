import { EngineError } from '../../engine/engine.ts'
import { withDeadline } from '../hosts/hosts.ts'
import { claimOf, findLeased, type WorkRow } from './leases.store.ts'
import {
  addInstances,
  dropInstance,
  postponeInstance,
  saveCompletion,
  saveEndpoint,
  saveRestarts,
} from './instances.store.ts'
import { saveTransientError, saveWaiting, tryAgain, unroute } from './instances.store.ts'
import { openInstanceObserver } from './instances.ts'
import { openObservationHistory } from './observation-history.ts'
import { openPlacement } from '../hosts/placement.ts'
import {
  backoffSeconds,
  isRouted,
  isUnreachable,
  nextStep,
  targetOf,
  type InstanceStep,
  type Step,
} from './plan.rules.ts'
import { PlatformError } from './platform-error.ts'
import { probeHealth } from './probe.ts'
import { removeUnusedNetwork } from './removal.ts'
import { fail, serve, start, stoppedWorkload } from './rollout.ts'
import {
  call_seconds,
  isDatabaseError,
  waitFor,
  type InstanceContext,
  type LeaseHandle,
  type ReconcilerContext,
  type ReconcilerDeps,
  type StepContext,
  type StepOutcome,
} from './step-context.ts'
import { keepServing, keepServingMeanwhile } from './upkeep.ts'
import { waitingMessage } from './waiting.ts'

/** How the work on a deployment ended: due again after `seconds`; without them, only after a change. */
export interface Outcome {
  row: WorkRow
  seconds: number | undefined
}

export interface Reconciler {
  /**
   * Runs steps until the deployment is in its desired state or must wait for more than a second. Returns undefined if
   * the lease was lost. Throws database errors only.
   */
  reconcile(lease: LeaseHandle, row: WorkRow): Promise<Outcome | undefined>
}

export function openReconciler(given: ReconcilerDeps): Reconciler {
  const deps = {
    ...given,
    history: openObservationHistory(),
    observeInstances: openInstanceObserver(given.hosts),
    placement: openPlacement(given),
  }
  return {
    async reconcile(lease, first) {
      let row: WorkRow | undefined = first
      while (row && !lease.signal.aborted) {
        const outcome = await runStep(deps, lease, row)
        if (outcome === 'done') deps.history.delete(row.id)
        if (outcome !== 'continue') return { row, seconds: outcome === 'done' ? undefined : outcome }
        lease.refresh()
        row = await findLeased(deps.db, { id: row.id, owner: deps.owner })
        if (row) lease.observed(row)
      }
      return undefined
    },
  }
}

/** Runs the next step of a deployment. */
export async function runStep(deps: ReconcilerContext, lease: LeaseHandle, row: WorkRow): Promise<StepOutcome> {
  let step: Step = { do: 'nothing' }
  try {
    const observed = await deps.observeInstances(row)
    const containersOf = (number: number) => {
      const found = observed.get(number)
      return found instanceof Error ? undefined : found
    }
    const histories = new Map(
      row.instances.map(({ number }) => [number, deps.history.record(row, number, containersOf(number) ?? [])]),
    )
    step = nextStep(row, {
      now: deps.clock(),
      timing: deps.timing,
      observe: ({ number }) => containersOf(number),
      historyOf: (number) => histories.get(number)!,
    })
    if (step.do === 'nothing') return 'done'
    if (step.do === 'wait') return await waitFor(lease, step.seconds)
    const delay = deps.history.delayBefore(row, step)
    if (delay > 0) return await waitFor(lease, delay)
    deps.log.debug({ deployment_id: row.id, generation: row.generation, step: step.do }, 'a step of a deployment')
    lease.throwIfExpired()
    const context = { deps, lease, row, observed }
    return 'number' in step ? await runInstanceStep(context, step) : await runDeploymentStep(context, step)
  } catch (error) {
    if (lease.signal.aborted || lease.intentSignal().aborted) return 'continue'
    return backOff(deps, row, step, error)
  }
}

/**
 * Saves a transient error of the instance whose step failed, or of the deployment. The delay before the next attempt grows with each error.
 */
async function backOff(deps: ReconcilerContext, row: WorkRow, step: Step, error: unknown): Promise<StepOutcome> {
  const named = error instanceof EngineError || error instanceof PlatformError
  if (!named && isDatabaseError(error)) throw error
  const [fault, message] = named ? [error.fault, error.message] : ['internal', 'The platform could not work on it.']
  const unreachable = isUnreachable(fault)
  const target = targetOf(row)
  const number = 'number' in step ? step.number : undefined
  const instance = row.instances.find((each) => each.number === number)
  const attempted = target ?? row.generation
  const attempts = instance?.generation === attempted ? instance.attempts : 0
  const seconds = backoffSeconds(attempts, Math.random())
  deps.log.warn(
    {
      deployment_id: row.id,
      instance: number,
      fault,
      seconds: Math.round(seconds),
      ...(named ? {} : { err: error }),
    },
    `a deployment is retried later: ${message}`,
  )
  const claim = claimOf(row, deps.owner)
  if (instance)
    await postponeInstance(
      deps.db,
      { ...claim, number: instance.number },
      {
        attempted,
        message: `${fault}: ${message}`,
        // A host that answers again is used immediately.
        seconds: step.do === 'await_host' ? 0 : unreachable ? Math.min(seconds, 5) : seconds,
        health: unreachable ? 'unknown' : null,
        unreachable,
      },
    )
  const others_serve = row.instances.some((each) => each !== instance && isRouted(each))
  if (row.serving_generation !== target || !others_serve) {
    await saveTransientError(deps.db, claim, { message: `${fault}: ${message}`, unreachable })
    await saveWaiting(deps.db, claim, waitingMessage(error))
  }
  return instance && step.do !== 'await_host' ? 'continue' : seconds
}

type DeploymentStep = Exclude<Step, InstanceStep | { do: 'nothing' | 'wait' }>

async function runDeploymentStep({ deps, row }: StepContext, step: DeploymentStep): Promise<StepOutcome> {
  const { db, clock, owner, hosts } = deps
  const claim = claimOf(row, owner)
  switch (step.do) {
    case 'add':
      await addInstances(db, claim, step.numbers)
      break
    case 'unroute':
      await unroute(db, claim)
      break
    case 'try_again':
      await tryAgain(db, claim)
      break
    case 'complete': {
      const names = new Set(row.instances.map(({ host_server }) => host_server ?? ''))
      if (step.status === 'destroyed') for (const name of names) await removeUnusedNetwork(deps, row, hosts.find(name))
      await saveCompletion(db, claim, { status: step.status, now: clock() })
      break
    }
  }
  return 'continue'
}

/** Most programs listen soon after their start: for this time the port is probed at short intervals without calls to the engine. */
const probe_ms = 200

/** Probes the port of a generation; once it answers, the generation serves. */
async function probe(context: InstanceContext, step: InstanceStep & { do: 'probe' }): Promise<StepOutcome> {
  const { lease, row } = context
  const began = performance.now()
  for (let seconds = 0.005; performance.now() - began < probe_ms; seconds *= 2) {
    if ((await probeHealth(step.endpoint, row.health_path)) === 'accepts') return serve(context, step)
    await waitFor(lease, seconds)
    if (lease.signal.aborted || lease.intentSignal().aborted) return 'continue'
  }
  return waitFor(lease, 0.1)
}

async function runInstanceStep(found: StepContext, step: InstanceStep): Promise<StepOutcome> {
  const { deps, row, observed } = found
  const { db, owner } = deps
  const { number } = step
  const instance = row.instances.find((each) => each.number === number)!
  const claim = { ...claimOf(row, owner), number }
  const host = deps.hosts.find(instance.host_server ?? '')
  const containers = observed.get(number) ?? []
  if (step.do === 'place') {
    await deps.placement.place(row, number)
    return 'continue'
  }
  if (step.do === 'drop') {
    await dropInstance(db, claim)
    await removeUnusedNetwork(deps, row, host, number)
    return 'continue'
  }
  if (step.do === 'update_endpoint') {
    await saveEndpoint(db, claim, step)
    return 'continue'
  }
  if (containers instanceof Error) throw containers
  if (!host) return 'continue'
  const context = { ...found, instance, claim, host, containers }
  switch (step.do) {
    case 'count_restarts':
      await saveRestarts(db, claim, { ...step, health: healthAfter(context, step) })
      return 'continue'
    case 'probe':
      return probe(context, step)
    case 'retry':
      deps.history.startFailed(row, number)
      throw new EngineError('refused', step.message)
    case 'fail':
      await fail(context, step)
      return 'continue'
    case 'start':
      return startBeside(context, step)
    case 'await_host':
      return 'continue'
    case 'stop':
    case 'remove':
      await endContainer(context, step)
      return 'continue'
  }
}

/** Stops or removes the containers of an instance: those of one generation, or all of them. */
async function endContainer(context: InstanceContext, step: InstanceStep & { do: 'stop' | 'remove' }): Promise<void> {
  const { deps, lease, row, host } = context
  const { number, generation } = step
  await withDeadline<unknown>(call_seconds, lease.signal, (signal) =>
    step.do === 'stop'
      ? host.engine.ensure(stoppedWorkload(deps, row, { generation: step.generation, replica: number }), signal)
      : host.engine.remove(
          { workload: row.id, replica: number, ...(generation === undefined ? {} : { generation }) },
          signal,
        ),
  )
}

/** The first observed count is not a restart. */
const healthAfter = ({ row, instance }: InstanceContext, { restart_times }: { restart_times: string[] }) =>
  row.status === 'running' && restart_times.length > 0 && instance.restarts_seen !== null
    ? 'restarting'
    : instance.health_status

/** Starts a generation. The serving generation is kept running meanwhile, even while its successor waits for a transient fault to pass. */
async function startBeside(context: InstanceContext, step: InstanceStep & { do: 'start' }): Promise<StepOutcome> {
  const { deps, lease, row } = context
  if (row.serving_generation === null || row.serving_generation === step.generation) return start(context, step)
  const stopUpkeep = keepServingMeanwhile(context)
  try {
    return await start(context, step)
  } catch (error) {
    await stopUpkeep()
    const until = AbortSignal.any([lease.signal, lease.intentSignal()])
    if (doesEngineAnswer(error) && !until.aborted)
      await keepServing(context, until).catch((cause: Error) =>
        deps.log.warn({ deployment_id: row.id, error: cause.message }, 'the serving container could not be recreated'),
      )
    throw error
  } finally {
    await stopUpkeep()
  }
}

const doesEngineAnswer = (error: unknown) =>
  error instanceof PlatformError || (error instanceof EngineError && !isUnreachable(error.fault))

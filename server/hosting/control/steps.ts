import { EngineError } from '../engine/engine.ts'
import { within, type Host } from './hosts.ts'
import { claimOf, findLeased, type WorkRow } from './leases.store.ts'
import { place } from './placement.ts'
import { answersAt } from './probe.ts'
import { backOffSeconds, isOutOfReach, nextStep, type Step } from './plan.rules.ts'
import { countRestartsOf, followEndpoint, isAppOnHost, noteTrouble, settleRest, withdraw } from './steps.store.ts'
import { fail, restOf, serve, start } from './rollout.ts'
import {
  call_seconds,
  PlatformTrouble,
  waitFor,
  type LeaseHandle,
  type ReconcilerDeps,
  type StepContext,
  type StepOutcome,
  type ReconcilerContext,
} from './step-context.ts'
import { openObservationHistory } from './observation-history.ts'

/** How the work on one deployment ended: to be looked at again after `seconds`, or when something changes. */
export interface Outcome {
  row: WorkRow
  seconds: number | undefined
}

export interface Reconciler {
  /**
   * Takes one step after the other until the deployment is as it is wanted, or has to wait longer than a moment.
   * Undefined when the lease was lost. Fails only where the database does.
   */
  reconcile(held: LeaseHandle, row: WorkRow): Promise<Outcome | undefined>
}

export function openReconciler(deps: ReconcilerDeps): Reconciler {
  const memories = openObservationHistory()
  return {
    async reconcile(held, first) {
      let row: WorkRow | undefined = first
      while (row && !held.signal.aborted) {
        const outcome = await oneStep({ ...deps, memories }, held, row)
        if (outcome === 'done') {
          memories.forget(row.id)
          return { row, seconds: undefined }
        }
        if (typeof outcome === 'number') return { row, seconds: outcome }
        held.refresh()
        row = await findLeased(deps.db, { id: row.id, owner: deps.owner })
        if (row) held.observed(row)
      }
      return undefined
    },
  }
}

async function oneStep(work: ReconcilerContext, held: LeaseHandle, row: WorkRow): Promise<StepOutcome> {
  try {
    const host = row.host_server === null ? undefined : hostOf(work, row.host_server)
    const observed = host ? await host.observeOne(row) : []
    const memory = work.memories.note(row, observed)
    const step = nextStep(row, observed, { now: work.clock(), memory, timing: work.timing })
    if (step.do === 'nothing') return 'done'
    if (step.do === 'wait') return await waitFor(held, step.seconds)
    const pause = work.memories.pauseBefore(row, step)
    if (pause > 0) return await waitFor(held, pause)
    work.log.debug({ deployment_id: row.id, generation: row.generation, step: step.do }, 'a step of a deployment')
    held.check()
    return await carryOut({ work, held, row, observed }, step, host)
  } catch (error) {
    if (held.signal.aborted || held.changed().aborted) return 'on'
    return afterTrouble(work, row, error)
  }
}

function hostOf({ hosts }: ReconcilerContext, name: string): Host {
  const host = hosts.find(name)
  if (!host) throw new EngineError('unreachable', `The container host ${name} is not configured here.`)
  return host
}

/** Something that may pass: noted, and tried again after a while that grows. */
async function afterTrouble(work: ReconcilerContext, row: WorkRow, error: unknown): Promise<number> {
  const named = error instanceof EngineError || error instanceof PlatformTrouble
  if (!named && isOfDatabase(error)) throw error
  const attempts = row.attempts + 1
  const seconds = backOffSeconds(row.attempts, Math.random())
  const [fault, message] = named ? [error.fault, error.message] : ['internal', 'The platform could not work on it.']
  work.log.warn(
    {
      deployment_id: row.id,
      fault,
      seconds: Math.round(seconds),
      ...(named ? {} : { err: error }),
    },
    `work on a deployment waits: ${message}`,
  )
  await noteTrouble(work.db, claimOf(row, work.owner), {
    message: `${fault}: ${message}`,
    out_of_reach: isOutOfReach(fault),
    attempts,
  })
  return seconds
}

/** Errors of the driver carry a code; our own mistakes do not. */
const isOfDatabase = (error: unknown) =>
  error instanceof Error && ('code' in error || /connection|timeout|client/i.test(error.message))

/** Most programs listen soon after they were started: for so long a port is asked in quick turn before its engine is. */
const probe_ms = 200

/** Lets a generation serve once its port answers. */
async function probe(scene: StepContext, step: Step & { do: 'probe' }): Promise<StepOutcome> {
  const { held } = scene
  const began = performance.now()
  for (let seconds = 0.005; performance.now() - began < probe_ms; seconds *= 2) {
    if (await answersAt(step.endpoint)) return serve(scene, step)
    await waitFor(held, seconds)
    if (held.signal.aborted || held.changed().aborted) return 'on'
  }
  return waitFor(held, 0.1)
}

async function carryOut(scene: StepContext, step: Step, host: Host | undefined): Promise<StepOutcome> {
  const { work, row, observed } = scene
  const { db, clock, owner } = work
  const claim = claimOf(row, owner)
  switch (step.do) {
    case 'place':
      await place(work, row)
      return 'on'
    case 'withdraw':
      await withdraw(db, claim)
      return 'on'
    case 'settle':
      if (step.status === 'destroyed') await clearNetwork(work, row, host)
      await settleRest(db, claim, { status: step.status, now: clock() })
      return 'on'
    case 'follow':
      await followEndpoint(db, claim, step)
      return 'on'
    case 'count':
      await countRestartsOf(db, claim, { ...step, health: row.status === 'running' ? 'restarting' : row.health_status })
      return 'on'
    case 'probe':
      return probe(scene, step)
    case 'retry':
      work.memories.startFailed(row)
      return afterTrouble(work, row, new EngineError('refused', step.message))
    case 'fail':
      await fail(scene, step, host)
      return 'on'
    case 'remove':
    case 'rest':
    case 'start':
      return host ? act(scene, step, host) : 'on'
    default:
      work.log.error({ step: step.do, observed: observed.length }, 'a step that nobody carries out')
      return 'done'
  }
}

/** What is done to an engine. */
async function act(
  scene: StepContext,
  step: Step & { do: 'remove' | 'rest' | 'start' },
  host: Host,
): Promise<StepOutcome> {
  const { work, held, row } = scene
  if (step.do === 'start') return start(scene, step, host)
  const { generation } = step
  await within<unknown>(call_seconds, held.signal, (signal) =>
    step.do === 'rest'
      ? host.engine.ensure(restOf(work, row, step.generation), signal)
      : host.engine.remove({ workload: row.id, ...(generation === undefined ? {} : { generation }) }, signal),
  )
  return 'on'
}

/** An app without a workload on a host needs no network there; one that stays disturbs nobody. */
async function clearNetwork({ db, log }: ReconcilerContext, row: WorkRow, host: Host | undefined) {
  if (!host || (await isAppOnHost(db, row.app_id, host.name, row.id))) return
  await within(call_seconds, new AbortController().signal, (signal) =>
    host.engine.remove({ network_of_app: row.app_id }, signal),
  ).catch((error: Error) => log.warn({ app_id: row.app_id, error: error.message }, 'a network was not removed'))
}

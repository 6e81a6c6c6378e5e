import { countRestarts, recentRestarts } from './restarts.rules.ts'
import type { Timing } from './timing.rules.ts'

/*
 * The state machine of a deployment. `nextStep` chooses the goal by the first row that holds:
 *
 * | row and observation                                               | goal               | planned by  |
 * |-------------------------------------------------------------------|--------------------|-------------|
 * | status is destroyed                                               | none               |             |
 * | an instance is in phase unknown                                   | none               |             |
 * | desired is destroyed                                              | destroyed          | planDestroy |
 * | pending and awaiting payment (D-62)                               | none               |             |
 * | desired is stopped, or suspended, or failed with nothing serving  | stopped            | planStop    |
 * | no host                                                           | a host             | step place  |
 * | the target generation does not serve yet                          | it serves          | planRollout |
 * | the target generation serves                                      | it goes on serving | planServing |
 * | that goal needs no step now                                       | it alone remains   | planSurplus |
 *
 * The steps of each goal in their order, and the status that they write; every other step leaves it:
 *
 * | goal      | steps                                                          | status              |
 * |-----------|----------------------------------------------------------------|---------------------|
 * | destroyed | unroute, remove, complete                                      | destroyed           |
 * | stopped   | unroute, remove (older and never started ones), stop, complete | stopped             |
 * | serving   | place, start                                                   | deploying           |
 * |           | probe, once the port answers                                   | running             |
 * |           | count_restarts, update_endpoint, retry, remove (surplus)       |                     |
 * |           | fail, where an older generation serves                         | running             |
 * |           | fail, where none serves: the goal is stopped from then on, or  |                     |
 * |           | serving the release that served last, as a new generation      | deploying           |
 *
 * A deployment on a lost or retired host becomes `deploying` without a host: see hosts.store.ts.
 * plan.goals.test.ts asserts the table over all states.
 */

export interface Port {
  host: string
  port: number
}

/** The columns of a deployment that decide its next step. */
export interface PlanInput {
  generation: number
  desired: 'running' | 'stopped' | 'destroyed'
  suspended_by: string | null
  billing_status: string | null
  status: string
  health_status: string | null
  host_server: string | null
  serving_generation: number | null
  endpoint_host: string | null
  endpoint_port: number | null
  failed_generation: number | null
  restarts_seen: number
  restart_times: Date[]
  /** Seconds since the rollout or repair began, by the database's clock: clocks of processes may differ. */
  transient_seconds: number | null
  /** Attempts at the present step that failed for a cause that may pass. */
  attempts: number
  /** The deploy log has a pending entry. */
  is_open: boolean
}

/** What an observed instance contributes to the decision. */
export interface Instance {
  generation: number
  phase: 'waiting' | 'running' | 'restarting' | 'exited' | 'failed' | 'unknown'
  restarts: number
  oom_killed: boolean
  reason: string | null
  /** Of the health check of its image; absent where it has none. */
  health?: 'starting' | 'healthy' | 'unhealthy' | undefined
  endpoint: Port | null
  /** It runs without its network or its published port: somebody took them away. */
  is_cut_off?: boolean | undefined
}

/** What this worker observed of a deployment since it claimed it. Durations are measured by its own monotonic clock. */
export interface History {
  /** The generation whose `ensure` the engine accepted last. */
  ensured: number | undefined
  /** Seconds that each generation has been up since its last `ensure`. */
  up_seconds: ReadonlyMap<number, number>
  /** Seconds that each other generation has existed beside the serving one. */
  beside_seconds: ReadonlyMap<number, number>
  /** The generation that was last killed for exceeding its memory limit. */
  oom: number | undefined
  /** Starts that the engine accepted and then failed to carry out. */
  failed_starts: number
}

export const no_history: History = {
  ensured: undefined,
  up_seconds: new Map(),
  beside_seconds: new Map(),
  oom: undefined,
  failed_starts: 0,
}

/** Why a generation failed for good. */
export type FinalCause =
  | 'image_not_found'
  | 'registry_auth_failed'
  | 'crash_loop'
  | 'oom_killed'
  | 'start_timeout'
  | 'start_failed'
  | 'refused'
  | 'isolation'

/** The `health_status` of causes that D-56 has no name for; the deploy log has the exact cause. */
export const shown_health: Partial<Record<FinalCause, FinalCause>> = {
  start_failed: 'crash_loop',
  refused: 'start_timeout',
  isolation: 'start_timeout',
}

export type StartReason = 'rollout' | 'missing' | 'stopped' | 'waiting' | 'cut_off'

export type Step =
  /** The observed state is the desired one. */
  | { do: 'nothing' }
  | { do: 'wait'; seconds: number }
  /** Choose a host. */
  | { do: 'place' }
  /** Remove its route; nothing serves afterwards. */
  | { do: 'unroute' }
  /** Remove the instance of one generation, or all. */
  | { do: 'remove'; generation?: number }
  /** Stop an instance and keep its file system and output. */
  | { do: 'stop'; generation: number }
  /** Have the engine run a generation. */
  | { do: 'start'; generation: number; why: StartReason }
  /** Check the port; once it answers, route requests to this generation. */
  | { do: 'probe'; generation: number; endpoint: Port }
  /** Save where the serving generation answers now; null while it restarts. */
  | { do: 'update_endpoint'; endpoint: Port | null; health: string | null }
  /** Save restarts that the engine counted. */
  | { do: 'count_restarts'; restarts_seen: number; restart_times: Date[] }
  /** Try a start that the engine failed to carry out again, after a delay. */
  | { do: 'retry'; message: string }
  /** Give the generation up. */
  | { do: 'fail'; generation: number; cause: FinalCause; message: string }
  /** Save that the desired state is reached, and complete the log entries. */
  | { do: 'complete'; status: 'stopped' | 'destroyed' }

const nothing: Step = { do: 'nothing' }

export interface PlanContext {
  now: Date
  history: History
  timing: Timing
}

/** The generation that should run. After a final failure the one that still serves, or null. */
const targetGeneration = (row: Pick<PlanInput, 'generation' | 'failed_generation' | 'serving_generation'>) =>
  row.failed_generation === row.generation ? row.serving_generation : row.generation

/** The next step of a deployment, from its row and what its host runs of it: the table above. */
export function nextStep(row: PlanInput, observed: readonly Instance[], context: PlanContext): Step {
  if (row.status === 'destroyed') return nothing
  // An instance in phase `unknown` may be healthy, and the engine refuses work on it.
  if (observed.some(({ phase }) => phase === 'unknown')) return nothing
  if (row.desired === 'destroyed') return planDestroy(row, observed)
  if (isAwaitingPayment(row)) return nothing
  const target = targetGeneration(row)
  if (row.desired === 'stopped' || row.suspended_by !== null || target === null) return planStop(row, observed)
  if (row.host_server === null) return { do: 'place' }
  const step =
    row.serving_generation === target
      ? planServing(row, target, observed, context)
      : planRollout(row, target, observed, context)
  const is_idle = step.do === 'nothing' || step.do === 'wait'
  // A start that failed may need what drained generations still occupy, such as an address of the app's network.
  const is_short = step.do === 'start' && row.attempts > 0
  return is_idle || is_short ? (planSurplus(row, target, observed, context) ?? step) : step
}

/** An unpaid deployment stays pending (D-62), unless an admin suspended it. */
const isAwaitingPayment = ({ status, desired, suspended_by, billing_status }: PlanInput) =>
  status === 'pending' &&
  desired === 'running' &&
  (suspended_by === null || suspended_by === 'billing') &&
  billing_status === 'awaiting_payment'

const isRouted = ({ endpoint_host, serving_generation }: PlanInput) =>
  endpoint_host !== null || serving_generation !== null

function planDestroy(row: PlanInput, observed: readonly Instance[]): Step {
  if (isRouted(row)) return { do: 'unroute' }
  if (observed.length > 0) return { do: 'remove' }
  return { do: 'complete', status: 'destroyed' }
}

/** Keeps the newest generation, stopped, with its file system and output. */
function planStop(row: PlanInput, observed: readonly Instance[]): Step {
  if (isRouted(row)) return { do: 'unroute' }
  const [newest, ...older] = [...observed].sort((a, b) => b.generation - a.generation)
  const [oldest] = older.slice(-1)
  if (oldest) return { do: 'remove', generation: oldest.generation }
  if (newest?.phase === 'waiting') return { do: 'remove', generation: newest.generation }
  if (newest?.phase === 'running' || newest?.phase === 'restarting')
    return { do: 'stop', generation: newest.generation }
  return row.status === 'stopped' && !row.is_open ? nothing : { do: 'complete', status: 'stopped' }
}

function planRollout(row: PlanInput, target: number, observed: readonly Instance[], context: PlanContext): Step {
  const { timing, history } = context
  const instance = observed.find(({ generation }) => generation === target)
  if (isOverdue(row, timing))
    return failed(target, 'start_timeout', `It was not ready within ${timing.rollout_seconds} seconds.`)
  if (!instance || history.ensured !== target) return { do: 'start', generation: target, why: 'rollout' }
  return planFailure(row, instance, context) ?? planReadiness(instance, context)
}

const isOverdue = ({ transient_seconds }: PlanInput, { rollout_seconds }: Timing) =>
  transient_seconds !== null && transient_seconds > rollout_seconds

/** Of the time for a start, how much the first result of a health check is waited for. */
const starting_share = 0.75

/** The instance was started and its port has not answered yet. */
function planReadiness(instance: Instance, { history, timing }: PlanContext): Step {
  const { generation, phase, endpoint, health } = instance
  if (phase === 'exited') return { do: 'start', generation, why: 'stopped' }
  if (instance.is_cut_off) return { do: 'start', generation, why: 'cut_off' }
  const { start_seconds } = timing
  const up_seconds = history.ensured === generation ? (history.up_seconds.get(generation) ?? 0) : 0
  if (up_seconds > start_seconds)
    return health === 'unhealthy'
      ? failed(generation, 'start_timeout', `The health check of its image failed for ${start_seconds} seconds.`)
      : failed(generation, 'start_timeout', `Its port did not answer within ${start_seconds} seconds.`)
  // A check whose interval is long has no result yet: then the port decides.
  const is_unproved = health === 'unhealthy' || (health === 'starting' && up_seconds < start_seconds * starting_share)
  if (phase === 'running' && endpoint && !is_unproved) return { do: 'probe', generation, endpoint }
  return { do: 'wait', seconds: phase === 'waiting' ? 2 : 0.25 }
}

/** The target generation has served before: repair what differs. */
function planServing(row: PlanInput, target: number, observed: readonly Instance[], context: PlanContext): Step {
  const instance = observed.find(({ generation }) => generation === target)
  if (isOverdue(row, context.timing))
    return failed(target, 'start_timeout', `It was not up again within ${context.timing.rollout_seconds} seconds.`)
  if (!instance) return { do: 'start', generation: target, why: 'missing' }
  const failure = planFailure(row, instance, context)
  if (failure) return failure
  if (instance.phase === 'exited') return { do: 'start', generation: target, why: 'stopped' }
  if (instance.is_cut_off) return { do: 'start', generation: target, why: 'cut_off' }
  if (instance.phase === 'waiting' && context.history.ensured !== target)
    return { do: 'start', generation: target, why: 'waiting' }
  if (row.status !== 'running') {
    const is_begun = context.history.ensured === target || row.endpoint_host !== null
    return is_begun ? planReadiness(instance, context) : { do: 'start', generation: target, why: 'waiting' }
  }
  const endpoint = instance.phase === 'running' ? instance.endpoint : null
  if (!isSameEndpoint(row, endpoint))
    return { do: 'update_endpoint', endpoint, health: endpoint ? row.health_status : 'restarting' }
  return nothing
}

/** Uncounted restarts, a crash loop, or a start that the engine failed to carry out; undefined otherwise. */
function planFailure(row: PlanInput, instance: Instance, { now, history, timing }: PlanContext): Step | undefined {
  const counted = countRestarts(row, instance.restarts, now, timing)
  if (counted) return { do: 'count_restarts', ...counted }
  const { generation } = instance
  if (recentRestarts(row.restart_times, now, timing).length >= timing.crash_restarts) {
    const times = `It ended ${timing.crash_restarts} times within ${timing.crash_window_seconds} seconds`
    return instance.oom_killed || history.oom === generation
      ? failed(generation, 'oom_killed', `${times}, killed for using more memory than its limit.`)
      : failed(generation, 'crash_loop', `${times}.`)
  }
  if (instance.phase !== 'failed') return undefined
  if (history.ensured !== generation) return { do: 'start', generation, why: 'stopped' }
  const message = instance.reason ?? 'The engine could not start it.'
  return history.failed_starts + 1 >= timing.start_failures
    ? failed(generation, 'start_failed', message)
    : { do: 'retry', message }
}

/** Removes generations that no request is routed to. One that has served drains first, for `drain_seconds`. */
function planSurplus(
  { serving_generation }: PlanInput,
  target: number,
  observed: readonly Instance[],
  { history, timing }: PlanContext,
): Step | undefined {
  const surplus = observed.filter(({ generation }) => generation !== target && generation !== serving_generation)
  const drain_seconds_left = surplus.map(({ generation, phase }) => {
    const may_serve = phase === 'running' && generation < (serving_generation ?? 0)
    return may_serve ? timing.drain_seconds - (history.beside_seconds.get(generation) ?? 0) : 0
  })
  const drained = surplus.find((_, index) => (drain_seconds_left[index] ?? 0) <= 0)
  if (drained) return { do: 'remove', generation: drained.generation }
  return drain_seconds_left.length > 0 && target === serving_generation
    ? { do: 'wait', seconds: Math.min(...drain_seconds_left) }
    : undefined
}

const failed = (generation: number, cause: FinalCause, message: string): Step => ({
  do: 'fail',
  generation,
  cause,
  message,
})

const isSameEndpoint = ({ endpoint_host, endpoint_port }: PlanInput, port: Port | null) =>
  endpoint_host === (port?.host ?? null) && endpoint_port === (port?.port ?? null)

/** Seconds before the next attempt: doubles from 1 to 60, with up to 20 % jitter. `random` is from 0 to 1. */
export const backoffSeconds = (attempts: number, random: number) =>
  Math.min(60, 2 ** Math.min(attempts, 10)) * (1 + random / 5)

/** The final failure that an engine error means for the workload; undefined for a transient one. */
export function finalCauseOf(fault: string): FinalCause | undefined {
  return fault === 'image_not_found' || fault === 'registry_auth_failed' || fault === 'refused' || fault === 'isolation'
    ? fault
    : undefined
}

/** Faults after which the state of the workload is unknown. */
export const isUnreachable = (fault: string) => fault === 'unreachable' || fault === 'timeout' || fault === 'too_old'

import type { Endpoint, Observed } from '../../containers.rules.ts'
import { countRestarts, recentRestarts } from './restarts.rules.ts'
import type { Timing } from '../timing.rules.ts'

/*
 * The state machine of a deployment and its instances (D-105). A deployment serves when one of its instances does. `nextStep` chooses the
 * goal by the first row that holds:
 *
 * | row                                                               | goal               | planned by  |
 * |-------------------------------------------------------------------|--------------------|-------------|
 * | status is destroyed                                               | none               |             |
 * | desired is destroyed                                              | destroyed          | planEnd     |
 * | pending and awaiting payment (D-62)                               | none               |             |
 * | desired is stopped, or suspended, or failed with nothing serving  | stopped            | planEnd     |
 * | the target generation does not serve yet                          | one instance tries | planRollout |
 * | the target generation serves                                      | all serve it       | planServed  |
 *
 * The steps of each goal in their order, and the status that they write; every other step leaves it:
 *
 * | goal      | steps                                                            | status              |
 * |-----------|------------------------------------------------------------------|---------------------|
 * | destroyed | unroute, remove, complete                                        | destroyed           |
 * | stopped   | unroute, remove and drop all instances but one, stop it, complete | stopped            |
 * |           | try_again, later, where a release that had served crashed        | deploying           |
 * | serving   | update_endpoint, where requests would go astray                  |                     |
 * |           | add, place, start; `deploying` where nothing else serves         | deploying           |
 * |           | probe, once the port answers                                     | running             |
 * |           | count_restarts, retry, remove (surplus), drop                    |                     |
 * |           | fail, where another instance or an older generation serves       | running             |
 * |           | fail, where none serves: the goal is stopped from then on, or    |                     |
 * |           | serving the release that served last, as a new generation        | deploying           |
 *
 * Instances are rolled one after the other: one that is on its way holds up the next, one that waits for its next attempt does not. One
 * whose host is away, or whose container is in phase `unknown`, gets no step. An instance on a lost or retired host loses its host: see
 * hosts.store.ts. plan.goals.test.ts asserts the table over all states.
 */

/** The row of an instance. Seconds are measured by the database's clock, because clocks of processes may differ. */
export interface InstanceRow {
  number: number
  host_server: string | null
  /** The last attempted generation. `attempts`, restarts, `starting_seconds` and `due_seconds` belong to it. */
  generation: number | null
  /** The generation that gets requests, or got them last. */
  serving_generation: number | null
  endpoint_host: string | null
  endpoint_port: number | null
  health_status: string | null
  /** Null until the engine's count is observed. */
  restarts_seen: number | null
  restart_times: string[]
  /** Consecutive failed attempts. */
  attempts: number
  /** The reason why the last attempt failed, after its fault and a colon. Belongs to `generation` if `attempts` is not 0. */
  last_error: string | null
  /** The time since requests were routed elsewhere. */
  switched_seconds: number | null
  /** The time since its rollout or repair began. */
  starting_seconds: number | null
  /** The time until the next attempt; due if not positive. */
  due_seconds: number
}

/** The columns of a deployment that determine its next step. */
export interface PlanInput {
  generation: number
  desired: 'running' | 'stopped' | 'destroyed'
  suspended_by: string | null
  billing_status: string | null
  status: string
  serving_generation: number | null
  failed_generation: number | null
  /** The time until the retry of a release that served and then failed; null if it is not retried automatically. */
  retry_seconds: number | null
  /** The desired number of instances. */
  replicas: number
  /** The deploy log has a pending entry. */
  is_open: boolean
  instances: InstanceRow[]
}

/** The fields of an observed container that determine the next step. */
export type Container = Pick<
  Observed,
  'generation' | 'phase' | 'restarts' | 'oom_killed' | 'reason' | 'health' | 'endpoint' | 'is_cut_off'
>

/** The observations of an instance since this worker claimed the deployment. Durations are measured by the worker's monotonic clock. */
export interface History {
  /** The generation whose `ensure` the engine accepted last. */
  ensured: number | undefined
  /** Seconds that each generation has been up since its last `ensure`. */
  up_seconds: ReadonlyMap<number, number>
  /** The generation that was last killed for exceeding its memory limit. */
  oom: number | undefined
  /** Starts that the engine accepted but did not carry out. */
  failed_starts: number
}

export const no_history: History = { ensured: undefined, up_seconds: new Map(), oom: undefined, failed_starts: 0 }

/** The cause of a final failure. */
export type FinalCause =
  | 'image_not_found'
  | 'registry_auth_failed'
  | 'crash_loop'
  | 'oom_killed'
  | 'start_timeout'
  | 'start_failed'
  | 'refused'
  | 'isolation'

/** The `health_status` for causes that D-56 does not name. The deploy log has the exact cause. */
export const shown_health: Partial<Record<FinalCause, FinalCause>> = {
  start_failed: 'crash_loop',
  refused: 'start_timeout',
  isolation: 'start_timeout',
}

/** The causes after which a release that served is retried: its crash may have an external reason. */
export const retried_causes: readonly FinalCause[] = ['crash_loop', 'oom_killed', 'start_timeout', 'start_failed']

export type StartReason = 'rollout' | 'missing' | 'stopped' | 'waiting' | 'cut_off'

/** A step of one instance. */
export type InstanceStep = { number: number } & (
  | /** Choose a host. */ { do: 'place' }
  /** Remove the container of one generation, or all. */
  | { do: 'remove'; generation?: number }
  /** Stop a container and keep its file system and output. */
  | { do: 'stop'; generation: number }
  /** Have the engine run a generation. */
  | { do: 'start'; generation: number; why: StartReason }
  /** Check the port; once it answers, route requests to this generation. */
  | { do: 'probe'; generation: number; endpoint: Endpoint }
  /** Save the current address of the serving generation; null: requests are not routed to it. */
  | { do: 'update_endpoint'; endpoint: Endpoint | null; health: string | null }
  /** Save restarts that the engine counted. */
  | { do: 'count_restarts'; restarts_seen: number; restart_times: string[] }
  /** Retry, after a delay, a start that the engine did not carry out. */
  | { do: 'retry'; generation: number; message: string }
  /** Give up the generation: the release fails, or if others serve, the instance is retried later. */
  | { do: 'fail'; generation: number; cause: FinalCause; message: string }
  /** Delete an instance of which no container is left. */
  | { do: 'drop' }
  /** Wait for its host, which does not answer. */
  | { do: 'await_host' }
)

export type Step =
  | InstanceStep
  /** The observed state is the desired one. */
  | { do: 'nothing' }
  /** `holds_up`: an instance is starting, and the next one waits for it. */
  | { do: 'wait'; seconds: number; holds_up?: true }
  /** Create the rows of missing instances. */
  | { do: 'add'; numbers: number[] }
  /** Remove all routes. Nothing serves afterwards. */
  | { do: 'unroute' }
  /** Retry a failed release that served before. */
  | { do: 'try_again' }
  /** Save that the desired state is reached, and complete the log entries. */
  | { do: 'complete'; status: 'stopped' | 'destroyed' }

const nothing: Step = { do: 'nothing' }
const wait = (seconds: number): Step => ({ do: 'wait', seconds })

export interface PlanContext {
  now: Date
  timing: Timing
  /** The containers of an instance on its host; undefined while the host does not answer. */
  observe(instance: InstanceRow): readonly Container[] | undefined
  historyOf(number: number): History
}

/** The generation that should run. After a final failure, the one that still serves, or null. */
export const targetOf = (row: Pick<PlanInput, 'generation' | 'failed_generation' | 'serving_generation'>) =>
  row.failed_generation === row.generation ? row.serving_generation : row.generation

export const isRouted = ({ endpoint_host }: Pick<InstanceRow, 'endpoint_host'>) => endpoint_host !== null

/** The next step of a deployment by the table above, from its row, its instances and their observed containers. */
export function nextStep(row: PlanInput, context: PlanContext): Step {
  if (row.status === 'destroyed') return nothing
  if (row.desired === 'destroyed') return planEnd(row, 'destroyed', context)
  if (isAwaitingPayment(row)) return nothing
  const target = targetOf(row)
  if (row.desired === 'stopped' || row.suspended_by !== null) return planEnd(row, 'stopped', context)
  if (target === null) {
    const step = planEnd(row, 'stopped', context)
    if (step.do !== 'nothing' || row.retry_seconds === null) return step
    return row.retry_seconds > 0 ? wait(row.retry_seconds) : { do: 'try_again' }
  }
  return row.serving_generation === target ? planServed(row, target, context) : planRollout(row, target, context)
}

/** An unpaid deployment stays pending (D-62), unless an admin suspended it. */
const isAwaitingPayment = ({ status, desired, suspended_by, billing_status }: PlanInput) =>
  status === 'pending' &&
  desired === 'running' &&
  (suspended_by === null || suspended_by === 'billing') &&
  billing_status === 'awaiting_payment'

/** Ends all instances. A stopped deployment keeps one, with the file system and output of its newest generation. */
function planEnd(row: PlanInput, status: 'stopped' | 'destroyed', { observe }: PlanContext): Step {
  if (row.serving_generation !== null || row.instances.some(isRouted)) return { do: 'unroute' }
  const kept = status === 'stopped' ? row.instances[0] : undefined
  let held_up: Step | undefined
  for (const instance of row.instances) {
    const { number } = instance
    const containers = instance.host_server === null ? [] : observe(instance)
    if (!containers) held_up ??= { do: 'await_host', number }
    else if (containers.some(({ phase }) => phase === 'unknown')) held_up ??= nothing
    else if (instance === kept) {
      const step = planKept(number, containers)
      if (step) return step
    } else if (containers.length > 0) return { do: 'remove', number }
    else if (status === 'stopped') return { do: 'drop', number }
  }
  if (held_up) return held_up
  return row.status === status && !row.is_open ? nothing : { do: 'complete', status }
}

/** Keeps the newest generation, stopped. */
function planKept(number: number, containers: readonly Container[]): Step | undefined {
  const [newest, ...older] = [...containers].sort((a, b) => b.generation - a.generation)
  const [oldest] = older.slice(-1)
  if (oldest) return { do: 'remove', number, generation: oldest.generation }
  if (newest?.phase === 'waiting') return { do: 'remove', number, generation: newest.generation }
  const is_up = newest?.phase === 'running' || newest?.phase === 'restarting'
  return is_up ? { do: 'stop', number, generation: newest.generation } : undefined
}

/** The target does not serve yet. One instance tries it, preferably one that serves nothing. The others do not change. */
function planRollout(row: PlanInput, target: number, context: PlanContext): Step {
  const { instances } = row
  if (instances.length === 0) return { do: 'add', numbers: [1] }
  const rank = (instance: InstanceRow) => (instance.generation === target ? 0 : isRouted(instance) ? 2 : 1)
  const [trial = instances[0]!] = instances
    .filter((instance) => instance.host_server === null || context.observe(instance) !== undefined)
    .sort((a, b) => rank(a) - rank(b) || a.number - b.number)
  for (const instance of instances) {
    const step = planRoute(instance, context) ?? (instance === trial ? undefined : planRejoin(row, instance, context))
    if (step) return step
  }
  return planInstance(row, trial, target, context)
}

/** The target serves: each instance follows, and surplus ones end. */
function planServed(row: PlanInput, target: number, context: PlanContext): Step {
  const missing = missingNumbers(row)
  if (missing.length > 0) return { do: 'add', numbers: missing }
  const wanted = wantedInstances(row, target)
  for (const instance of wanted) {
    const step = planRoute(instance, context)
    if (step) return step
  }
  let seconds = Infinity
  let away: InstanceRow | undefined
  for (const instance of row.instances) {
    const step = wanted.has(instance) ? planInstance(row, instance, target, context) : planRemoval(instance, context)
    if (step.do === 'await_host') away ??= instance
    else if (step.do === 'wait' && !step.holds_up) seconds = Math.min(seconds, step.seconds)
    else if (step.do !== 'nothing') return step
  }
  if (away && !row.instances.some((instance) => instance !== away && isRouted(instance)))
    return { do: 'await_host', number: away.number }
  return seconds === Infinity ? nothing : wait(seconds)
}

/** The lowest free numbers for missing instances. */
function missingNumbers({ replicas, instances }: PlanInput) {
  const taken = new Set(instances.map(({ number }) => number))
  const free = Array.from({ length: replicas + instances.length }, (_, at) => at + 1).filter((each) => !taken.has(each))
  return free.slice(0, Math.max(0, replicas - instances.length))
}

/** The instances to keep. Instances that serve the target come first, then those that serve another generation, then low numbers. */
function wantedInstances({ replicas, instances }: PlanInput, target: number) {
  const rank = (each: InstanceRow) => (!isRouted(each) ? 2 : each.serving_generation === target ? 0 : 1)
  const sorted = [...instances].sort((a, b) => rank(a) - rank(b) || a.number - b.number)
  return new Set(sorted.slice(0, replicas))
}

const attemptsAt = ({ generation, attempts }: InstanceRow, goal: number) => (generation === goal ? attempts : 0)
const startingAt = ({ generation, starting_seconds }: InstanceRow, goal: number | null) =>
  generation === goal ? starting_seconds : null

/** The next step of one instance towards a generation. */
function planInstance(row: PlanInput, instance: InstanceRow, goal: number, context: PlanContext): Step {
  const { number } = instance
  const due_seconds = instance.generation === goal ? instance.due_seconds : 0
  if (due_seconds > 0) return wait(due_seconds)
  if (instance.host_server === null) return { do: 'place', number }
  const containers = context.observe(instance)
  if (!containers) return { do: 'await_host', number }
  // A container in phase `unknown` may be healthy, and the engine refuses calls on it.
  if (containers.some(({ phase }) => phase === 'unknown')) return nothing
  const step =
    instance.serving_generation === goal
      ? planServing(row, instance, containers, context)
      : planStarting(instance, goal, containers, context)
  const is_idle = step.do === 'nothing' || step.do === 'wait'
  // A failed start may need a resource that drained generations still occupy, such as an address of the app's network.
  const is_short = step.do === 'start' && attemptsAt(instance, goal) > 0
  return is_idle || is_short ? (planSurplus(instance, goal, containers, context) ?? step) : step
}

/** The step if the container of a route has ended, has another address, or is back; undefined if the route is correct. */
export function planRoute(instance: InstanceRow, { observe }: Pick<PlanContext, 'observe'>): Step | undefined {
  const { number, serving_generation, endpoint_host, endpoint_port } = instance
  if (serving_generation === null || instance.host_server === null) return undefined
  const containers = observe(instance)
  if (!containers || containers.some(({ phase }) => phase === 'unknown')) return undefined
  const serving = containers.find(({ generation }) => generation === serving_generation)
  const endpoint = serving?.phase === 'running' && !serving.is_cut_off ? serving.endpoint : null
  if (endpoint_host === (endpoint?.host ?? null) && endpoint_port === (endpoint?.port ?? null)) return undefined
  // The port of a restarted container must answer first.
  if (endpoint_host === null && startingAt(instance, serving_generation) !== null) return undefined
  return { do: 'update_endpoint', number, endpoint, health: endpoint ? instance.health_status : 'restarting' }
}

/** During a rollout on another instance, probes an instance under repair until it serves its generation again. */
function planRejoin(row: PlanInput, instance: InstanceRow, context: PlanContext): Step | undefined {
  const { serving_generation } = instance
  if (isRouted(instance) || serving_generation === null || startingAt(instance, serving_generation) === null)
    return undefined
  const step = planInstance(row, instance, serving_generation, context)
  return step.do === 'probe' ? step : undefined
}

/** The instance has not served the goal yet. */
function planStarting(
  instance: InstanceRow,
  goal: number,
  containers: readonly Container[],
  context: PlanContext,
): Step {
  const { number } = instance
  const { timing } = context
  const container = containers.find(({ generation }) => generation === goal)
  if (isOverdue(instance, goal, timing))
    return failed(number, goal, 'start_timeout', `It was not ready within ${timing.rollout_seconds} seconds.`)
  if (!container || context.historyOf(number).ensured !== goal)
    return { do: 'start', number, generation: goal, why: 'rollout' }
  return planFailure(instance, container, context) ?? planReadiness(number, container, context)
}

const isOverdue = (instance: InstanceRow, goal: number, { rollout_seconds }: Timing) =>
  (startingAt(instance, goal) ?? 0) > rollout_seconds

/** The share of the start timeout for which the first result of a health check is awaited. */
const starting_share = 0.75

/** The container was started and its port has not answered yet. */
function planReadiness(number: number, container: Container, { timing, historyOf }: PlanContext): Step {
  const { generation, phase, endpoint, health } = container
  const history = historyOf(number)
  if (phase === 'exited') return { do: 'start', number, generation, why: 'stopped' }
  if (container.is_cut_off) return { do: 'start', number, generation, why: 'cut_off' }
  const { start_seconds } = timing
  const up_seconds = history.ensured === generation ? (history.up_seconds.get(generation) ?? 0) : 0
  if (up_seconds > start_seconds)
    return health === 'unhealthy'
      ? failed(
          number,
          generation,
          'start_timeout',
          `The health check of its image failed for ${start_seconds} seconds.`,
        )
      : failed(number, generation, 'start_timeout', `Its port did not answer within ${start_seconds} seconds.`)
  // A check with a long interval has no result yet: then the port decides.
  const is_unproved = health === 'unhealthy' || (health === 'starting' && up_seconds < start_seconds * starting_share)
  if (phase === 'running' && endpoint && !is_unproved) return { do: 'probe', number, generation, endpoint }
  return { do: 'wait', seconds: phase === 'waiting' ? 2 : 0.25, holds_up: true }
}

/** The reason why a container that served must be started again; undefined if it runs or the engine restarts it. */
export function repairOf(container: Container | undefined): StartReason | undefined {
  if (!container) return 'missing'
  if (container.phase === 'exited') return 'stopped'
  if (container.is_cut_off) return 'cut_off'
  return container.phase === 'waiting' ? 'waiting' : undefined
}

/** The instance served the goal before: repairs any difference. */
function planServing(
  row: PlanInput,
  instance: InstanceRow,
  containers: readonly Container[],
  context: PlanContext,
): Step {
  const { number } = instance
  const goal = instance.serving_generation!
  const { rollout_seconds } = context.timing
  if (isOverdue(instance, goal, context.timing))
    return failed(number, goal, 'start_timeout', `It was not up again within ${rollout_seconds} seconds.`)
  const container = containers.find(({ generation }) => generation === goal)
  if (!container) return { do: 'start', number, generation: goal, why: 'missing' }
  const failure = planFailure(instance, container, context)
  if (failure) return failure
  const why = repairOf(container)
  const is_ensured = context.historyOf(number).ensured === goal
  if (why && !(why === 'waiting' && is_ensured)) return { do: 'start', number, generation: goal, why }
  if (row.status === 'running' && (isRouted(instance) || startingAt(instance, goal) === null)) return nothing
  return is_ensured || isRouted(instance)
    ? planReadiness(number, container, context)
    : { do: 'start', number, generation: goal, why: 'waiting' }
}

/** Uncounted restarts, a crash loop, or a start that the engine failed to carry out; undefined otherwise. */
function planFailure(
  instance: InstanceRow,
  container: Container,
  { now, timing, historyOf }: PlanContext,
): Step | undefined {
  const { number } = instance
  const { generation } = container
  const history = historyOf(number)
  const counted = countRestarts(instance, container.restarts, now, timing)
  if (counted) return { do: 'count_restarts', number, ...counted }
  if (recentRestarts(instance.restart_times, now, timing).length >= timing.crash_restarts) {
    const times = `It ended ${timing.crash_restarts} times within ${timing.crash_window_seconds} seconds`
    return container.oom_killed || history.oom === generation
      ? failed(number, generation, 'oom_killed', `${times}, killed for using more memory than its limit.`)
      : failed(number, generation, 'crash_loop', `${times}.`)
  }
  if (container.phase !== 'failed') return undefined
  if (history.ensured !== generation) return { do: 'start', number, generation, why: 'stopped' }
  const message = container.reason ?? 'The engine could not start it.'
  return history.failed_starts + 1 >= timing.start_failures
    ? failed(number, generation, 'start_failed', message)
    : { do: 'retry', number, generation, message }
}

/** Removes generations that get no requests. A generation that served drains for `drain_seconds` first. */
function planSurplus(
  { number, serving_generation, switched_seconds }: InstanceRow,
  goal: number,
  containers: readonly Container[],
  { timing }: PlanContext,
): Step | undefined {
  const surplus = containers.filter(({ generation }) => generation !== goal && generation !== serving_generation)
  const drain_seconds_left = timing.drain_seconds - (switched_seconds ?? Infinity)
  const mayServe = ({ phase, generation }: Container) => phase === 'running' && generation < (serving_generation ?? 0)
  const drained = surplus.find((container) => drain_seconds_left <= 0 || !mayServe(container))
  if (drained) return { do: 'remove', number, generation: drained.generation }
  return surplus.length > 0 && goal === serving_generation ? wait(drain_seconds_left) : undefined
}

/** Ends a surplus instance once it has drained. */
function planRemoval(instance: InstanceRow, { timing, observe }: PlanContext): Step {
  const { number, host_server, switched_seconds, due_seconds } = instance
  if (isRouted(instance)) return { do: 'update_endpoint', number, endpoint: null, health: null }
  if (host_server === null) return { do: 'drop', number }
  const containers = observe(instance)
  if (!containers) return nothing
  if (containers.length === 0) return { do: 'drop', number }
  const seconds = Math.max(due_seconds, timing.drain_seconds - (switched_seconds ?? Infinity))
  return seconds > 0 ? wait(seconds) : { do: 'remove', number }
}

const failed = (number: number, generation: number, cause: FinalCause, message: string): Step => ({
  do: 'fail',
  number,
  generation,
  cause,
  message,
})

/** The delay in seconds before the next attempt: doubles from 1 to 60, with up to 20 % jitter. `random` is from 0 to 1. */
export const backoffSeconds = (attempts: number, random: number) =>
  Math.min(60, 2 ** Math.min(attempts, 10)) * (1 + random / 5)

/** A release that served for this long ends its series of failed attempts. */
export const held_seconds = 600

/** The delay in seconds before a crashed release is retried: doubles from 10 to 300. */
export const crashBackoffSeconds = (attempts: number) => Math.min(300, 10 * 2 ** Math.min(attempts, 10))

/** The final failure of the workload that an engine error indicates; undefined for a transient error. */
export function finalCauseOf(fault: string): FinalCause | undefined {
  return fault === 'image_not_found' || fault === 'registry_auth_failed' || fault === 'refused' || fault === 'isolation'
    ? fault
    : undefined
}

/** True for faults after which the state of the workload is unknown. */
export const isUnreachable = (fault: string) => fault === 'unreachable' || fault === 'timeout' || fault === 'too_old'

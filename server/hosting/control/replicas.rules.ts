import { backoffSeconds, type Instance, type PlanInput, type Port } from './plan.rules.ts'
import type { Timing } from './timing.rules.ts'

/*
 * The replicas of a deployment besides the leading one (D-105). The leading one is the deployment's own row: it decides what is
 * rolled out and whether that failed. The others, its followers, run what it serves. `nextReplicaStep` chooses for each, by the
 * first row that holds:
 *
 * | follower and observation                                   | steps                                        |
 * |------------------------------------------------------------|----------------------------------------------|
 * | the deployment should not run, or nothing of it serves     | unroute, remove, drop                        |
 * | there are more than wanted                                 | unroute, remove once drained, drop           |
 * | an instance is in phase unknown, or its host is away       | none                                         |
 * | its next attempt is not due                                | none but for what requests depend on: detach |
 * | no host                                                    | place, apart from the others where possible  |
 * | another generation is being rolled out on the leading one  | attach or detach what it serves              |
 * | it does not serve what the leading one serves              | start, attach once the port answers          |
 * | it serves that                                             | start or attach again; remove older ones     |
 *
 * They are rolled one after the other: one that is on its way holds up the next, one that waits for its next attempt does not.
 */

/** A follower, as its row is. Seconds are by the database's clock. */
export interface Follower {
  number: number
  host_server: string | null
  serving_generation: number | null
  endpoint_host: string | null
  endpoint_port: number | null
  health_status: string | null
  attempts: number
  switched_seconds: number | null
  transient_seconds: number | null
  /** Until the next attempt; not positive: due. */
  due_seconds: number
}

/** What a deployment's replicas depend on. */
export interface ReplicaInput extends PlanInput {
  replicas: number
  leading_replica: number
  followers: Follower[]
}

export type ReplicaStep =
  | { do: 'nothing' }
  | { do: 'wait'; seconds: number }
  /** Adds rows for followers that are missing. */
  | { do: 'add'; numbers: number[] }
  | { do: 'place'; number: number }
  | { do: 'start'; number: number; generation: number }
  /** Check the port; once it answers, route requests to it. */
  | { do: 'attach'; number: number; generation: number; endpoint: Port }
  /** Route no request to it, and say why. */
  | { do: 'detach'; number: number; health: string | null }
  /** Start over later: it does not come up. Its instance is removed. */
  | { do: 'retry'; number: number; generation: number; health: string; message: string }
  | { do: 'remove'; number: number; generation?: number }
  /** Forget a follower of which nothing is left. */
  | { do: 'drop'; number: number }

const nothing: ReplicaStep = { do: 'nothing' }

export interface ReplicaContext {
  timing: Timing
  /** What the follower's host runs of it; undefined while the host does not answer. */
  observe(follower: Follower): readonly Instance[] | undefined
  /** The generation whose `ensure` the engine accepted from this process lately. */
  ensured(number: number): number | undefined
}

/** The numbers of the followers that a deployment should have: the lowest ones besides the leading one. */
export function wantedFollowers({ replicas, leading_replica }: Pick<ReplicaInput, 'replicas' | 'leading_replica'>) {
  const numbers = Array.from({ length: replicas }, (_, index) => index + 1)
  return numbers.filter((number) => number !== leading_replica).slice(0, replicas - 1)
}

/** Whether followers should be there at all: not while nothing of the deployment serves, stopped or failed for good. */
const isWanted = ({ desired, suspended_by, status, generation, failed_generation, serving_generation }: ReplicaInput) =>
  desired === 'running' &&
  suspended_by === null &&
  status !== 'destroyed' &&
  !(failed_generation === generation && serving_generation === null)

/** The next step of a deployment's followers: the table above. */
export function nextReplicaStep(row: ReplicaInput, context: ReplicaContext): ReplicaStep {
  const is_wanted = isWanted(row)
  const wanted = is_wanted ? wantedFollowers(row) : []
  const known = new Set(row.followers.map(({ number }) => number))
  const missing = wanted.filter((number) => !known.has(number))
  if (missing.length > 0 && row.serving_generation !== null) return { do: 'add', numbers: missing }
  let seconds = Infinity
  for (const follower of row.followers) {
    const step = wanted.includes(follower.number)
      ? planFollower(row, follower, context)
      : planRemoval(follower, { drains: is_wanted }, context)
    if (step.do === 'wait' && step.seconds > 1) seconds = Math.min(seconds, step.seconds)
    else if (step.do !== 'nothing') return step
  }
  return seconds === Infinity ? nothing : { do: 'wait', seconds }
}

const isAttached = ({ endpoint_host }: Follower) => endpoint_host !== null
/** Until its next attempt; longer than what holds up the others. */
const untilDue = ({ due_seconds }: Follower): ReplicaStep => ({ do: 'wait', seconds: Math.max(1.1, due_seconds) })

function planRemoval(follower: Follower, { drains }: { drains: boolean }, context: ReplicaContext): ReplicaStep {
  const { number, host_server, switched_seconds, due_seconds } = follower
  if (isAttached(follower)) return { do: 'detach', number, health: null }
  if (host_server === null) return { do: 'drop', number }
  const instances = context.observe(follower)
  if (due_seconds > 0 || !instances) return untilDue(follower)
  if (instances.length === 0) return { do: 'drop', number }
  const drain_left = drains ? context.timing.drain_seconds - (switched_seconds ?? Infinity) : 0
  return drain_left > 0 ? { do: 'wait', seconds: Math.max(1.1, drain_left) } : { do: 'remove', number }
}

function planFollower(row: ReplicaInput, follower: Follower, context: ReplicaContext): ReplicaStep {
  const { number, host_server, due_seconds } = follower
  if (host_server === null) return due_seconds > 0 ? untilDue(follower) : { do: 'place', number }
  const instances = context.observe(follower)
  if (!instances || instances.some(({ phase }) => phase === 'unknown')) return nothing
  const lost = planLostRoute(follower, instances)
  if (lost) return lost
  const is_settled = row.serving_generation === targetOf(row)
  const target = is_settled ? row.serving_generation : follower.serving_generation
  if (target === null) return nothing
  const instance = instances.find(({ generation }) => generation === target)
  const attach = instance && planAttach(follower, instance)
  if (attach) return due_seconds > 0 ? untilDue(follower) : attach
  // What it runs is being replaced: it is started with what comes.
  if (!is_settled) return nothing
  if (follower.serving_generation === target && isAttached(follower))
    return planDrained(follower, target, instances, context)
  return due_seconds > 0 ? untilDue(follower) : planStart(follower, target, instance, context)
}

/** The generation that should serve: after a final failure the one that still does. */
const targetOf = ({ generation, failed_generation, serving_generation }: ReplicaInput) =>
  failed_generation === generation ? serving_generation : generation

/** The instance that requests are routed to has ended, or answers elsewhere by now. */
function planLostRoute(follower: Follower, instances: readonly Instance[]): ReplicaStep | undefined {
  const { number, serving_generation, endpoint_host, endpoint_port } = follower
  if (endpoint_host === null) return undefined
  const serving = instances.find(({ generation }) => generation === serving_generation)
  const endpoint = serving?.phase === 'running' ? serving.endpoint : null
  const is_same = endpoint?.host === endpoint_host && endpoint.port === endpoint_port
  return is_same ? undefined : { do: 'detach', number, health: 'restarting' }
}

/** An instance of the right generation runs, and requests are not routed to it yet. */
function planAttach(follower: Follower, { generation, phase, endpoint }: Instance): ReplicaStep | undefined {
  const is_attached = isAttached(follower) && follower.serving_generation === generation
  if (is_attached || phase !== 'running' || !endpoint) return undefined
  return { do: 'attach', number: follower.number, generation, endpoint }
}

/** The follower serves: instances of other generations are removed once they have drained. */
function planDrained(
  { number, switched_seconds }: Follower,
  target: number,
  instances: readonly Instance[],
  { timing }: ReplicaContext,
): ReplicaStep {
  const other = instances.find(({ generation }) => generation !== target)
  if (!other) return nothing
  const left = timing.drain_seconds - (switched_seconds ?? Infinity)
  return left > 0
    ? { do: 'wait', seconds: Math.max(1.1, left) }
    : { do: 'remove', number, generation: other.generation }
}

/** It should serve, and its instance is missing, ended, or not up yet. */
function planStart(
  { number, transient_seconds }: Follower,
  generation: number,
  instance: Instance | undefined,
  { timing, ensured }: ReplicaContext,
): ReplicaStep {
  const is_ensured = ensured(number) === generation
  const over = (seconds: number) => transient_seconds !== null && transient_seconds > seconds
  if (instance?.phase === 'restarting' && over(timing.start_seconds)) {
    const message = 'It ends again and again.'
    return { do: 'retry', number, generation, health: instance.oom_killed ? 'oom_killed' : 'crash_loop', message }
  }
  if (instance?.phase === 'failed' && is_ensured) {
    const message = instance.reason ?? 'The engine could not start it.'
    return { do: 'retry', number, generation, health: 'crash_loop', message }
  }
  if (instance?.phase === 'waiting' && is_ensured && over(timing.rollout_seconds))
    return { do: 'retry', number, generation, health: 'start_timeout', message: instance.reason ?? 'It did not start.' }
  return instance && is_ensured ? { do: 'wait', seconds: 0.5 } : { do: 'start', number, generation }
}

/** A follower that can lead: requests are routed to it, and it runs what the deployment serves. */
export const findSuccessor = ({ followers, serving_generation }: ReplicaInput) =>
  followers.find(
    (follower) =>
      isAttached(follower) &&
      follower.serving_generation === serving_generation &&
      follower.host_server !== null &&
      follower.health_status === 'healthy',
  )

/** Seconds until the next attempt of a follower. */
export const followerBackoff = ({ attempts }: Pick<Follower, 'attempts'>, random: number) =>
  backoffSeconds(attempts + 1, random)

import type { Timing } from './timing.rules.ts'

export interface Port {
  host: string
  port: number
}

/** What of a deployment's row decides about the next step. */
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
  /** How long it has been on its way, by the database's clock: those of processes need not agree. */
  transient_seconds: number | null
  /** An entry of the log waits for its result. */
  is_open: boolean
}

/** What of an observed instance decides. */
export interface Instance {
  generation: number
  phase: 'waiting' | 'running' | 'restarting' | 'exited' | 'failed' | 'unknown'
  restarts: number
  oom_killed: boolean
  reason: string | null
  endpoint: Port | null
}

/** What a worker remembers of one deployment while it works on it; spans are its own, so no clock needs to agree. */
export interface History {
  /** The generation that was handed to the engine and accepted. */
  ensured: number | undefined
  /** How long each generation was seen to be up since it was handed to the engine last. */
  up_seconds: ReadonlyMap<number, number>
  /** How long another generation was seen beside the one that serves. */
  beside_seconds: ReadonlyMap<number, number>
  /** The generation that was seen to be killed for its memory. */
  oom: number | undefined
  /** How often the engine could not carry out the start that it had accepted. */
  failed_starts: number
}

export const no_history: History = {
  ensured: undefined,
  up_seconds: new Map(),
  beside_seconds: new Map(),
  oom: undefined,
  failed_starts: 0,
}

/** Why a generation is not tried again. */
export type FinalCause =
  | 'image_not_found'
  | 'registry_auth_failed'
  | 'crash_loop'
  | 'oom_killed'
  | 'start_timeout'
  | 'start_failed'
  | 'refused'
  | 'isolation'

/** What is shown as health_status of those causes that D-56 has no name for; the log has the exact one. */
export const shown_health: Partial<Record<FinalCause, FinalCause>> = {
  start_failed: 'crash_loop',
  refused: 'start_timeout',
  isolation: 'start_timeout',
}

export type StartReason = 'rollout' | 'missing' | 'stopped' | 'waiting'

export type Step =
  | { do: 'nothing' }
  | { do: 'wait'; seconds: number }
  /** Choose a host. */
  | { do: 'place' }
  /** Take it off the router; nothing serves afterwards. */
  | { do: 'unroute' }
  /** Remove one generation, or all. */
  | { do: 'remove'; generation?: number }
  /** Stop one generation and keep it. */
  | { do: 'stop'; generation: number }
  /** Have the engine run a generation. */
  | { do: 'start'; generation: number; why: StartReason }
  /** See whether its port answers, and let it serve. */
  | { do: 'probe'; generation: number; endpoint: Port }
  /** The serving one answers elsewhere now, or nowhere for a while. */
  | { do: 'update_endpoint'; endpoint: Port | null; health: string | null }
  | { do: 'count_restarts'; restarts_seen: number; restart_times: Date[] }
  /** The engine could not carry the start out; try again later. */
  | { do: 'retry'; message: string }
  | { do: 'fail'; generation: number; cause: FinalCause; message: string }
  | { do: 'complete'; status: 'stopped' | 'destroyed' }

const nothing: Step = { do: 'nothing' }

export interface PlanContext {
  now: Date
  history: History
  timing: Timing
}

/** The generation that should run: after a final failure the one that still serves; null when none is left. */
const targetGeneration = (wanted: Pick<PlanInput, 'generation' | 'failed_generation' | 'serving_generation'>) =>
  wanted.failed_generation === wanted.generation ? wanted.serving_generation : wanted.generation

/**
 * The next step towards what is wanted, from the row, what its host runs of it, and the time. `nothing` means that all
 * is as it should be, until the row or the observation changes.
 */
export function nextStep(wanted: PlanInput, seen: readonly Instance[], moment: PlanContext): Step {
  if (wanted.status === 'destroyed') return nothing
  // What is there is not known to be wrong, and cannot be worked on before the engine tells more.
  if (seen.some(({ phase }) => phase === 'unknown')) return nothing
  if (wanted.desired === 'destroyed') return planDestroy(wanted, seen)
  if (isAwaitingPayment(wanted)) return nothing
  const target = targetGeneration(wanted)
  if (wanted.desired === 'stopped' || wanted.suspended_by !== null || target === null) return planStop(wanted, seen)
  if (wanted.host_server === null) return { do: 'place' }
  const problem =
    wanted.serving_generation === target
      ? planServing(wanted, target, seen, moment)
      : planRollout(wanted, target, seen, moment)
  return problem.do === 'nothing' || problem.do === 'wait'
    ? (planSurplus(wanted, target, seen, moment) ?? problem)
    : problem
}

/** Accepted, but nobody has paid yet: it stays pending (D-62), unless it is suspended for something else. */
const isAwaitingPayment = ({ status, desired, suspended_by, billing_status }: PlanInput) =>
  status === 'pending' &&
  desired === 'running' &&
  (suspended_by === null || suspended_by === 'billing') &&
  billing_status === 'awaiting_payment'

const isRouted = ({ endpoint_host, serving_generation }: PlanInput) =>
  endpoint_host !== null || serving_generation !== null

function planDestroy(wanted: PlanInput, seen: readonly Instance[]): Step {
  if (isRouted(wanted)) return { do: 'unroute' }
  if (seen.length > 0) return { do: 'remove' }
  return { do: 'complete', status: 'destroyed' }
}

/** The newest generation stays, at rest, with its file system and output. */
function planStop(wanted: PlanInput, seen: readonly Instance[]): Step {
  if (isRouted(wanted)) return { do: 'unroute' }
  const [newest, ...older] = [...seen].sort((a, b) => b.generation - a.generation)
  const [oldest] = older.slice(-1)
  if (oldest) return { do: 'remove', generation: oldest.generation }
  if (newest?.phase === 'waiting') return { do: 'remove', generation: newest.generation }
  if (newest?.phase === 'running' || newest?.phase === 'restarting')
    return { do: 'stop', generation: newest.generation }
  return wanted.status === 'stopped' && !wanted.is_open ? nothing : { do: 'complete', status: 'stopped' }
}

function planRollout(wanted: PlanInput, target: number, seen: readonly Instance[], moment: PlanContext): Step {
  const { timing, history } = moment
  const instance = seen.find(({ generation }) => generation === target)
  if (isOverdue(wanted, timing))
    return failed(target, 'start_timeout', `It was not ready within ${timing.rollout_seconds} seconds.`)
  if (!instance || history.ensured !== target) return { do: 'start', generation: target, why: 'rollout' }
  return planFailure(wanted, instance, moment) ?? planReadiness(instance, moment)
}

const isOverdue = ({ transient_seconds }: PlanInput, { rollout_seconds }: Timing) =>
  transient_seconds !== null && transient_seconds > rollout_seconds

/** It was started; its port has not answered yet. */
function planReadiness(instance: Instance, { history, timing }: PlanContext): Step {
  const { generation, phase, endpoint } = instance
  if (phase === 'exited') return { do: 'start', generation, why: 'stopped' }
  if (history.ensured === generation && (history.up_seconds.get(generation) ?? 0) > timing.start_seconds)
    return failed(generation, 'start_timeout', `Its port did not answer within ${timing.start_seconds} seconds.`)
  if (phase === 'running' && endpoint) return { do: 'probe', generation, endpoint }
  return { do: 'wait', seconds: phase === 'waiting' ? 2 : 0.25 }
}

function planServing(wanted: PlanInput, target: number, seen: readonly Instance[], moment: PlanContext): Step {
  const instance = seen.find(({ generation }) => generation === target)
  if (isOverdue(wanted, moment.timing))
    return failed(target, 'start_timeout', `It was not up again within ${moment.timing.rollout_seconds} seconds.`)
  if (!instance) return { do: 'start', generation: target, why: 'missing' }
  const trouble = planFailure(wanted, instance, moment)
  if (trouble) return trouble
  if (instance.phase === 'exited') return { do: 'start', generation: target, why: 'stopped' }
  if (instance.phase === 'waiting' && moment.history.ensured !== target)
    return { do: 'start', generation: target, why: 'waiting' }
  if (wanted.status !== 'running') {
    const is_begun = moment.history.ensured === target || wanted.endpoint_host !== null
    return is_begun ? planReadiness(instance, moment) : { do: 'start', generation: target, why: 'waiting' }
  }
  const endpoint = instance.phase === 'running' ? instance.endpoint : null
  if (!samePort(wanted, endpoint))
    return { do: 'update_endpoint', endpoint, health: endpoint ? wanted.health_status : 'restarting' }
  return nothing
}

/** Restarts that were not counted yet, too many of them, or a start that the engine could not carry out. */
function planFailure(wanted: PlanInput, instance: Instance, { now, history, timing }: PlanContext): Step | undefined {
  const counted = countRestarts(wanted, instance.restarts, now, timing)
  if (counted) return { do: 'count_restarts', ...counted }
  const { generation } = instance
  if (recentRestarts(wanted.restart_times, now, timing).length >= timing.crash_restarts) {
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

/** Generations that nobody is sent to any more: one that has served may finish its requests first. */
function planSurplus(
  { serving_generation }: PlanInput,
  target: number,
  seen: readonly Instance[],
  { history, timing }: PlanContext,
): Step | undefined {
  const surplus = seen.filter(({ generation }) => generation !== target && generation !== serving_generation)
  const left = surplus.map(({ generation, phase }) => {
    const may_serve = phase === 'running' && generation < (serving_generation ?? 0)
    return may_serve ? timing.drain_seconds - (history.beside_seconds.get(generation) ?? 0) : 0
  })
  const [at] = left.flatMap((seconds, index) => (seconds <= 0 ? [index] : []))
  const done = at === undefined ? undefined : surplus[at]
  if (done) return { do: 'remove', generation: done.generation }
  return left.length > 0 && target === serving_generation ? { do: 'wait', seconds: Math.min(...left) } : undefined
}

const failed = (generation: number, cause: FinalCause, message: string): Step => ({
  do: 'fail',
  generation,
  cause,
  message,
})

const samePort = ({ endpoint_host, endpoint_port }: PlanInput, port: Port | null) =>
  endpoint_host === (port?.host ?? null) && endpoint_port === (port?.port ?? null)

const secondsBetween = (from: Date, to: Date) => (to.getTime() - from.getTime()) / 1000

const recentRestarts = (times: readonly Date[], now: Date, { crash_window_seconds }: Timing) =>
  times.filter((time) => secondsBetween(time, now) <= crash_window_seconds)

/** The row's count brought up to what the engine counts; undefined when it is. A count that fell began anew. */
export function countRestarts(
  { restarts_seen, restart_times }: Pick<PlanInput, 'restarts_seen' | 'restart_times'>,
  restarts: number,
  now: Date,
  timing: Timing,
) {
  if (restarts === restarts_seen) return undefined
  const added = restarts > restarts_seen ? restarts - restarts_seen : restarts
  return { restarts_seen: restarts, restart_times: withRestarts(restart_times, added, now, timing) }
}

/** The newest restarts, as many as decide, with `added` more now. */
export function withRestarts(times: readonly Date[], added: number, now: Date, timing: Timing) {
  const news = Array.from({ length: Math.min(added, timing.crash_restarts) }, () => now)
  return [...recentRestarts(times, now, timing), ...news].slice(-timing.crash_restarts)
}

/** How long to wait before the next try: doubles from one second to one minute, up to a fifth more by chance. */
export const backoffSeconds = (attempts: number, chance: number) =>
  Math.min(60, 2 ** Math.min(attempts, 10)) * (1 + chance / 5)

/** What an engine's word means for the work: the workload's own final failure, or something that may pass. */
export function finalCauseOf(fault: string): FinalCause | undefined {
  return fault === 'image_not_found' || fault === 'registry_auth_failed' || fault === 'refused' || fault === 'isolation'
    ? fault
    : undefined
}

/** Faults after which nothing is known about the workload. */
export const isUnreachable = (fault: string) => fault === 'unreachable' || fault === 'timeout' || fault === 'too_old'

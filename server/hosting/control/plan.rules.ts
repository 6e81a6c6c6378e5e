import type { Timing } from './timing.rules.ts'

export interface Port {
  host: string
  port: number
}

/** What of a deployment's row decides about the next step. */
export interface Wanted {
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
export interface Memory {
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

export const no_memory: Memory = {
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
  | { do: 'withdraw' }
  /** Remove one generation, or all. */
  | { do: 'remove'; generation?: number }
  /** Stop one generation and keep it. */
  | { do: 'rest'; generation: number }
  /** Have the engine run a generation. */
  | { do: 'start'; generation: number; why: StartReason }
  /** See whether its port answers, and let it serve. */
  | { do: 'probe'; generation: number; endpoint: Port }
  /** The serving one answers elsewhere now, or nowhere for a while. */
  | { do: 'follow'; endpoint: Port | null; health: string | null }
  | { do: 'count'; restarts_seen: number; restart_times: Date[] }
  /** The engine could not carry the start out; try again later. */
  | { do: 'retry'; message: string }
  | { do: 'fail'; generation: number; cause: FinalCause; message: string }
  | { do: 'settle'; status: 'stopped' | 'destroyed' }

const nothing: Step = { do: 'nothing' }

export interface Moment {
  now: Date
  memory: Memory
  timing: Timing
}

/** The generation that should run: after a final failure the one that still serves; null when none is left. */
const targetOf = (wanted: Pick<Wanted, 'generation' | 'failed_generation' | 'serving_generation'>) =>
  wanted.failed_generation === wanted.generation ? wanted.serving_generation : wanted.generation

/**
 * The next step towards what is wanted, from the row, what its host runs of it, and the time. `nothing` means that all
 * is as it should be, until the row or the observation changes.
 */
export function nextStep(wanted: Wanted, seen: readonly Instance[], moment: Moment): Step {
  if (wanted.status === 'destroyed') return nothing
  // What is there is not known to be wrong, and cannot be worked on before the engine tells more.
  if (seen.some(({ phase }) => phase === 'unknown')) return nothing
  if (wanted.desired === 'destroyed') return towardsDestroyed(wanted, seen)
  if (waitsForPayment(wanted)) return nothing
  const target = targetOf(wanted)
  if (wanted.desired === 'stopped' || wanted.suspended_by !== null || target === null) return towardsRest(wanted, seen)
  if (wanted.host_server === null) return { do: 'place' }
  const problem =
    wanted.serving_generation === target
      ? keepRunning(wanted, target, seen, moment)
      : rollOut(wanted, target, seen, moment)
  return problem.do === 'nothing' || problem.do === 'wait'
    ? (clearSurplus(wanted, target, seen, moment) ?? problem)
    : problem
}

/** Accepted, but nobody has paid yet: it stays pending (D-62), unless it is suspended for something else. */
const waitsForPayment = ({ status, desired, suspended_by, billing_status }: Wanted) =>
  status === 'pending' &&
  desired === 'running' &&
  (suspended_by === null || suspended_by === 'billing') &&
  billing_status === 'awaiting_payment'

const isRouted = ({ endpoint_host, serving_generation }: Wanted) =>
  endpoint_host !== null || serving_generation !== null

function towardsDestroyed(wanted: Wanted, seen: readonly Instance[]): Step {
  if (isRouted(wanted)) return { do: 'withdraw' }
  if (seen.length > 0) return { do: 'remove' }
  return { do: 'settle', status: 'destroyed' }
}

/** The newest generation stays, at rest, with its file system and output. */
function towardsRest(wanted: Wanted, seen: readonly Instance[]): Step {
  if (isRouted(wanted)) return { do: 'withdraw' }
  const [newest, ...older] = [...seen].sort((a, b) => b.generation - a.generation)
  const [oldest] = older.slice(-1)
  if (oldest) return { do: 'remove', generation: oldest.generation }
  if (newest?.phase === 'waiting') return { do: 'remove', generation: newest.generation }
  if (newest?.phase === 'running' || newest?.phase === 'restarting')
    return { do: 'rest', generation: newest.generation }
  return wanted.status === 'stopped' && !wanted.is_open ? nothing : { do: 'settle', status: 'stopped' }
}

function rollOut(wanted: Wanted, target: number, seen: readonly Instance[], moment: Moment): Step {
  const { timing, memory } = moment
  const instance = seen.find(({ generation }) => generation === target)
  if (isOverdue(wanted, timing))
    return failed(target, 'start_timeout', `It was not ready within ${timing.rollout_seconds} seconds.`)
  if (!instance || memory.ensured !== target) return { do: 'start', generation: target, why: 'rollout' }
  return troubleOf(wanted, instance, moment) ?? becomeReady(instance, moment)
}

const isOverdue = ({ transient_seconds }: Wanted, { rollout_seconds }: Timing) =>
  transient_seconds !== null && transient_seconds > rollout_seconds

/** It was started; its port has not answered yet. */
function becomeReady(instance: Instance, { memory, timing }: Moment): Step {
  const { generation, phase, endpoint } = instance
  if (phase === 'exited') return { do: 'start', generation, why: 'stopped' }
  if (memory.ensured === generation && (memory.up_seconds.get(generation) ?? 0) > timing.start_seconds)
    return failed(generation, 'start_timeout', `Its port did not answer within ${timing.start_seconds} seconds.`)
  if (phase === 'running' && endpoint) return { do: 'probe', generation, endpoint }
  return { do: 'wait', seconds: phase === 'waiting' ? 2 : 0.25 }
}

function keepRunning(wanted: Wanted, target: number, seen: readonly Instance[], moment: Moment): Step {
  const instance = seen.find(({ generation }) => generation === target)
  if (isOverdue(wanted, moment.timing))
    return failed(target, 'start_timeout', `It was not up again within ${moment.timing.rollout_seconds} seconds.`)
  if (!instance) return { do: 'start', generation: target, why: 'missing' }
  const trouble = troubleOf(wanted, instance, moment)
  if (trouble) return trouble
  if (instance.phase === 'exited') return { do: 'start', generation: target, why: 'stopped' }
  if (instance.phase === 'waiting' && moment.memory.ensured !== target)
    return { do: 'start', generation: target, why: 'waiting' }
  if (wanted.status !== 'running') {
    const is_begun = moment.memory.ensured === target || wanted.endpoint_host !== null
    return is_begun ? becomeReady(instance, moment) : { do: 'start', generation: target, why: 'waiting' }
  }
  const endpoint = instance.phase === 'running' ? instance.endpoint : null
  if (!samePort(wanted, endpoint))
    return { do: 'follow', endpoint, health: endpoint ? wanted.health_status : 'restarting' }
  return nothing
}

/** Restarts that were not counted yet, too many of them, or a start that the engine could not carry out. */
function troubleOf(wanted: Wanted, instance: Instance, { now, memory, timing }: Moment): Step | undefined {
  const counted = countRestarts(wanted, instance.restarts, now, timing)
  if (counted) return { do: 'count', ...counted }
  const { generation } = instance
  if (recentRestarts(wanted.restart_times, now, timing).length >= timing.crash_restarts) {
    const times = `It ended ${timing.crash_restarts} times within ${timing.crash_window_seconds} seconds`
    return instance.oom_killed || memory.oom === generation
      ? failed(generation, 'oom_killed', `${times}, killed for using more memory than its limit.`)
      : failed(generation, 'crash_loop', `${times}.`)
  }
  if (instance.phase !== 'failed') return undefined
  if (memory.ensured !== generation) return { do: 'start', generation, why: 'stopped' }
  const message = instance.reason ?? 'The engine could not start it.'
  return memory.failed_starts + 1 >= timing.start_failures
    ? failed(generation, 'start_failed', message)
    : { do: 'retry', message }
}

/** Generations that nobody is sent to any more: one that has served may finish its requests first. */
function clearSurplus(
  { serving_generation }: Wanted,
  target: number,
  seen: readonly Instance[],
  { memory, timing }: Moment,
): Step | undefined {
  const surplus = seen.filter(({ generation }) => generation !== target && generation !== serving_generation)
  const left = surplus.map(({ generation, phase }) => {
    const may_serve = phase === 'running' && generation < (serving_generation ?? 0)
    return may_serve ? timing.drain_seconds - (memory.beside_seconds.get(generation) ?? 0) : 0
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

const samePort = ({ endpoint_host, endpoint_port }: Wanted, port: Port | null) =>
  endpoint_host === (port?.host ?? null) && endpoint_port === (port?.port ?? null)

const secondsBetween = (from: Date, to: Date) => (to.getTime() - from.getTime()) / 1000

const recentRestarts = (times: readonly Date[], now: Date, { crash_window_seconds }: Timing) =>
  times.filter((time) => secondsBetween(time, now) <= crash_window_seconds)

/** The row's count brought up to what the engine counts; undefined when it is. A count that fell began anew. */
export function countRestarts(
  { restarts_seen, restart_times }: Pick<Wanted, 'restarts_seen' | 'restart_times'>,
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
export const backOffSeconds = (attempts: number, chance: number) =>
  Math.min(60, 2 ** Math.min(attempts, 10)) * (1 + chance / 5)

/** What an engine's word means for the work: the workload's own final failure, or something that may pass. */
export function causeOfFault(fault: string): FinalCause | undefined {
  return fault === 'image_not_found' || fault === 'registry_auth_failed' || fault === 'refused' || fault === 'isolation'
    ? fault
    : undefined
}

/** Faults after which nothing is known about the workload. */
export const isOutOfReach = (fault: string) => fault === 'unreachable' || fault === 'timeout' || fault === 'too_old'

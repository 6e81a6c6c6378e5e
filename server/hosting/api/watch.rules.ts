import { decisions } from '../../../contract/decisions.ts'
import { secondsAfter } from '../../platform/clock.ts'

const { outage_seconds, mails_max } = decisions.deployment_upkeep
const hour_seconds = 3_600

/** The stored state of a deployment between two checks. */
export interface Watch {
  unwell_since: Date | null
  down_since: Date | null
  /** A final cause, or `unreachable`; null if there is no outage. */
  cause: string | null
  told: boolean
  mailed_at: Date[]
}

export interface WatchedState {
  status: string
  desired: string
  suspended_by: string | null
  health_status: string | null
  serving_generation: number | null
}

/** `recovered`: it failed and recovered before its owner was mailed. */
export type Notice = 'down' | 'back' | 'recovered'

export interface WatchOutcome {
  watch: Watch
  notice?: { what: Notice; cause: string; since: Date; is_last: boolean }
}

const nothing_amiss = { unwell_since: null, down_since: null, cause: null, told: false }

const isWanted = ({ status, desired, suspended_by }: WatchedState) =>
  status !== 'destroyed' && desired === 'running' && suspended_by === null
const isWell = ({ status, health_status, serving_generation }: WatchedState) =>
  status === 'running' && health_status === 'healthy' && serving_generation !== null
const isUnwell = ({ status, health_status }: WatchedState) =>
  status === 'running' && (health_status === 'unhealthy' || health_status === 'restarting')

/** True if a row contains no information. */
export const isOver = ({ unwell_since, down_since, mailed_at }: Watch) =>
  unwell_since === null && down_since === null && mailed_at.length === 0

/**
 * The result of a check of a deployment. The owner gets one mail for each outage and one for its end, but none for intended stops. The
 * number of mails per hour is limited; a suppressed mail is sent after the hour if it is still true.
 */
export function look(before: Watch, state: WatchedState, now: Date): WatchOutcome {
  const mailed_at = before.mailed_at.filter((at) => at > secondsAfter(now, -hour_seconds))
  if (!isWanted(state)) return { watch: { ...nothing_amiss, mailed_at } }
  const watch = { ...noteOutage(before, state, now), mailed_at }
  const { down_since, cause, told } = watch
  if (down_since === null || cause === null) return { watch }
  const is_well = isWell(state)
  if (is_well && !told && cause === 'unreachable') return { watch: { ...nothing_amiss, mailed_at } }
  const what: Notice | undefined = is_well ? (told ? 'back' : 'recovered') : told ? undefined : 'down'
  if (what === undefined || mailed_at.length >= mails_max) return { watch }
  const left = is_well ? nothing_amiss : { ...watch, told: true }
  return {
    watch: { ...left, mailed_at: [...mailed_at, now] },
    notice: { what, cause, since: down_since, is_last: mailed_at.length === mails_max - 1 },
  }
}

/** Updates the outage. Workers record final failures; a port that does not answer counts as an outage after some minutes. */
function noteOutage(before: Watch, state: WatchedState, now: Date): Watch {
  if (state.health_status === 'unknown') return before
  if (!isUnwell(state)) return { ...before, unwell_since: null }
  const unwell_since = before.unwell_since ?? now
  if (before.down_since !== null || unwell_since > secondsAfter(now, -outage_seconds))
    return { ...before, unwell_since }
  return { ...before, unwell_since, down_since: unwell_since, cause: 'unreachable', told: false }
}

import { instanceKey } from './drift.rules.ts'
import type { Timing } from './timing.rules.ts'

const secondsBetween = (from: Date, to: Date) => (to.getTime() - from.getTime()) / 1000

/** The restarts that lie within the crash window. */
export const recentRestarts = (times: readonly Date[], now: Date, { crash_window_seconds }: Timing) =>
  times.filter((time) => secondsBetween(time, now) <= crash_window_seconds)

/** `restarts_seen` of a row whose leading replica has just changed: restarts of the one before are not those of this one. */
export const restarts_unknown = -1

/**
 * The row's restart count raised to the engine's; undefined when they are equal. An engine's count that fell was reset. Where the row's is
 * unknown, the engine's becomes the baseline, and no restart is added.
 */
export function countRestarts(
  { restarts_seen, restart_times }: { restarts_seen: number; restart_times: Date[] },
  restarts: number,
  now: Date,
  timing: Timing,
) {
  if (restarts === restarts_seen) return undefined
  if (restarts_seen === restarts_unknown) return { restarts_seen: restarts, restart_times }
  const added = restarts > restarts_seen ? restarts - restarts_seen : restarts
  return { restarts_seen: restarts, restart_times: withRestarts(restart_times, added, now, timing) }
}

/** The times of the newest restarts, with `added` more at `now`; at most `crash_restarts` of them. */
export function withRestarts(times: readonly Date[], added: number, now: Date, timing: Timing) {
  const new_times = Array.from({ length: Math.min(added, timing.crash_restarts) }, () => now)
  return [...recentRestarts(times, now, timing), ...new_times].slice(-timing.crash_restarts)
}

// Counting on the scale of the row

interface CountedInstance {
  id: string
  generation: number
  replica: number
  restarts: number
}

/** Converts an engine's restart count to the scale of the row's `restarts_seen`. */
export interface RestartScale {
  restartsOf(row: { restarts_seen: number }, instance: CountedInstance): number
  /** Drops what is kept of all other instances. */
  retain(observed: readonly CountedInstance[]): void
}

/** A Docker host counts restarts itself, over the life of a container. */
export const absolute_scale: RestartScale = { restartsOf: (_, { restarts }) => restarts, retain: () => {} }

interface Baseline {
  /** The row's count and this process's own count when the baseline was taken. */
  row_count: number
  own_count: number
  /** The row's count at the last observation. */
  latest: number
}

/**
 * A Swarm does not count restarts: each process counts those it observes, so counts of two processes are not comparable. Only the
 * increase since a process's first observation is added to the row. A row's count that fell was reset and gives a new baseline.
 */
export function relativeScale(): RestartScale {
  const baselines = new Map<string, Baseline>()
  return {
    restartsOf(row, instance) {
      const is_unknown = row.restarts_seen === restarts_unknown
      const restarts_seen = is_unknown ? 0 : row.restarts_seen
      const key = instanceKey(instance)
      let base = baselines.get(key)
      if (!base || is_unknown || restarts_seen < base.latest)
        baselines.set(key, (base = { row_count: restarts_seen, own_count: instance.restarts, latest: restarts_seen }))
      base.latest = restarts_seen
      // Another process may have saved more of the same restarts.
      return Math.max(restarts_seen, base.row_count + instance.restarts - base.own_count)
    },
    retain(observed) {
      const keys = new Set(observed.map(instanceKey))
      for (const key of baselines.keys()) if (!keys.has(key)) baselines.delete(key)
    },
  }
}

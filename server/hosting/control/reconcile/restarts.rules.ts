import type { InstanceName, Observed } from '../../containers.rules.ts'
import { instanceKey } from '../hosts/drift.rules.ts'
import type { Timing } from '../timing.rules.ts'

/** The restarts within the crash window. */
export const recentRestarts = (times: readonly string[], now: Date, { crash_window_seconds }: Timing) =>
  times.filter((time) => now.getTime() - Date.parse(time) <= crash_window_seconds * 1000)

/**
 * The row's restart count, raised to the engine's; undefined if they are equal. An engine's count that decreased was
 * reset. The first observed count is the baseline and adds no restart.
 */
export function countRestarts(
  { restarts_seen, restart_times }: { restarts_seen: number | null; restart_times: string[] },
  restarts: number,
  now: Date,
  timing: Timing,
) {
  if (restarts === restarts_seen) return undefined
  if (restarts_seen === null) return { restarts_seen: restarts, restart_times }
  const added = restarts > restarts_seen ? restarts - restarts_seen : restarts
  return { restarts_seen: restarts, restart_times: withRestarts(restart_times, added, now, timing) }
}

/** The times of the newest restarts, plus `added` restarts at `now`; at most `crash_restarts` of them. */
export function withRestarts(times: readonly string[], added: number, now: Date, timing: Timing) {
  const new_times = Array.from({ length: Math.min(added, timing.crash_restarts) }, () => now.toISOString())
  return [...recentRestarts(times, now, timing), ...new_times].slice(-timing.crash_restarts)
}

// Counting on the scale of the row

type CountedInstance = InstanceName & Pick<Observed, 'restarts'>

/** Converts an engine's restart count to the scale of the row's `restarts_seen`. */
export interface RestartScale {
  restartsOf(row: { restarts_seen: number | null }, instance: CountedInstance): number
  /** Drops the counts of all other instances. */
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
 * A Swarm does not count restarts. Each process counts the restarts that it observes, so counts of two processes are not comparable. Only
 * the increase since a process's first observation is added to the row. A row's count that decreased was reset and gives a new baseline.
 */
export function relativeScale(): RestartScale {
  const baselines = new Map<string, Baseline>()
  return {
    restartsOf(row, instance) {
      const restarts_seen = row.restarts_seen ?? 0
      const key = instanceKey(instance)
      let base = baselines.get(key)
      if (!base || row.restarts_seen === null || restarts_seen < base.latest)
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

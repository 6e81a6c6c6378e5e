import type { Observed } from '../engine.ts'

/** A container's entry in Docker's list. */
export interface ListedState {
  docker_id: string
  /** `running`, `exited`, … */
  state: string
  /** Docker's text for display: `Up 3 minutes`. */
  status: string
  /** It has no network or no published port. */
  is_cut_off: boolean
}

/** Caches inspected containers. A container that has run without interruption is not inspected again. */
export interface ObservationCache {
  /** The last observation, if the container has been up since; undefined if it must be inspected. */
  get(listed: ListedState, listed_at: number): Observed | undefined
  set(docker_id: string, observed: Observed, inspected_at: number): void
  /** Drops all other containers. */
  retain(listed: readonly ListedState[]): void
}

/** Lifetime of an entry, random within these bounds, so that entries do not expire together. */
const ttl_ms = { least: 15_000, most: 30_000 }
/** Docker's list has whole seconds, and its clock may differ. */
const clock_tolerance_seconds = 2

export function openObservationCache(): ObservationCache {
  const entries = new Map<string, { observed: Observed; inspected_at: number; expires_at: number }>()
  return {
    get({ docker_id, state, status, is_cut_off }, listed_at) {
      const last = entries.get(docker_id)
      if (!last || state !== 'running' || listed_at > last.expires_at) return undefined
      if (healthIn(status) !== last.observed.health || is_cut_off !== last.observed.is_cut_off) return undefined
      // A container restarted after the inspection has been up for less time.
      return leastUpSeconds(status) > (listed_at - last.inspected_at) / 1000 + clock_tolerance_seconds
        ? last.observed
        : undefined
    },
    set(docker_id, observed, inspected_at) {
      const expires_at = inspected_at + ttl_ms.least + Math.random() * (ttl_ms.most - ttl_ms.least)
      if (observed.phase === 'running') entries.set(docker_id, { observed, inspected_at, expires_at })
      else entries.delete(docker_id)
    },
    retain(listed) {
      const alive = new Set(listed.map(({ docker_id }) => docker_id))
      for (const docker_id of entries.keys()) if (!alive.has(docker_id)) entries.delete(docker_id)
    },
  }
}

/** The result of a health check in a status text: `Up 3 minutes (healthy)`, `(unhealthy)`, `(health: starting)`. */
const healthIn = (status: string) => /\((?:health: )?(starting|healthy|unhealthy)\)$/.exec(status)?.[1]

/** The least uptime in seconds that a status text implies: at most 60, and 0 for any other text. */
export function leastUpSeconds(status: string): number {
  const [, count, unit] = /^Up (?:about )?(an?|\d+) (second|minute|hour|day|week|month|year)s?\b/i.exec(status) ?? []
  if (unit === undefined) return 0
  return unit === 'second' ? Number(count) || 0 : 60
}

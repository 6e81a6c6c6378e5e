import type { Observed } from '../engine.ts'

/** What a list of containers tells of one. */
export interface ListedState {
  docker_id: string
  /** `running`, `exited`, … */
  state: string
  /** For people: `Up 3 minutes`. */
  status: string
}

/** Containers that were looked at one by one, so that those that went on undisturbed need not be again. */
export interface ObservationCache {
  /** How a container was seen last, if it has been up ever since; undefined where it has to be looked at. */
  get(listed: ListedState, listed_at: number): Observed | undefined
  set(docker_id: string, observed: Observed, looked_at: number): void
  /** Forgets every container but these. */
  retain(listed: readonly ListedState[]): void
}

/** A sighting is worth something for so long, by chance, so that many do not end at once. */
const ttl_ms = { least: 15_000, most: 30_000 }
/** Times are told in whole seconds, and the engine's clock is not ours. */
const clock_tolerance_seconds = 2

export function openObservationCache(): ObservationCache {
  const sightings = new Map<string, { observed: Observed; looked_at: number; good_until: number }>()
  return {
    get({ docker_id, state, status }, listed_at) {
      const last = sightings.get(docker_id)
      if (!last || state !== 'running' || listed_at > last.good_until) return undefined
      // Whatever was started again meanwhile has been up for less time than that.
      return leastUpSeconds(status) > (listed_at - last.looked_at) / 1000 + clock_tolerance_seconds
        ? last.observed
        : undefined
    },
    set(docker_id, observed, looked_at) {
      const good_until = looked_at + ttl_ms.least + Math.random() * (ttl_ms.most - ttl_ms.least)
      if (observed.phase === 'running') sightings.set(docker_id, { observed, looked_at, good_until })
      else sightings.delete(docker_id)
    },
    retain(listed) {
      const alive = new Set(listed.map(({ docker_id }) => docker_id))
      for (const docker_id of sightings.keys()) if (!alive.has(docker_id)) sightings.delete(docker_id)
    },
  }
}

/** How long a container has been up at least, by its status; 0 where that does not say. All of a minute or more is a minute. */
export function leastUpSeconds(status: string): number {
  const [, count, unit] = /^Up (?:about )?(an?|\d+) (second|minute|hour|day|week|month|year)s?\b/i.exec(status) ?? []
  if (unit === undefined) return 0
  return unit === 'second' ? Number(count) || 0 : 60
}

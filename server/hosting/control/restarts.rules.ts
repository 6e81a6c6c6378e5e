interface InstanceName {
  id: string
  generation: number
}

export type Counted = InstanceName & { restarts: number }

/** What restarts an instance has, on the scale of its row's `restarts_seen`. */
export interface RestartScale {
  restartsOf(row: { restarts_seen: number }, instance: Counted): number
  /** Forgets every instance but these. */
  retain(seen: readonly Counted[]): void
}

/** A Docker host counts itself, over the whole life of a container. */
export const absolute_scale: RestartScale = { restartsOf: (_, { restarts }) => restarts, retain: () => {} }

interface Baseline {
  counted: number
  own: number
  latest: number
}

/**
 * Restarts on a Swarm are counted by each process since it first looked, so what one has counted says nothing to another:
 * only what is added since that first look does. A row's count that fell was begun anew, and so is the comparison then.
 */
export function relativeScale(): RestartScale {
  const baselines = new Map<string, Baseline>()
  return {
    restartsOf({ restarts_seen }, instance) {
      const key = keyOf(instance)
      let base = baselines.get(key)
      if (!base || restarts_seen < base.latest)
        baselines.set(key, (base = { counted: restarts_seen, own: instance.restarts, latest: restarts_seen }))
      base.latest = restarts_seen
      // Another process may have counted more of the same.
      return Math.max(restarts_seen, base.counted + instance.restarts - base.own)
    },
    retain(seen) {
      const alive = new Set(seen.map(keyOf))
      for (const key of baselines.keys()) if (!alive.has(key)) baselines.delete(key)
    },
  }
}

const keyOf = ({ id, generation }: InstanceName) => `${id} ${generation}`

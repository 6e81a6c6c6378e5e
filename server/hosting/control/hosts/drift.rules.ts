import type { InstanceName, Observed } from '../../containers.rules.ts'

type ObservedInstance = InstanceName & Pick<Observed, 'created_at'>

export interface KnownDeployment {
  status: string
  /** The host of each replica; null if it has none now. */
  hosts: ReadonlyMap<number, string | null>
}

export const instanceKey = ({ id, generation, replica }: InstanceName) => `${id} ${generation} ${replica}`

/** The maximum of removals in one pass. More orphans indicate a wrong or outdated database. */
export const removalsMax = (observed: number) => Math.max(2, Math.floor(observed / 5))

export interface Orphans<Instance> {
  /** Orphans that are old enough and that the previous pass also found. */
  remove: Instance[]
  /** Instances whose replica has moved to another host or was removed. */
  stale_copies: Instance[]
  /** Keys of all candidates, for the next pass. */
  suspected: Set<string>
  /** More orphans than `removalsMax`; `remove` is empty then. */
  too_many: boolean
}

export interface OrphanQuery<Instance> {
  host: string
  observed: readonly Instance[]
  /** Deployments that are not destroyed, read after the observation. */
  known: ReadonlyMap<string, KnownDeployment>
  /** `suspected` of the previous pass. */
  suspected: ReadonlySet<string>
  now: Date
  orphan_seconds: number
}

/** Finds instances without a deployment, and instances whose replica is on another host. */
export function findOrphans<Instance extends ObservedInstance>(query: OrphanQuery<Instance>): Orphans<Instance> {
  const { host, observed, known, now, orphan_seconds } = query
  const orphans = observed.filter(({ id }) => !known.has(id))
  const moved = observed.filter((instance) => hasMoved(instance, known.get(instance.id), host))
  const isSuspected = (instance: Instance) => query.suspected.has(instanceKey(instance))
  const isOld = ({ created_at }: Instance) => now.getTime() - created_at.getTime() > orphan_seconds * 1000
  const remove = orphans.filter((instance) => isOld(instance) && isSuspected(instance))
  const too_many = remove.length > removalsMax(observed.length)
  return {
    remove: too_many ? [] : remove,
    stale_copies: moved.filter(isSuspected),
    suspected: new Set([...orphans, ...moved].map(instanceKey)),
    too_many,
  }
}

/**
 * True if the instance's replica has moved to another host. A stopped replica may have no host; it counts as moved. A
 * running replica without a host is about to get one, perhaps this one. During a rollout no instance counts as moved.
 */
function hasMoved({ replica }: ObservedInstance, owner: KnownDeployment | undefined, host: string) {
  const place = owner?.hosts.get(replica)
  if (owner?.status === 'stopped') return place !== host
  return owner?.status === 'running' && place !== null && place !== host
}

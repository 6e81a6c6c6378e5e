export interface ObservedInstance {
  id: string
  generation: number
  replica: number
  created_at: Date
}

export interface KnownDeployment {
  status: string
  /** The host of each replica; null where it has none now. */
  hosts: ReadonlyMap<number, string | null>
}

export const instanceKey = ({ id, generation, replica }: Pick<ObservedInstance, 'id' | 'generation' | 'replica'>) =>
  `${id} ${generation} ${replica}`

/** The most removals of one pass. More orphans than that point to a wrong or outdated database. */
export const removalsMax = (observed: number) => Math.max(2, Math.floor(observed / 5))

export interface Orphans<Instance> {
  /** Old enough, of no deployment, and found by the previous pass too. */
  remove: Instance[]
  /** Instances of replicas that are on another host by now, or are none any more. */
  stale_copies: Instance[]
  /** Keys of all candidates, for the next pass. */
  suspected: Set<string>
  /** There were more than `removalsMax`; `remove` is empty then. */
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

/** Instances without a deployment, and those whose replica is on another host. */
export function findOrphans<Instance extends ObservedInstance>(query: OrphanQuery<Instance>): Orphans<Instance> {
  const { host, observed, known, now, orphan_seconds } = query
  const orphans = observed.filter(({ id }) => !known.has(id))
  const moved = observed.filter(({ id, replica }) => {
    const owner = known.get(id)
    return owner?.status === 'running' && owner.hosts.get(replica) !== null && owner.hosts.get(replica) !== host
  })
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

export interface ObservedInstance {
  id: string
  generation: number
  created_at: Date
}

export interface KnownDeployment {
  host_server: string | null
  status: string
}

export const instanceKey = ({ id, generation }: Pick<ObservedInstance, 'id' | 'generation'>) => `${id} ${generation}`

/** The most removals of one pass. More orphans than that point to a wrong or outdated database. */
export const removalsMax = (observed: number) => Math.max(2, Math.floor(observed / 5))

export interface Orphans<Instance> {
  /** Old enough, of no deployment, and found by the previous pass too. */
  remove: Instance[]
  /** Instances of deployments that run on another host by now. */
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

/** Instances without a deployment, and those whose deployment runs on another host. */
export function findOrphans<Instance extends ObservedInstance>(query: OrphanQuery<Instance>): Orphans<Instance> {
  const { host, observed, known, now, orphan_seconds } = query
  const orphans = observed.filter(({ id }) => !known.has(id))
  const moved = observed.filter(({ id }) => {
    const owner = known.get(id)
    return owner?.status === 'running' && owner.host_server !== null && owner.host_server !== host
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

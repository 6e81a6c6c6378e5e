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

/** How many may go in one pass: more than that is a wrong or an old database rather than rubbish. */
export const removalsMax = (observed: number) => Math.max(2, Math.floor(observed / 5))

export interface Orphans<Seen> {
  /** Nobody's for long enough: to be removed now. */
  remove: Seen[]
  /** Copies of what runs on another host since: to be removed now. */
  stale_copies: Seen[]
  /** Nobody's, for the first time or too young: to be looked at again. */
  suspected: Set<string>
  /** True when there were more to remove than is credible; `remove` is empty then. */
  too_many: boolean
}

export interface OrphanQuery<Seen> {
  host: string
  observed: readonly Seen[]
  /** Deployments that are not destroyed, read after the observation. */
  known: ReadonlyMap<string, KnownDeployment>
  /** What the last sweep suspected. */
  suspected: ReadonlySet<string>
  now: Date
  orphan_seconds: number
}

/** Which instances belong to nobody, or to a deployment that moved away. */
export function findOrphans<Seen extends ObservedInstance>(question: OrphanQuery<Seen>): Orphans<Seen> {
  const { host, observed, known, now, orphan_seconds } = question
  const nobodys = observed.filter(({ id }) => !known.has(id))
  const astray = observed.filter(({ id }) => {
    const owner = known.get(id)
    return owner?.status === 'running' && owner.host_server !== null && owner.host_server !== host
  })
  const seenTwice = (instance: Seen) => question.suspected.has(instanceKey(instance))
  const isOld = ({ created_at }: Seen) => now.getTime() - created_at.getTime() > orphan_seconds * 1000
  const remove = nobodys.filter((instance) => isOld(instance) && seenTwice(instance))
  const too_many = remove.length > removalsMax(observed.length)
  return {
    remove: too_many ? [] : remove,
    stale_copies: astray.filter(seenTwice),
    suspected: new Set([...nobodys, ...astray].map(instanceKey)),
    too_many,
  }
}

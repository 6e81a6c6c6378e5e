/** The last observation of a host. Adding an observation of one deployment costs the same for any number of deployments. */
export function openObservations<Instance extends { id: string }>() {
  let host: readonly Instance[] | undefined
  /** By deployment: observations made after the last one of the whole host. */
  const later = new Map<string, readonly Instance[]>()
  return {
    /** Adds an observation of the host, or of one deployment on it. */
    add(observed: readonly Instance[], deployment_id?: string) {
      if (deployment_id !== undefined) later.set(deployment_id, observed)
      else {
        host = observed
        later.clear()
      }
    },
    /** All instances; undefined before the first observation of the host. */
    all() {
      if (host && later.size > 0) {
        host = [...host.filter(({ id }) => !later.has(id)), ...[...later.values()].flat()]
        later.clear()
      }
      return host
    },
  }
}

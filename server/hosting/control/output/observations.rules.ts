/** The last observation of a host. Adding that of one deployment costs the same for any number of deployments. */
export function openObservations<Instance extends { id: string }>() {
  let host: readonly Instance[] | undefined
  /** By deployment, what was observed of it after all of the host. */
  const later = new Map<string, readonly Instance[]>()
  return {
    /** Takes in an observation of the host, or of one deployment on it. */
    add(observed: readonly Instance[], deployment_id?: string) {
      if (deployment_id !== undefined) later.set(deployment_id, observed)
      else {
        host = observed
        later.clear()
      }
    },
    /** All instances; undefined before the host was observed. */
    all() {
      if (host && later.size > 0) {
        host = [...host.filter(({ id }) => !later.has(id)), ...[...later.values()].flat()]
        later.clear()
      }
      return host
    },
  }
}

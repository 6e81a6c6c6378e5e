/** A host's resources, and the share of them that deployments have reserved. */
export interface HostCapacity {
  name: string
  memory_mb: number
  millicores: number
  /** The sum of the limits of the deployments on the host. */
  reserved_memory_mb: number
  reserved_millicores: number
}

export interface ResourceRequest {
  memory_limit_mb: number
  cpu_limit_millicores: number
}

/**
 * The host with the lowest load after this placement; undefined if no host has the memory. Memory is never
 * overcommitted. Processor time may be: a lack of it slows a container down but does not kill it.
 */
export function chooseHost(hosts: readonly HostCapacity[], request: ResourceRequest): string | undefined {
  const [best] = hosts
    .filter(({ memory_mb, reserved_memory_mb }) => reserved_memory_mb + request.memory_limit_mb <= memory_mb)
    .map((host) => ({ name: host.name, load: loadWith(host, request) }))
    .sort((a, b) => a.load - b.load || a.name.localeCompare(b.name))
  return best?.name
}

const loadWith = (host: HostCapacity, request: ResourceRequest) =>
  Math.max(
    (host.reserved_memory_mb + request.memory_limit_mb) / host.memory_mb,
    (host.reserved_millicores + request.cpu_limit_millicores) / host.millicores,
  )

/** The names of the `count` hosts with the lowest load. */
export const leastLoaded = (hosts: readonly HostCapacity[], count: number) =>
  hosts
    .map((host) => ({ name: host.name, load: loadWith(host, { memory_limit_mb: 0, cpu_limit_millicores: 0 }) }))
    .sort((a, b) => a.load - b.load || a.name.localeCompare(b.name))
    .slice(0, count)
    .map(({ name }) => name)

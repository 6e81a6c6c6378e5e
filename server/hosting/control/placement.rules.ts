export interface HostCapacity {
  name: string
  memory_mb: number
  millicores: number
  /** What the deployments that are placed there may use. */
  reserved_memory_mb: number
  reserved_millicores: number
}

export interface ResourceRequest {
  memory_limit_mb: number
  cpu_limit_millicores: number
}

/**
 * The host with the least of it promised, after this one; undefined when none has the memory. Memory is never promised
 * twice; processor time may be, since a lack of it slows down and does not kill.
 */
export function chooseHost(places: readonly HostCapacity[], need: ResourceRequest): string | undefined {
  const [best] = places
    .filter(({ memory_mb, reserved_memory_mb }) => reserved_memory_mb + need.memory_limit_mb <= memory_mb)
    .map((place) => ({ name: place.name, load: loadWith(place, need) }))
    .sort((a, b) => a.load - b.load || a.name.localeCompare(b.name))
  return best?.name
}

const loadWith = (place: HostCapacity, need: ResourceRequest) =>
  Math.max(
    (place.reserved_memory_mb + need.memory_limit_mb) / place.memory_mb,
    (place.reserved_millicores + need.cpu_limit_millicores) / place.millicores,
  )

import type { InstanceName, Usage } from '../../containers.rules.ts'

export interface Sample {
  deployment_id: string
  replica: number
  memory_bytes: number
  millicores: number | null
  received_bytes: number | null
  sent_bytes: number | null
}

/** A usage and the time of its measurement in milliseconds of a monotonic clock. */
export interface Measurement {
  usage: Usage
  measured_ms: number
}

/** The usage between two measurements of one instance; null if there is no earlier one, or if it restarted in between. */
export function usedBetween(before: Measurement | undefined, now: Measurement) {
  const none = { millicores: null, received_bytes: null, sent_bytes: null }
  if (!before || now.measured_ms <= before.measured_ms) return none
  const since = (count: (usage: Usage) => number) => {
    const difference = count(now.usage) - count(before.usage)
    return difference < 0 ? null : difference
  }
  const processor_ns = since((usage) => usage.processor_ns)
  if (processor_ns === null) return none
  return {
    millicores: Math.round(processor_ns / (now.measured_ms - before.measured_ms) / 1000),
    received_bytes: since((usage) => usage.received_bytes),
    sent_bytes: since((usage) => usage.sent_bytes),
  }
}

export const replicaKey = ({ id, replica }: Pick<InstanceName, 'id' | 'replica'>) => `${id} ${replica}`

/** Chooses for each replica the serving instance, or else the newest: during a replacement both run. */
export function instancesToMeasure<Running extends InstanceName>(
  running: readonly Running[],
  serving: ReadonlyMap<string, number | null>,
): Running[] {
  const chosen = new Map<string, Running>()
  for (const instance of running) {
    const { generation } = instance
    const key = replicaKey(instance)
    const serves = serving.get(key)
    if (serves === undefined) continue
    const known = chosen.get(key)
    if (!known || generation === serves || (known.generation !== serves && generation > known.generation))
      chosen.set(key, instance)
  }
  return [...chosen.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, instance]) => instance)
}

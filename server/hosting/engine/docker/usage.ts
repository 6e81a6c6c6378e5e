import type { Usage } from '../engine.ts'
import { orUndefined, type EngineClient } from './http-client.ts'

/** A container's statistics as Docker reports them. All fields are absent if it does not run. */
export interface ContainerStats {
  cpu_stats?: { cpu_usage?: { total_usage?: number } }
  memory_stats?: { usage?: number; stats?: { inactive_file?: number; total_inactive_file?: number } }
  networks?: Record<string, { rx_bytes?: number; tx_bytes?: number }>
}

/** The current resource use of a container. A one-shot request: otherwise Docker waits two seconds to measure twice. */
export async function readUsage(client: EngineClient, container: string, signal: AbortSignal) {
  const query = { stream: 'false', 'one-shot': 'true' }
  const stats = await client
    .call<ContainerStats | undefined>('GET', `/containers/${container}/stats`, { signal, query })
    // The container was removed meanwhile, or its removal is in progress.
    .catch(orUndefined(404, 409))
  return stats && usageOf(stats)
}

/** Docker's own client also excludes the inactive file cache: `inactive_file` in cgroups 2, `total_inactive_file` in 1. */
export function usageOf({ cpu_stats, memory_stats, networks }: ContainerStats): Usage | undefined {
  const { usage, stats } = memory_stats ?? {}
  if (usage === undefined || usage === 0) return undefined
  const cache = stats?.total_inactive_file ?? stats?.inactive_file ?? 0
  const sum = (amounts: (number | undefined)[]) => amounts.reduce<number>((total, amount) => total + (amount ?? 0), 0)
  const interfaces = Object.values(networks ?? {})
  return {
    memory_bytes: Math.max(0, usage - cache),
    processor_ns: cpu_stats?.cpu_usage?.total_usage ?? 0,
    received_bytes: sum(interfaces.map(({ rx_bytes }) => rx_bytes)),
    sent_bytes: sum(interfaces.map(({ tx_bytes }) => tx_bytes)),
  }
}

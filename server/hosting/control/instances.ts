import { EngineError } from '../engine/engine.ts'
import type { WorkRow } from './leases.store.ts'
import type { Observation, ReconcilerDeps } from './step-context.ts'

/** For so long a host that did not answer is not asked again about deployments that have instances elsewhere. */
const away_ms = 5_000

const away = new WeakMap<object, Map<string, { error: EngineError; at: number }>>()

/** What the hosts of the instances run of the deployment, by number of the instance, with restarts on the scale of its row. */
export async function observeInstances({ hosts }: Pick<ReconcilerDeps, 'hosts'>, row: WorkRow) {
  const known = away.get(hosts) ?? new Map<string, { error: EngineError; at: number }>()
  away.set(hosts, known)
  const names = new Set(row.instances.flatMap(({ host_server }) => host_server ?? []))
  const by_host = new Map<string, Observation>()
  await Promise.all(
    [...names].map(async (name) => {
      const before = known.get(name)
      if (names.size > 1 && before && performance.now() - before.at < away_ms) {
        by_host.set(name, before.error)
        return
      }
      const host = hosts.find(name)
      try {
        if (!host) throw new EngineError('unreachable', `The container host ${name} is not configured here.`)
        by_host.set(name, await host.observeOne(row.id))
        known.delete(name)
      } catch (error) {
        if (!(error instanceof EngineError)) throw error
        known.set(name, { error, at: performance.now() })
        by_host.set(name, error)
      }
    }),
  )
  const observed = new Map<number, Observation>()
  for (const instance of row.instances) {
    const { number, host_server } = instance
    const found = by_host.get(host_server ?? '') ?? []
    const of_number = found instanceof Error ? found : found.filter(({ replica }) => replica === number)
    const host = hosts.find(host_server ?? '')
    observed.set(number, of_number instanceof Error || !host ? of_number : host.countRestarts(instance, of_number))
  }
  return observed
}

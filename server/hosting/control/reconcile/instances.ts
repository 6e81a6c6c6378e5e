import { EngineError, type Observed } from '../../engine/engine.ts'
import type { Hosts } from '../hosts/hosts.ts'
import type { WorkRow } from './leases.store.ts'

/** The containers of an instance on a host, or the error that prevented the observation. */
export type Observation = readonly Observed[] | Error

/** Observes the instances of a deployment on their hosts, by number. Restarts are on the scale of their rows. */
export type InstanceObserver = (row: WorkRow) => Promise<ReadonlyMap<number, Observation>>

/** A host that did not answer is not called again for this long, for deployments with instances elsewhere. */
const away_ms = 5_000

export function openInstanceObserver(hosts: Hosts): InstanceObserver {
  const away = new Map<string, { error: EngineError; at: number }>()

  async function observeOn(name: string, id: string, has_others: boolean): Promise<Observation> {
    const before = away.get(name)
    if (has_others && before && performance.now() - before.at < away_ms) return before.error
    const host = hosts.find(name)
    if (!host) return new EngineError('unreachable', `The container host ${name} is not configured here.`)
    try {
      const observed = await host.observeOne(id)
      away.delete(name)
      return observed
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      away.set(name, { error, at: performance.now() })
      return error
    }
  }

  return async (row) => {
    const names = [...new Set(row.instances.flatMap(({ host_server }) => host_server ?? []))]
    const found = await Promise.all(names.map((name) => observeOn(name, row.id, names.length > 1)))
    const by_host = new Map(names.map((name, at) => [name, found[at]!]))
    return new Map(
      row.instances.map((instance): [number, Observation] => {
        const { number, host_server } = instance
        const all = by_host.get(host_server ?? '') ?? []
        if (all instanceof Error) return [number, all]
        const own = all.filter(({ replica }) => replica === number)
        return [number, hosts.find(host_server ?? '')?.countRestarts(instance, own) ?? own]
      }),
    )
  }
}

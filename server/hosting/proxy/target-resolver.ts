import type { Target } from './routing.rules.ts'
import type { RouteTable } from './route-table.ts'
import { refusals, type Refusal } from './error-responses.ts'

export interface TargetResolver {
  /** Where a name's requests go; undefined where that is worth a wait. */
  now(name: string): Target | Refusal | undefined
  /** Where a name's requests go now; waits a few seconds for a deployment on its way. */
  resolve(name: string, signal: AbortSignal): Promise<Target | Refusal>
  /** Where to try after a target could not be reached: what the table in the database says by now. */
  resolveAgain(name: string, failed: Target, signal: AbortSignal): Promise<Target | Refusal>
}

export const isTarget = (found: Target | Refusal): found is Target => 'deployment_id' in found

/** How long another look into the database may take, and how long a switch that is just being made is waited for. */
const look_again_ms = 1_000
const switch_ms = 250

/** Finds targets in the route table, and nowhere else. */
export function openTargetResolver(table: RouteTable, hold_ms: number): TargetResolver {
  const now = (name: string) => {
    const destination = table.find(name)?.destination
    if (!destination) return table.loadedAt() === 0 ? refusals.unready : refusals.unknown_host
    if (destination.to === 'target') return destination.target
    return destination.to === 'rest' ? refusals[destination.rest] : undefined
  }
  const resolve = async (name: string, signal: AbortSignal) => {
    const until = Date.now() + hold_ms
    for (;;) {
      const found = now(name)
      if (found) return found
      const id = table.find(name)?.row.id
      const ms = until - Date.now()
      if (id === undefined || ms <= 0 || signal.aborted) return refusals.starting
      await table.nextChange(id, ms, signal)
    }
  }
  return {
    now,
    resolve,
    async resolveAgain(name, failed, signal) {
      await Promise.race([table.refresh(failed.deployment_id), after(look_again_ms)])
      const found = await resolve(name, signal)
      if (!isTarget(found) || found.port !== failed.port || found.host !== failed.host) return found
      await table.nextChange(failed.deployment_id, switch_ms, signal)
      return resolve(name, signal)
    },
  }
}

const after = (ms: number) =>
  new Promise<void>((done) => {
    setTimeout(done, ms).unref()
  })

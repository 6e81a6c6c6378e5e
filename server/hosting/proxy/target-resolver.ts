import { isSameAddress, type Target } from './routing.rules.ts'
import type { RouteTable } from './route-table.ts'
import type { Upstreams } from './upstreams.ts'
import { error_responses, type ErrorResponse } from './error-responses.ts'

export interface TargetResolver {
  /** True if requests for a hostname can be sent to an address other than this one. */
  hasOther(hostname: string, target: Target): boolean
  /** The target of a hostname, or the error response; undefined if its deployment is starting or unknown. */
  resolveNow(hostname: string): Target | ErrorResponse | undefined
  /** The target of a hostname, or the error response; waits a few seconds for a deployment that is starting. */
  resolve(hostname: string, signal: AbortSignal): Promise<Target | ErrorResponse>
  /** The target to retry with after `failed` was unreachable: another replica, or the route after a reload from the database. */
  resolveAfterFailure(hostname: string, failed: Target, signal: AbortSignal): Promise<Target | ErrorResponse>
}

export const isTarget = (found: Target | ErrorResponse): found is Target => 'deployment_id' in found

/** How long a reload of the route may take, and how long a switch in progress is awaited. */
const refresh_timeout_ms = 1_000
const switch_wait_ms = 250

export interface TargetResolverOptions {
  table: RouteTable
  upstreams: Upstreams
  hold_ms: number
}

/** Resolves targets from the route table only. */
export function openTargetResolver({ table, upstreams, hold_ms }: TargetResolverOptions): TargetResolver {
  const resolveNow = (hostname: string) => {
    const destination = table.find(hostname)?.destination
    if (!destination) return table.loadedAt() === 0 ? error_responses.not_ready : undefined
    if (destination.state === 'target') return upstreams.choose(destination.targets)
    return destination.state === 'unavailable' ? error_responses[destination.reason] : undefined
  }
  const resolve = async (hostname: string, signal: AbortSignal) => {
    const deadline = performance.now() + hold_ms
    if (table.loadedAt() !== 0 && !table.find(hostname))
      await Promise.race([table.findNew(hostname), delay(refresh_timeout_ms)])
    for (;;) {
      const found = resolveNow(hostname)
      if (found) return found
      const id = table.find(hostname)?.row.id
      if (id === undefined) return error_responses.unknown_host
      const ms = deadline - performance.now()
      if (ms <= 0 || signal.aborted) return error_responses.starting
      await table.nextChange(id, ms, signal)
    }
  }
  return {
    hasOther(hostname, target) {
      const destination = table.find(hostname)?.destination
      return destination?.state === 'target' && destination.targets.some((each) => !isSameAddress(each, target))
    },
    resolveNow,
    resolve,
    async resolveAfterFailure(hostname, failed, signal) {
      upstreams.upstreamOf(failed).failed_at = performance.now()
      const other = resolveNow(hostname)
      if (other && isTarget(other) && !upstreams.hasFailed(other)) return other
      await Promise.race([table.refresh(failed.deployment_id), delay(refresh_timeout_ms)])
      const found = await resolve(hostname, signal)
      if (!isTarget(found) || !isSameAddress(found, failed)) return found
      await table.nextChange(failed.deployment_id, switch_wait_ms, signal)
      return resolve(hostname, signal)
    },
  }
}

const delay = (ms: number) =>
  new Promise<void>((done) => {
    setTimeout(done, ms).unref()
  })

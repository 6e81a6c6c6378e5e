import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/postgres/database.ts'
import type { Logger } from '../../../platform/log.ts'
import type { Observed, RegistryAuth } from '../../engine/engine.ts'
import type { Host, Hosts } from '../hosts/hosts.ts'
import type { InstanceObserver, Observation } from './instances.ts'
import type { Isolation } from '../hosts/isolation.rules.ts'
import type { WorkRow } from './leases.store.ts'
import type { InstanceClaim } from './instances.store.ts'
import type { InstanceRow } from './plan.rules.ts'
import type { Timing } from '../timing.rules.ts'
import type { Placement } from '../hosts/placement.ts'
import type { ObservationHistory } from './observation-history.ts'

export interface ReconcilerDeps {
  db: Database
  clock: Clock
  log: Logger
  hosts: Hosts
  timing: Timing
  isolation: Isolation
  /** This process's id in `lease_owner`. */
  owner: string
  environmentOf(row: { id: string; sealed_env: Buffer }): Record<string, string>
  registryAuthOf(image: string): RegistryAuth | undefined
}

/** A worker's lease of one deployment, as its steps see it. */
export interface LeaseHandle {
  /** Aborted when the lease is lost or the worker stops. No step may continue. */
  signal: AbortSignal
  /** Throws when the lease may have expired. Called before each change to an engine. */
  throwIfExpired(): void
  /** Aborted when the desired state may have changed since the last `refresh`. */
  intentSignal(): AbortSignal
  /** Called before the row is read again. */
  refresh(): void
  /** Called with the row that was read. A later generation than its own is a new intent. */
  observed(row: { generation: number }): void
}

export interface ReconcilerContext extends ReconcilerDeps {
  history: ObservationHistory
  observeInstances: InstanceObserver
  placement: Placement
}

/** The result of a step: read the row and observe again, nothing more to do, or try again after this many seconds. */
export type StepOutcome = 'continue' | 'done' | number

/** The context of a step: the deployment's row, the current containers of each instance by number, and the lease. */
export interface StepContext {
  deps: ReconcilerContext
  lease: LeaseHandle
  row: WorkRow
  observed: ReadonlyMap<number, Observation>
}

/** The context of a step of one instance. */
export interface InstanceContext extends StepContext {
  instance: InstanceRow
  claim: InstanceClaim
  host: Host
  containers: readonly Observed[]
}

/** Errors of the driver carry a code; programming errors do not. */
export const isDatabaseError = (error: unknown) =>
  error instanceof Error && ('code' in error || /connection|timeout|client/i.test(error.message))

/** Longer waits release the lease, so that the worker can claim another deployment. */
const short_wait_seconds = 1
/** The deadline of a call that stops or removes something. */
export const call_seconds = 60

/** Waits up to one second, or until the intent changes. Returns a longer wait for the caller to schedule. */
export async function waitFor(lease: LeaseHandle, seconds: number): Promise<StepOutcome> {
  if (seconds > short_wait_seconds) return seconds
  await new Promise<void>((resolve) => {
    const signals = [lease.signal, lease.intentSignal()]
    const end = () => {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, seconds * 1000)
    for (const signal of signals) signal.addEventListener('abort', end)
    if (signals.some(({ aborted }) => aborted)) end()
  })
  return 'continue'
}

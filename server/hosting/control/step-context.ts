import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/postgres/database.ts'
import type { Logger } from '../../platform/log.ts'
import type { Observed, RegistryAuth } from '../engine/engine.ts'
import type { Hosts } from './hosts.ts'
import type { WorkRow } from './leases.store.ts'
import type { Timing } from './timing.rules.ts'
import type { ObservationHistory } from './observation-history.ts'

export interface ReconcilerDeps {
  db: Database
  clock: Clock
  log: Logger
  hosts: Hosts
  timing: Timing
  /** This process, as leases name it. */
  owner: string
  environmentOf(row: { id: string; sealed_env: Buffer }): Record<string, string>
  registryAuthOf(image: string): RegistryAuth | undefined
}

/** The hold on one deployment while it is worked on. */
export interface LeaseHandle {
  /** Fires when the lease is lost or the worker stops: nothing may be done any more. */
  signal: AbortSignal
  /** Throws when the lease may have ended: asked before anything is done to an engine. */
  throwIfExpired(): void
  /** Fires when something else may be wanted than what the row said when it was last looked at. */
  intentSignal(): AbortSignal
  /** The row is about to be looked at. */
  refresh(): void
  /** The row was looked at: a later generation than this is something else that is wanted. */
  observed(row: { generation: number }): void
}

/** Something that may pass, and that is neither an engine's doing nor the database's. The message is for owners and admins. */
export class PlatformError extends Error {
  readonly fault: 'environment_unreadable'
  constructor(fault: PlatformError['fault'], message: string) {
    super(message)
    this.name = 'PlatformTrouble'
    this.fault = fault
  }
}

export interface ReconcilerContext extends ReconcilerDeps {
  history: ObservationHistory
}

/** What follows: another look at once, nothing, or another look after so many seconds. */
export type StepOutcome = 'continue' | 'done' | number

/** One deployment as it was just seen, and who works on it. */
export interface StepContext {
  deps: ReconcilerContext
  lease: LeaseHandle
  row: WorkRow
  observed: readonly Observed[]
}

/** Waits up to this are waited for in place; longer ones free the worker's hands. */
const short_wait_seconds = 1
/** Longest wait for an engine to stop or remove something. */
export const call_seconds = 60

/** Waits in place for a moment, shorter when something else may be wanted; what is longer is left to the one who asks. */
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

import { renewLeases, type WorkRow } from './leases.store.ts'
import type { LeaseHandle, ReconcilerDeps } from './step-context.ts'
import type { Timing } from '../timing.rules.ts'

/** A deployment that this process has leased, with what the worker needs to keep or end the lease. */
export interface LeasedWork extends LeaseHandle {
  row: WorkRow
  stop(): void
  /** The desired state may have changed. */
  notifyIntent(): void
  /** The lease was renewed at this time. `generation` is the row's: it reveals a new intent whose NOTIFY was lost. */
  renewed(at: number, generation: number): void
  /** False once the lease may have expired, by this process's own clock. */
  isValid(): boolean
  done: Promise<void>
}

/** Renews all leases of this process in one statement, three times per lease period, and stops the work on lost leases. */
export function startLeaseRenewal(
  { db, log, timing, owner }: Pick<ReconcilerDeps, 'db' | 'log' | 'timing' | 'owner'>,
  leased: ReadonlyMap<string, LeasedWork>,
) {
  const stopExpired = () => {
    for (const work of leased.values()) if (!work.isValid()) work.stop()
  }

  async function renew() {
    // After a pause of the process, expired work stops before it processes answers that arrived meanwhile.
    stopExpired()
    const at = performance.now()
    const ids = [...leased.keys()]
    if (ids.length === 0) return
    try {
      const renewed = await renewLeases(db, owner, ids, timing.lease_seconds)
      for (const id of ids) {
        const generation = renewed.get(id)
        if (generation === undefined) leased.get(id)?.stop()
        else leased.get(id)?.renewed(at, generation)
      }
    } catch (error) {
      log.warn({ error: (error as Error).message }, 'leases were not renewed')
    }
    stopExpired()
  }

  const timer = setInterval(() => void renew(), (timing.lease_seconds * 1000) / 3)
  return { stop: () => clearInterval(timer) }
}

/** The lease of a deployment that was claimed at `claimed_at`. */
export function leaseWork(row: WorkRow, claimed_at: number, { lease_seconds }: Timing): LeasedWork {
  const lease = new AbortController()
  let intent = new AbortController()
  let { generation } = row
  // 10 % before the database's expiry, so that a started call can still be sent.
  const expiryOf = (at: number) => at + lease_seconds * 900
  let expires_at = expiryOf(claimed_at)
  const isValid = () => performance.now() < expires_at
  return {
    row,
    signal: lease.signal,
    intentSignal() {
      return intent.signal
    },
    throwIfExpired() {
      if (!isValid()) lease.abort()
      lease.signal.throwIfAborted()
    },
    refresh() {
      if (intent.signal.aborted) intent = new AbortController()
    },
    observed(latest) {
      generation = latest.generation
    },
    stop: () => lease.abort(),
    notifyIntent: () => intent.abort(),
    renewed(at, latest_generation) {
      expires_at = expiryOf(at)
      if (latest_generation > generation) intent.abort()
    },
    isValid,
    done: Promise.resolve(),
  }
}

import { renewLeases, type WorkRow } from './leases.store.ts'
import type { LeaseHandle, ReconcilerDeps } from './step-context.ts'
import type { Timing } from './timing.rules.ts'

/** A deployment that this process works on, from the side of the one who keeps its lease. */
export interface LeasedWork extends LeaseHandle {
  row: WorkRow
  stop(): void
  /** Something else may be wanted. */
  notifyIntent(): void
  /** The lease is prolonged; the row's generation tells whether something else is wanted, should nobody have said so. */
  renewed(at: number, generation: number): void
  /** False once the lease may have ended, by this process's own clock. */
  isValid(): boolean
  done: Promise<void>
}

/** Prolongs the leases of all that is worked on, in one statement, and stops the work on what is lost. */
export function startLeaseRenewal(
  { db, log, timing, owner }: Pick<ReconcilerDeps, 'db' | 'log' | 'timing' | 'owner'>,
  held: ReadonlyMap<string, LeasedWork>,
) {
  const stopLost = () => {
    for (const work of held.values()) if (!work.isValid()) work.stop()
  }

  async function renew() {
    // After a pause of the whole process this comes before the answers that waited meanwhile are acted on.
    stopLost()
    const at = performance.now()
    const ids = [...held.keys()]
    if (ids.length === 0) return
    try {
      const kept = await renewLeases(db, owner, ids, timing.lease_seconds)
      for (const id of ids) {
        const generation = kept.get(id)
        if (generation === undefined) held.get(id)?.stop()
        else held.get(id)?.renewed(at, generation)
      }
    } catch (error) {
      log.warn({ error: (error as Error).message }, 'leases were not renewed')
    }
    stopLost()
  }

  const timer = setInterval(() => void renew(), (timing.lease_seconds * 1000) / 3)
  return { stop: () => clearInterval(timer) }
}

/** The hold on a deployment that was just claimed. */
export function leaseWork(row: WorkRow, claimed_at: number, { lease_seconds }: Timing): LeasedWork {
  const lease = new AbortController()
  let intent = new AbortController()
  let { generation } = row
  // A little earlier than the database thinks: what is begun then still has time to be sent.
  const until = (at: number) => at + lease_seconds * 900
  let good_until = until(claimed_at)
  const isValid = () => performance.now() < good_until
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
    observed(seen) {
      generation = seen.generation
    },
    stop: () => lease.abort(),
    notifyIntent: () => intent.abort(),
    renewed(at, wanted) {
      good_until = until(at)
      if (wanted > generation) intent.abort()
    },
    isValid,
    done: Promise.resolve(),
  }
}

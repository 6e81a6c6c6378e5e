import type { Clock } from '../platform/clock.ts'
import { forEachItem } from '../platform/each.ts'
import type { Logger } from '../platform/log.ts'
import type { Database } from '../platform/postgres/database.ts'
import { recordUses, type Use } from './app-sessions.store.ts'

/** Records the last uses of grants. It keeps them in memory and writes them in batches, so that reads do not write. */
export interface LastUseRecorder {
  record(use: Omit<Use, 'at'>): void
  /** The last use of a grant that is not written yet. */
  pending(grant_id: string): Date | undefined
  /** Writes all pending uses. Those of locked rows stay pending. Rejects with the first error. */
  flush(): Promise<void>
}

/** This many pending uses start a flush ahead of time. */
const pending_max = 100_000
/** Uses written by one statement: a longer statement would hold rows that a disconnect waits for. */
const batch_max = 1_000

export function createLastUseRecorder(db: Database, clock: Clock): LastUseRecorder {
  const pending = new Map<string, Use>()
  let flushes = 0
  /** A use stays pending until it is written. A newer use of the grant replaces it in the map and stays pending. */
  async function write(batch: Use[]) {
    const locked = new Set((await recordUses(db, batch)).map(({ grant_id }) => grant_id))
    for (const use of batch)
      if (pending.get(use.grant_id) === use && !locked.has(use.grant_id)) pending.delete(use.grant_id)
  }
  async function flush() {
    const uses = [...pending.values()]
    const batches = Array.from({ length: Math.ceil(uses.length / batch_max) }, (_, index) =>
      uses.slice(index * batch_max, (index + 1) * batch_max),
    )
    flushes++
    try {
      const [error] = await forEachItem(batches, write)
      if (error !== undefined) throw error as Error
    } finally {
      flushes--
    }
  }
  return {
    record({ grant_id, user_id, app_id }) {
      pending.set(grant_id, { grant_id, user_id, app_id, at: clock() })
      // The call that fills the map does not fail if the flush does: the uses stay pending.
      if (pending.size >= pending_max && flushes === 0) void flush().catch(() => {})
    },
    pending: (grant_id) => pending.get(grant_id)?.at,
    flush,
  }
}

/**
 * Writes pending uses regularly: well before a session without them counts as ended, and rarely enough to cost nothing
 * next to the spends of ten thousand users. Returns a function that stops it.
 */
export function startFlushing(
  { flush }: Pick<LastUseRecorder, 'flush'>,
  { log, heartbeat_seconds }: { log: Logger; heartbeat_seconds: number },
) {
  const write = () =>
    flush().catch((error: Error) => log.warn({ error: error.message }, 'uses of grants were not written'))
  const timer = setInterval(() => void write(), Math.min(20_000, (heartbeat_seconds * 1_000) / 6))
  return async () => clearInterval(timer)
}

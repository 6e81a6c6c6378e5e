import { decisions } from '../../contract/decisions.ts'
import type { ReleaseReason } from '../../contract/states.ts'
import { secondsAfter } from '../platform/clock.ts'
import { forEachItem } from '../platform/each.ts'
import { inBatches } from '../platform/in-batches.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue.ts'
import type { HoldsDeps } from './holds.service.ts'
import { listExpiredHolds, listOpenHoldsOfApp, listOpenHoldsOfUser, type OpenHold } from './holds.store.ts'
import type { Ledger } from './ledger.service.ts'
import { releaseOrder } from './rules.ts'
import { applyOrders } from './ledger.store.ts'

const { rounds_max } = decisions.holds

/**
 * Frees the holds that `list` returns, in bounded rounds; returns whether some may be left. A hold that cannot be freed does not block
 * the others; its error is thrown at the end, so that the job is retried.
 */
async function releaseInRounds(ledger: Ledger, kind: ReleaseReason, rows_max: number, list: () => Promise<OpenHold[]>) {
  let first_error: unknown
  let found_last = 0
  await inBatches(rows_max, async () => {
    const open = await list()
    let freed = 0
    const release = async (hold: OpenHold) => {
      if ((await ledger(releaseOrder(hold, kind))).outcome === 'applied') freed++
    }
    const [error] = await forEachItem(open, release, { at_once: rows_max })
    first_error ??= error
    // The next round would list the same holds.
    found_last = freed === 0 ? 0 : open.length
    return found_last
  })
  if (first_error !== undefined) throw first_error as Error
  return found_last === rows_max
}

/** Frees expired holds; the next run continues. */
export async function releaseExpiredHolds({ db, clock, ledger }: HoldsDeps) {
  await releaseInRounds(ledger, 'expired', rounds_max, () => listExpiredHolds(db, clock(), rounds_max))
}

export const release_job = 'points.release_holds_of_app'

/** A call that was authorized before the approval ended may still make a hold, so the job runs again after this time. */
const late_seconds = 10

/**
 * Frees the holds of an app that lost its approval, after the commit of the caller's transaction (D-97): by a job, because an app
 * may hold points of many people.
 */
export async function enqueueRelease(tx: Tx, app_id: string, now: Date) {
  for (const after_seconds of [0, late_seconds])
    await enqueue(tx, release_job, { app_id, until: secondsAfter(now, after_seconds).toISOString() }, { after_seconds })
}

/** Frees the holds of an app made until `until`. If some are left, the job is enqueued again. */
export async function releaseHoldsOfApp(
  { db, ledger }: Pick<HoldsDeps, 'db' | 'ledger'>,
  { app_id, until, rows_max = rounds_max }: { app_id: string; until: Date; rows_max?: number },
) {
  const list = () => listOpenHoldsOfApp(db, { app_id, until, rows_max })
  if (await releaseInRounds(ledger, 'approval_withdrawn', rows_max, list))
    await enqueue(db, release_job, { app_id, until: until.toISOString() })
}

/** Frees a person's holds, except those for still connected apps, in the transaction that ends a connection (D-97). */
export async function releaseHoldsOfEndedConnections(
  tx: Tx,
  { user_id, connected_app_ids, now }: { user_id: string; connected_app_ids: string[]; now: Date },
) {
  const open = await listOpenHoldsOfUser(tx, user_id, connected_app_ids)
  if (open.length > 0)
    await applyOrders(
      tx,
      now,
      open.map((hold) => releaseOrder(hold, 'disconnected')),
    )
}

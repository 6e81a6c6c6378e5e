import type { Clock } from '../platform/clock.ts'
import { Failure } from '../platform/failure.ts'
import { newId } from '../platform/ids.ts'
import type { Database } from '../platform/postgres/database.ts'
import type { Ledger } from './ledger.service.ts'
import { requestHash, requireApplied } from './service.ts'
import { findTransferWithRefunds, type StatementRow } from './statements.store.ts'

export interface RefundsDeps {
  db: Database
  clock: Clock
  ledger: Ledger
}

export interface NewRefund {
  transfer_id: string
  amount?: number
  reason?: string
}

export interface MadeRefund {
  refund: Omit<StatementRow, 'seq'>
  /** What the app has afterwards. */
  points: number
  replayed: boolean
}

/**
 * Returns points of a spend, all that is left of it or a part, to the person who spent them (D-98). Fails with `not_found` for
 * what is not a spend in this app, `refund_exceeds_spend`, `insufficient_points` of the app, `points_limit_reached` or
 * `idempotency_key_reused`.
 */
export async function refund(
  { db, ledger }: RefundsDeps,
  app_id: string,
  { transfer_id, amount, reason }: NewRefund,
  idempotency_key?: string,
): Promise<MadeRefund> {
  const [spent, ...refunds] = await findTransferWithRefunds(db, app_id, transfer_id)
  if (spent?.kind !== 'spend' || spent.user_id === null) throw new Failure('not_found', { transfer_id })
  const left = refunds.reduce((rest, earlier) => rest - earlier.amount, spent.amount)
  const id = newId()
  const result = await ledger({
    id,
    kind: 'refund',
    from_account: app_id,
    to_account: spent.user_id,
    // With nothing left the ledger refuses the order, unless its key says that it is a repetition.
    amount: amount ?? Math.max(left, 1),
    app_id,
    description: reason,
    reference: spent.reference ?? undefined,
    refunded_id: spent.id,
    idempotency_key,
    request_hash: requestHash(idempotency_key, [spent.id, amount ?? null, reason ?? null]),
  })
  const { outcome, at, transfer_id: refund_id, from_after: points } = requireApplied(result)
  if (outcome === 'replayed') {
    const [earlier] = await findTransferWithRefunds(db, app_id, refund_id)
    return { refund: earlier!, points, replayed: true }
  }
  const { user_id, reference } = spent
  const made = {
    ...{ id, user_id, reference, kind: 'refund' as const, direction: 'out' as const, amount: amount ?? left },
    ...{ points_after: points, description: reason ?? null, metadata: null, hold_id: null },
    ...{ refunded_transfer_id: spent.id, inserted_at: at },
  }
  return { refund: made, points, replayed: false }
}

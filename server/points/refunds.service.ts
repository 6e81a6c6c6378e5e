import type { AppByMember } from '../../contract/caller.ts'
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
  /** The app's balance afterwards. */
  points: number
  replayed: boolean
}

/**
 * Returns the rest or a part of a spend to the person who made it (D-98). Fails with `not_found` for an id that is not
 * a spend in this app, `refund_exceeds_spend`, `insufficient_points` of the app, `points_limit_reached` or
 * `idempotency_key_reused`.
 */
export async function refund(
  deps: RefundsDeps,
  { app_id, secret_id, member_id, member_role }: AppByMember,
  { transfer_id, amount, reason }: NewRefund,
  idempotency_key?: string,
): Promise<MadeRefund> {
  for (;;) {
    const { spent, left } = await findSpent(deps, app_id, transfer_id)
    const order = {
      id: newId(),
      kind: 'refund' as const,
      from_account: app_id,
      to_account: spent.user_id,
      app_id,
      // If nothing is left, the ledger refuses the order, unless its key identifies a repetition.
      amount: amount ?? Math.max(left, 1),
      description: reason,
      reference: spent.reference ?? undefined,
      refunded_id: spent.id,
      secret_id,
      member_id,
      member_role,
      idempotency_key,
      request_hash: requestHash(idempotency_key, [spent.id, amount ?? null, reason ?? null]),
    }
    const result = await deps.ledger(order)
    // Another refund was applied in between. Retry with the smaller rest; it shrinks with each round, so the loop ends.
    if (result.outcome === 'refund_exceeds_spend' && amount === undefined && left > 0) continue
    const { outcome, at, transfer_id: refund_id, from_after: points } = requireApplied(result)
    if (outcome === 'replayed') {
      const [earlier] = await findTransferWithRefunds(deps.db, app_id, refund_id)
      return { refund: earlier!, points, replayed: true }
    }
    return { refund: madeRefund(order, spent, { at, points }), points, replayed: false }
  }
}

/** A spend in this app and its refundable amount. Fails with `not_found`. */
async function findSpent({ db }: RefundsDeps, app_id: string, transfer_id: string) {
  const [spent, ...refunds] = await findTransferWithRefunds(db, app_id, transfer_id)
  if (spent?.kind !== 'spend' || spent.user_id === null) throw new Failure('not_found', { transfer_id })
  const left = refunds.reduce((rest, earlier) => rest - earlier.amount, spent.amount)
  return { spent: { ...spent, user_id: spent.user_id }, left }
}

const madeRefund = (
  { id, amount, description }: { id: string; amount: number; description: string | undefined },
  { id: spent_id, user_id, reference }: Pick<StatementRow, 'id' | 'user_id' | 'reference'>,
  { at, points }: { at: Date; points: number },
): MadeRefund['refund'] => ({
  id,
  kind: 'refund',
  direction: 'out',
  amount,
  points_after: points,
  user_id,
  to_user_id: null,
  description: description ?? null,
  reference,
  metadata: null,
  hold_id: null,
  refunded_transfer_id: spent_id,
  inserted_at: at,
})

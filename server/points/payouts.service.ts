import type { AppByMember, ClientCaller } from '../../contract/caller.ts'
import { failures } from '../../contract/errors.ts'
import { payout_refusals, type PayoutRefusal } from '../../contract/payment-fields.ts'
import { secondsAfter } from '../platform/clock.ts'
import { Failure } from '../platform/failure.ts'
import { newId } from '../platform/ids.ts'
import { applyIn } from './issuing.service.ts'
import { batchFailure } from './ledger.service.ts'
import type { RefundsDeps } from './refunds.service.ts'
import type { LedgerResult, Metadata, Move } from './rules.ts'
import { namesOf, requestHash, requireApplied } from './service.ts'
import { listTransfersOfApp, type StatementRow } from './statements.store.ts'

/** The bounds of points that leave apps (D-131, D-132). */
export interface PayoutBounds {
  earnings_held_days: number
  payout_daily_limit: number | undefined
}

export interface PayoutsDeps extends RefundsDeps {
  bounds: PayoutBounds
  /** Books part of a batch once the parts before it are booked, so that batches leave room for other calls. */
  inTurn<Result>(book: () => Promise<Result>): Promise<Result>
}

export interface NewPayout {
  to_user_id: string
  amount: number
  description?: string
  reference?: string
  metadata?: Metadata
}

type AppTransfer = Omit<StatementRow, 'seq'>

/** The outcome of an item of a batch: a payout, or a refusal. */
export interface PayoutOutcome {
  payout: AppTransfer | null
  error: PayoutRefusal | null
  message: string | null
}

const day_seconds = 86_400
/** Items of one transaction: spends in the app wait for it. */
const part_max = 128

/** Until when points must have come in to leave an app now; undefined if none are held (D-131). */
export const earnedBefore = ({ earnings_held_days }: PayoutBounds, now: Date) =>
  earnings_held_days === 0 ? undefined : secondsAfter(now, -earnings_held_days * day_seconds)

/**
 * Pays points of the app to a person who is connected to it (D-130). Fails with `recipient_not_connected`, `insufficient_points`,
 * `payout_limit_reached`, `points_limit_reached` or `idempotency_key_reused`.
 */
export async function payOut(deps: PayoutsDeps, caller: ClientCaller, payout: NewPayout, idempotency_key?: string) {
  const request_hash = requestHash(idempotency_key, itemOf(payout))
  const result = await deps.ledger(orderOf(deps, caller, payout, { kind: 'payout', idempotency_key, request_hash }))
  const refusal = refusalOf(result)
  if (refusal) throw new Failure(refusal, { to_user_id: payout.to_user_id, outcome: result.outcome })
  const { outcome, transfer_id, from_after: points } = requireApplied(result)
  const [made] = await listTransfersOfApp(deps.db, caller.app_id, [transfer_id])
  return { payout: made!, points, replayed: outcome === 'replayed' }
}

/**
 * Pays many people (D-130): each item by itself, in order. The first one claims the key: other items under a used key pay nothing.
 * Fails with `idempotency_key_reused`, or as the ledger does; without a key, with `outcome_unknown` once an item may be paid.
 */
export async function payOutAll(
  deps: PayoutsDeps,
  caller: ClientCaller,
  items: readonly NewPayout[],
  idempotency_key?: string,
): Promise<{ outcomes: PayoutOutcome[]; replayed: boolean }> {
  const payouts = items.map((item) => ({ ...item, to_user_id: item.to_user_id.toLowerCase() }))
  const request_hash = requestHash(idempotency_key, payouts.map(itemOf))
  const orders = payouts.map((payout, at) =>
    orderOf(deps, caller, payout, {
      kind: 'batched_payout',
      idempotency_key: idempotency_key && `${at} ${idempotency_key}`,
      request_hash,
    }),
  )
  const results: LedgerResult[] = []
  while (results.length < orders.length) {
    const part = orders.slice(results.length, results.length + part_max)
    await deps
      .inTurn(() => book(deps, part as [Move, ...Move[]], results))
      .catch((error: Error) => {
        // Without a key, nobody can learn what was paid of the rest.
        throw idempotency_key === undefined && results.length > 0
          ? new Failure('outcome_unknown', { error: error.message })
          : error
      })
  }
  const rows = await listTransfersOfApp(
    deps.db,
    caller.app_id,
    results.map(({ transfer_id }) => transfer_id),
  )
  const made = new Map(rows.map((row) => [row.id, row]))
  return {
    outcomes: results.map((result) => outcomeOf(result, made)),
    replayed: results[0]!.transfer_id !== orders[0]!.id,
  }
}

/**
 * Books a part of a batch in one transaction and adds its results. Fails with `idempotency_key_reused` if the key was used for other
 * items, which undoes the part: it is the first one, whose keys are read under the lock of the app's account.
 */
async function book({ db, clock }: PayoutsDeps, part: readonly [Move, ...Move[]], results: LedgerResult[]) {
  const booking = db.transaction(async (tx) => {
    const booked = await applyIn(tx, clock(), [...part])
    if (booked.some(({ outcome }) => outcome === 'key_reused')) throw new Failure('idempotency_key_reused')
    return booked
  })
  const booked = await booking.catch((error: unknown) => {
    throw error instanceof Failure ? error : batchFailure(error, part[0])
  })
  results.push(...booked)
}

function outcomeOf(result: LedgerResult, made: ReadonlyMap<string, AppTransfer>): PayoutOutcome {
  const error = refusalOf(result)
  if (error) return { payout: null, error, message: failures[error].message }
  return { payout: made.get(requireApplied(result).transfer_id)!, error: null, message: null }
}

/** The refusal of an item. Held points count as missing, and every person who cannot be paid as one who is not connected. */
function refusalOf({ outcome }: LedgerResult): PayoutRefusal | undefined {
  if (outcome === 'unknown_account') return 'recipient_not_connected'
  if (outcome === 'earnings_held') return 'insufficient_points'
  if (outcome === 'limit_reached') return 'points_limit_reached'
  return payout_refusals.find((refusal) => refusal === outcome)
}

const itemOf = ({ to_user_id, amount, description, ...names }: NewPayout) => [
  to_user_id,
  amount,
  description,
  ...namesOf(names),
]

const orderOf = (
  { clock, bounds }: PayoutsDeps,
  { app_id, secret_id }: ClientCaller,
  { to_user_id, ...texts }: NewPayout,
  order: Pick<Move, 'kind' | 'idempotency_key' | 'request_hash'>,
): Move => ({
  ...order,
  ...texts,
  id: newId(),
  from_account: app_id,
  to_account: to_user_id,
  app_id,
  secret_id,
  payout_limit: bounds.payout_daily_limit,
  earned_before: earnedBefore(bounds, clock()),
})

/**
 * Moves points of an app to the account of its owner, who has proved who they are (D-131). Fails with `insufficient_points`,
 * `earnings_held`, `points_limit_reached` or `idempotency_key_reused`.
 */
export async function withdraw(
  { db, clock, ledger, bounds }: PayoutsDeps,
  { app_id, member_id: owner_id, member_role }: Required<Pick<AppByMember, 'app_id' | 'member_id' | 'member_role'>>,
  amount: number,
  idempotency_key?: string,
) {
  const result = await ledger({
    id: newId(),
    kind: 'withdrawal',
    from_account: app_id,
    to_account: owner_id,
    amount,
    app_id,
    idempotency_key,
    request_hash: requestHash(idempotency_key, [owner_id, amount]),
    member_id: owner_id,
    member_role,
    earned_before: earnedBefore(bounds, clock()),
  })
  const { outcome, transfer_id, from_after: points } = requireApplied(result)
  const [withdrawal] = await listTransfersOfApp(db, app_id, [transfer_id])
  return { withdrawal: withdrawal!, points, replayed: outcome === 'replayed' }
}

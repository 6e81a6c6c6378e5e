import type { Static } from 'typebox'
import type { AppByMember, ClientCaller } from '../../contract/caller.ts'
import { failures } from '../../contract/errors.ts'
import { payout_refusals, type app_transfer, type PayoutRefusal } from '../../contract/payment-fields.ts'
import { createBatcher, type Batcher } from '../platform/batching/batcher.ts'
import { createGiveWay } from '../platform/batching/give-way.ts'
import { secondsAfter, type Clock } from '../platform/clock.ts'
import { Failure } from '../platform/failure.ts'
import { newId } from '../platform/ids.ts'
import type { Database, Sql } from '../platform/postgres/database.ts'
import { batchFailure, type Ledger } from './ledger.service.ts'
import { accountLocks } from './ledger.store.ts'
import { countTransfer } from './metrics.ts'
import { applyPayouts, type BookedPart, type NewPayout, type PayoutsPart } from './payouts.store.ts'
import type { RefundsDeps } from './refunds.service.ts'
import type { OrderOutcome } from './rules.ts'
import { namesOf, requestHash, requireApplied } from './service.ts'
import { listTransfersOfApp } from './statements.store.ts'

/** The limits on points that leave apps (D-131, D-132). */
export interface PayoutBounds {
  earnings_held_days: number
  payout_daily_limit: number | undefined
}

export interface PayoutsDeps extends RefundsDeps {
  bounds: PayoutBounds
  payouts: PayoutsLedger
}

/** Books parts of batches, one after the other. */
type PayoutsLedger = Batcher<PayoutsPart, BookedPart & { at: Date }>

type AppTransfer = Static<typeof app_transfer>

/** The outcome of an item of a batch: a payout, or a refusal. */
export interface PayoutOutcome {
  payout: AppTransfer | null
  error: PayoutRefusal | null
  message: string | null
}

const day_seconds = 86_400
/** Items of one transaction: spends in the app wait for it. */
const part_max = 128
/**
 * The pause after a part while single orders of this process are under way, as a multiple of the time that the part took.
 * Without it, a batch raises the p99 of single spends by up to 2 × (`bench/payouts.ts`).
 */
const pause_factor = 2
/** The bound of that pause: a part may have waited for the database. */
const pause_ms_max = 100
/** Parts that may wait for those before them. */
const parts_waiting_max = 1_000

/**
 * Opens the batcher of payouts: a separate connection books one part after another, so that single orders continue in
 * parallel and take precedence. Concurrent calls have no order. `drain()` it.
 */
export function openPayouts(db: Database, clock: Clock, ledger: Ledger): PayoutsLedger {
  const connection = db.pipelinedConnection()
  const giveWay = createGiveWay({ isBusy: ledger.isBusy, factor: pause_factor, pause_ms_max })
  return createBatcher<PayoutsPart, BookedPart & { at: Date }>({
    name: 'payouts',
    run: async ([part]) => [await giveWay(() => book(connection, clock(), part!))],
    batch_max: 1,
    queue_max: parts_waiting_max,
    send_ahead_at: 1,
    failed: (error, { idempotency_key }) => batchFailure(error, { kind: 'payout', idempotency_key }),
    locks: {
      keysOf: ({ app_id, payouts }) => [app_id, ...payouts.map(({ to_user_id }) => to_user_id)],
      ...accountLocks(db.locks),
    },
  })
}

async function book(db: Sql, at: Date, part: PayoutsPart) {
  const booked = await applyPayouts(db, at, part)
  if (!booked) return new Failure('idempotency_key_reused')
  for (const outcome of booked.outcomes)
    countTransfer('payout', outcome === 'applied' && !booked.points_after ? 'replayed' : outcome)
  return { ...booked, at }
}

/** Points that an app earned after this time cannot leave it yet; undefined if earnings are not held (D-131). */
export const earnedBefore = ({ earnings_held_days }: PayoutBounds, now: Date) =>
  earnings_held_days === 0 ? undefined : secondsAfter(now, -earnings_held_days * day_seconds)

/**
 * Pays points of the app to a person who is connected to it (D-130). Fails with `recipient_not_connected`, `insufficient_points`,
 * `payout_limit_reached`, `points_limit_reached` or `idempotency_key_reused`.
 */
export async function payOut(deps: PayoutsDeps, caller: ClientCaller, payout: NewPayout, idempotency_key?: string) {
  const { to_user_id, ...texts } = payout
  const result = await deps.ledger({
    ...texts,
    ...boundsOf(deps, caller),
    id: newId(),
    kind: 'payout',
    from_account: caller.app_id,
    to_account: to_user_id,
    idempotency_key,
    request_hash: requestHash(idempotency_key, itemOf(payout)),
  })
  const refusal = refusalOf(result.outcome)
  if (refusal) throw new Failure(refusal, { to_user_id, outcome: result.outcome })
  const { outcome, transfer_id, from_after: points } = requireApplied(result)
  if (outcome === 'applied')
    return { payout: toTransfer(payout, transfer_id, points, result.at), points, replayed: false }
  const [made] = await listTransfersOfApp(deps.db, caller.app_id, [transfer_id])
  return { payout: made!, points, replayed: true }
}

/**
 * Pays many people (D-130): each item separately, in order. The first part claims the key: other items under a used key
 * pay nothing. Fails with `idempotency_key_reused`, or as the ledger does; without a key, with `outcome_unknown` once
 * an item may be paid.
 */
export async function payOutAll(
  deps: PayoutsDeps,
  caller: ClientCaller,
  items: readonly NewPayout[],
  idempotency_key?: string,
): Promise<{ outcomes: PayoutOutcome[]; replayed: boolean }> {
  const payouts = items.map((item) => ({ ...item, to_user_id: item.to_user_id.toLowerCase() }))
  const request_hash = requestHash(idempotency_key, payouts.map(itemOf))
  const outcomes: PayoutOutcome[] = []
  let replayed = false
  while (outcomes.length < payouts.length) {
    const first = outcomes.length
    const of_part = payouts.slice(first, first + part_max)
    const part = {
      ...boundsOf(deps, caller),
      payouts: of_part,
      ids: of_part.map(newId),
      idempotency_key: idempotency_key && `${first} ${idempotency_key}`,
      request_hash,
    }
    const booked = await deps.payouts(part).catch((error: Error) => {
      // Without a key, the caller cannot learn which of the rest were paid.
      throw idempotency_key === undefined && first > 0
        ? new Failure('outcome_unknown', { error: error.message })
        : error
    })
    outcomes.push(...(await outcomesOf(deps, part, booked)))
    if (first === 0) replayed = booked.points_after === null
  }
  return { outcomes, replayed }
}

/** Reads transfers that an earlier call made. */
async function outcomesOf(
  { db }: PayoutsDeps,
  { app_id, payouts, ids }: PayoutsPart,
  { outcomes, made_ids, points_after, at }: BookedPart & { at: Date },
): Promise<PayoutOutcome[]> {
  const earlier = made_ids ? await listTransfersOfApp(db, app_id, made_ids) : []
  const made = new Map(earlier.map((row) => [row.id, row]))
  return outcomes.map((outcome, place) => {
    const error = refusalOf(outcome)
    if (error) return { payout: null, error, message: failures[error].message }
    const payout = made_ids
      ? made.get(made_ids[place]!)!
      : toTransfer(payouts[place]!, ids[place]!, points_after![place]!, at)
    return { payout, error: null, message: null }
  })
}

/** A payout booked just now, in the format of the app's list. */
const toTransfer = (
  { to_user_id, amount, description, reference, metadata }: NewPayout,
  id: string,
  points_after: number,
  inserted_at: Date,
): AppTransfer => ({
  id,
  kind: 'payout',
  direction: 'out',
  amount,
  points_after,
  user_id: to_user_id,
  to_user_id: null,
  description: description ?? null,
  reference: reference ?? null,
  metadata: metadata ?? null,
  hold_id: null,
  refunded_transfer_id: null,
  inserted_at,
})

/**
 * The refusal of an item. Held earnings count as missing points, and every person who cannot be paid as not connected.
 */
function refusalOf(outcome: OrderOutcome): PayoutRefusal | undefined {
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

const boundsOf = ({ clock, bounds }: PayoutsDeps, { app_id, secret_id }: ClientCaller) => ({
  app_id,
  secret_id,
  payout_limit: bounds.payout_daily_limit,
  earned_before: earnedBefore(bounds, clock()),
})

/**
 * Moves points of an app to the account of its owner, whose identity was proved (D-131). Fails with
 * `insufficient_points`, `earnings_held`, `points_limit_reached` or `idempotency_key_reused`.
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

import type { BodyOf } from '../../contract/endpoint.ts'
import type { createPayout } from '../../contract/payments.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { arrayText, placed } from './ledger.store.ts'
import type { OrderOutcome } from './rules.ts'

export type NewPayout = BodyOf<typeof createPayout>

/** Payouts of an app that one transaction books: a part of a batch. */
export interface PayoutsPart {
  app_id: string
  secret_id: string
  payouts: readonly NewPayout[]
  /** The ids of the transfers. */
  ids: readonly string[]
  /** The key of the batch, with the part's position in it. */
  idempotency_key: string | undefined
  request_hash: Buffer | undefined
  payout_limit: number | undefined
  earned_before: Date | undefined
}

/** For each payout its outcome, and the balance afterwards or, if an earlier call booked it, its id. */
export interface BookedPart {
  outcomes: OrderOutcome[]
  made_ids: string[] | null
  points_after: (number | null)[] | null
}

/**
 * Books the payouts in order, in one transaction of one round trip; see functions.sql. Undefined if the key was used
 * for other payouts.
 */
export async function applyPayouts(db: Sql, now: Date, part: PayoutsPart): Promise<BookedPart | undefined> {
  const { app_id, payouts } = part
  const { account_ids, positions } = placed(new Set(payouts.map(({ to_user_id }) => to_user_id)).add(app_id))
  const valuesOf = <Value>(valueOf: (payout: NewPayout) => Value | undefined) =>
    payouts.some((payout) => valueOf(payout) !== undefined) ? payouts.map((payout) => valueOf(payout) ?? null) : null
  const [booked] = await db.sql<BookedPart | Record<keyof BookedPart, null>>`
    select to_json(outcomes) as outcomes, to_json(made_ids) as made_ids, to_json(points_after) as points_after
      from apply_payouts(
        ${now}, ${app_id}, ${part.idempotency_key ?? null}, ${part.request_hash ?? null},
        ${arrayText(account_ids)}, ${arrayText(part.ids)},
        ${arrayText(payouts.map(({ to_user_id }) => positions.get(to_user_id)!))},
        ${arrayText(payouts.map(({ amount }) => amount))},
        ${valuesOf(({ description }) => description)},
        ${valuesOf(({ reference }) => reference)},
        ${valuesOf(({ metadata }) => metadata && JSON.stringify(metadata))},
        ${part.payout_limit ?? null}, ${part.earned_before ?? null})
     where require_clients(array[${part.secret_id}::uuid], null)`
  return booked?.outcomes ? booked : undefined
}

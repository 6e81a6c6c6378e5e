import { transfer_kinds } from '../../contract/point-fields.ts'
import { release_reasons, type ReleaseReason } from '../../contract/states.ts'

export type TransferKind = (typeof transfer_kinds)[number]

/** The ledger's own accounts. Their balances have no lower bound, so points are issued from them and end there. */
export const system_accounts = {
  /** Gets what people who left still had, and what is returned to them later (D-106). */
  departed: '00000000-0000-7000-8000-000000000000',
  issuance: '00000000-0000-7000-8000-000000000001',
  rewards: '00000000-0000-7000-8000-000000000002',
  billing: '00000000-0000-7000-8000-000000000003',
} as const

/** What an order does: move points as one of the kinds of transfers, or make, capture or release a hold. */
export const order_kinds = [...transfer_kinds, 'hold', 'capture', ...release_reasons] as const
export type OrderKind = (typeof order_kinds)[number]

/**
 * One order for the ledger to apply. An idempotency key is unique per operation (the kind), app and account: the user's, or the
 * app's where the app itself is the caller (capture, void, refund).
 */
export interface LedgerOrder {
  /** The id of the transfer or hold that the order makes. */
  id: string
  kind: OrderKind
  from_account: string
  to_account: string
  amount: number
  app_id?: string | undefined
  description?: string | undefined
  idempotency_key?: string | undefined
  /** Hash of the client's request: distinguishes a replay from a reused key. */
  request_hash?: Buffer | undefined
  /** The app's own (D-96). */
  reference?: string | undefined
  metadata?: Metadata | undefined
  /** The hold that the order captures or releases. */
  hold_id?: string | undefined
  /** The transfer that a refund returns (D-98). */
  refunded_id?: string | undefined
  /** Of a hold. */
  expires_at?: Date | undefined
}

/** The order that frees an open hold. */
export const releaseOrder = (
  { id, user_id, amount }: { id: string; user_id: string; amount: number },
  kind: ReleaseReason,
): LedgerOrder => ({
  id,
  kind,
  from_account: user_id,
  to_account: user_id,
  amount,
  hold_id: id,
})

/** Up to 16 texts by name, for the app's own use (D-96). */
export type Metadata = Record<string, string>

export type OrderOutcome =
  | 'applied'
  | 'replayed'
  | 'key_reused'
  | 'insufficient_points'
  | 'unknown_account'
  | 'limit_reached'
  | 'spending_limit_reached'
  | 'hold_settled'
  | 'refund_exceeds_spend'

export interface LedgerResult {
  outcome: OrderOutcome
  /** The transfer or hold that the order made; for a key that was used before, the one that was made then. */
  transfer_id: string
  /** What is available to the accounts afterwards: without what is held. */
  from_after: number
  to_after: number
  /** What is held of the account in all; only for an order that made a hold. */
  from_held: number | null
}

/** By how many seconds the clocks of a time zone are ahead of UTC at a moment. */
export function offsetOf(time_zone: string, moment: Date) {
  const text = moment.toLocaleString('sv-SE', { timeZone: time_zone })
  return (Date.parse(`${text.replace(' ', 'T')}Z`) - Math.floor(moment.getTime() / 1_000) * 1_000) / 1_000
}

/** Whether this is the name of a time zone. PostgreSQL accepts abbreviations and offsets too, some with the opposite sign. */
export function isTimeZone(name: string) {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

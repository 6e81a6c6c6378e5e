import type { AppEventType } from '../../contract/app-events.ts'
import type { MemberRole } from '../../contract/kinds/member-roles.ts'
import { transfer_kinds, transfers, type TransferKind } from '../../contract/kinds/transfers.ts'
import type { ReleaseReason } from '../../contract/states.ts'

/** The ledger's own accounts. Their balances have no lower bound, so points are issued from them and end there. */
export const system_accounts = {
  /** Receives the remaining points of people who left, and later refunds to them. */
  departed: '00000000-0000-7000-8000-000000000000',
  issuance: '00000000-0000-7000-8000-000000000001',
  rewards: '00000000-0000-7000-8000-000000000002',
  billing: '00000000-0000-7000-8000-000000000003',
} as const

/** The effect of an order on the ledger; see functions.sql. */
type Effect = 'move' | 'hold' | 'capture' | 'release'

interface OrderFacts {
  effect: Effect
  /** The kind of transfer or the reason of the release that is stored. */
  stored_as: string
  counts_to_limit: boolean
  to_users_only: boolean
  refuses_closed: boolean
  event: AppEventType | null
  /** Whether a hold that has expired refuses it. */
  before_expiry: boolean
  pays_out: boolean
}

export type OrderKind = TransferKind | 'hold' | 'capture' | ReleaseReason

const hold_facts = {
  counts_to_limit: true,
  to_users_only: false,
  refuses_closed: true,
  before_expiry: false,
  pays_out: false,
  event: null,
} as const
const release = (stored_as: ReleaseReason): OrderFacts => ({
  ...hold_facts,
  effect: 'release',
  stored_as,
  refuses_closed: false,
  event: 'hold.released',
})
const move = (kind: TransferKind): OrderFacts => {
  const { to_closed, ...facts } = transfers[kind]
  const refuses_closed = to_closed === 'refuse'
  return { ...facts, effect: 'move', stored_as: kind, refuses_closed, before_expiry: false }
}

/** The properties of each kind of order. */
export const order_facts: Record<OrderKind, OrderFacts> = {
  ...(Object.fromEntries(transfer_kinds.map((kind) => [kind, move(kind)])) as Record<TransferKind, OrderFacts>),
  hold: { ...hold_facts, effect: 'hold', stored_as: 'hold' },
  capture: { ...hold_facts, effect: 'capture', stored_as: 'spend', event: 'hold.captured', before_expiry: true },
  voided: { ...release('voided'), before_expiry: true },
  expired: release('expired'),
  disconnected: release('disconnected'),
  approval_withdrawn: release('approval_withdrawn'),
}
export const order_kinds = Object.keys(order_facts) as OrderKind[]

/** The stored kinds of transfers that count towards a daily limit. */
export const limited_kinds = transfer_kinds.filter((kind) => transfers[kind].counts_to_limit)

interface AnyOrder {
  /** The id of the transfer or hold that the order makes, or of the hold that it releases. */
  id: string
  from_account: string
  to_account: string
  amount: number
  app_id?: string | undefined
  /**
   * Unique per operation (the kind), app and account: the user's, or the app's if the app itself is the caller
   * (capture, void, refund, payout).
   */
  idempotency_key?: string | undefined
  /** Hash of the client's request: distinguishes a replay from a reused key. */
  request_hash?: Buffer | undefined
  /** The secret of the calling app: nothing is booked once it has ended. */
  secret_id?: string | undefined
  /** The person who calls for the app: nothing is booked once they have lost the role (D-134). */
  member_id?: string | undefined
  member_role?: MemberRole | undefined
  /** The calling app, if nothing may be booked once its approval has ended. */
  approved_app_id?: string | undefined
}

interface AppTexts {
  /** Set by the app. */
  reference?: string | undefined
  metadata?: Metadata | undefined
}

export interface Move extends AnyOrder, AppTexts {
  kind: TransferKind
  description?: string | undefined
  /** The transfer that a refund returns. */
  refunded_id?: string | undefined
  /**
   * For a tool of the MCP server: the points that tools may move in 24 hours if the person has set no daily limit
   * (D-156).
   */
  agent_limit?: number | undefined
  /** For a payout, the points that the app may pay out in 24 hours, unless admins set another limit. */
  payout_limit?: number | undefined
  /** Points that the app earned since then stay in it (D-131). */
  earned_before?: Date | undefined
}

interface Hold extends AnyOrder, AppTexts {
  kind: 'hold'
  expires_at: Date
}

interface Capture extends AnyOrder, AppTexts {
  kind: 'capture'
  hold_id: string
  description?: string | undefined
}

interface Release extends AnyOrder {
  kind: ReleaseReason
  hold_id: string
}

/** One order for the ledger to apply. */
export type LedgerOrder = Move | Hold | Capture | Release

/** The order that frees an open hold. */
export const releaseOrder = (
  { id, user_id, app_id, amount }: { id: string; user_id: string; app_id: string; amount: number },
  kind: ReleaseReason,
): LedgerOrder => ({
  id,
  kind,
  from_account: user_id,
  to_account: user_id,
  amount,
  app_id,
  hold_id: id,
})

/** Up to 16 texts by name, for the app's own use. */
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
  | 'recipient_not_connected'
  | 'earnings_held'
  | 'payout_limit_reached'

export interface LedgerResult {
  outcome: OrderOutcome
  /** The transfer or hold that the order made; for a used key, the earlier one. */
  transfer_id: string
  /** Available points of the accounts afterwards, without held points. */
  from_after: number
  to_after: number
  /** All held points of the account; null unless the order made a hold. */
  from_held: number | null
}

/** The offset of a time zone from UTC at a moment, in seconds; positive to the east. */
export function offsetOf(time_zone: string, moment: Date) {
  const text = moment.toLocaleString('sv-SE', { timeZone: time_zone })
  return (Date.parse(`${text.replace(' ', 'T')}Z`) - Math.floor(moment.getTime() / 1_000) * 1_000) / 1_000
}

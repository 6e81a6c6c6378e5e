import { counter, type Count } from '../platform/metrics/metrics.ts'
import { order_kinds, type LedgerOrder, type LedgerResult, type OrderKind, type OrderOutcome } from './rules.ts'

const outcomes = [
  'applied',
  'replayed',
  'key_reused',
  'insufficient_points',
  'unknown_account',
  'limit_reached',
  'spending_limit_reached',
  'hold_settled',
  'refund_exceeds_spend',
  'recipient_not_connected',
  'earnings_held',
  'payout_limit_reached',
  'overloaded',
  'outcome_unknown',
  'error',
] as const satisfies readonly (OrderOutcome | 'overloaded' | 'outcome_unknown' | 'error')[]

const transfers_total = counter({
  name: 'plaza_transfers_total',
  help: 'Orders for the ledger, by what became of them.',
  labels: {
    kind: order_kinds.map((kind) => `\`${kind}\``).join(', '),
    outcome: outcomes.map((outcome) => `\`${outcome}\``).join(', '),
  },
})

const byOutcome = (kind: OrderKind) =>
  Object.fromEntries(outcomes.map((outcome) => [outcome, transfers_total.with({ kind, outcome })])) as Record<
    (typeof outcomes)[number],
    Count
  >

const counts = Object.fromEntries(order_kinds.map((kind) => [kind, byOutcome(kind)])) as Record<
  OrderKind,
  Record<(typeof outcomes)[number], Count>
>

export const countTransfer = (kind: OrderKind, outcome: (typeof outcomes)[number]) => counts[kind][outcome].add()

/** Counts the orders of a batch. Errors were already counted where they were thrown. */
export function countTransfers(orders: readonly LedgerOrder[], results: readonly (LedgerResult | Error)[]) {
  for (const [at, { kind }] of orders.entries()) {
    const result = results[at]
    if (result && 'outcome' in result) counts[kind][result.outcome].add()
  }
}

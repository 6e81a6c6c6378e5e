interface TransferFacts {
  /** Whether it counts against the daily limit that a person sets for an app (D-100). */
  counts_to_limit: boolean
  /** Whether only a person can receive it. */
  to_users_only: boolean
  /** A closed account refuses it, or it goes to the system account of those who left (D-106). */
  to_closed: 'refuse' | 'departed'
  /** The event that the app of the transfer gets (D-101). */
  event: `points.${string}` | null
  /** Whether points leave an app for a person connected to it, within its daily limit (D-130, D-132). */
  pays_out: boolean
}

const of_platform = {
  counts_to_limit: false,
  to_users_only: false,
  to_closed: 'departed',
  event: null,
  pays_out: false,
} as const satisfies TransferFacts

/**
 * Every kind of transfer. A `transfer` is made by an app, a `direct` one by the person (D-137). A `payout` takes points from an app for a
 * person, a `withdrawal` for its owner (D-130, D-131). `play` occurs in a sandbox only (D-102), `closure` when somebody left (D-106).
 */
export const transfers = {
  award: { ...of_platform, event: 'points.awarded' },
  spend: { ...of_platform, counts_to_limit: true, to_closed: 'refuse', event: 'points.spent' },
  refund: { ...of_platform, event: 'points.refunded' },
  payout: { ...of_platform, to_users_only: true, to_closed: 'refuse', event: 'points.paid_out', pays_out: true },
  withdrawal: { ...of_platform, to_users_only: true, to_closed: 'refuse' },
  transfer: { ...of_platform, counts_to_limit: true, to_users_only: true, to_closed: 'refuse' },
  direct: { ...of_platform, to_users_only: true, to_closed: 'refuse' },
  signup: of_platform,
  referral: of_platform,
  reward: of_platform,
  charge: of_platform,
  stipend: of_platform,
  play: of_platform,
  closure: of_platform,
} as const satisfies Record<string, TransferFacts>

export type TransferKind = keyof typeof transfers
export const transfer_kinds = Object.keys(transfers) as TransferKind[]

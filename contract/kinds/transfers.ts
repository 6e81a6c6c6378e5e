interface TransferFacts {
  /** Whether it counts towards the daily limit of a person for an app (D-100). */
  counts_to_limit: boolean
  /** Whether only a person can receive it. */
  to_users_only: boolean
  /** A transfer to a closed account is refused, or goes to the system account for departed people (D-106). */
  to_closed: 'refuse' | 'departed'
  /** The event that the app of the transfer receives (D-101). */
  event: `points.${string}` | null
  /** Whether it pays points of an app to a connected person, within the app's daily limit (D-130, D-132). */
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
 * Every kind of transfer. An app makes a `transfer`, a person a `direct` one (D-137). A `payout` pays points of an app
 * to a person, a `withdrawal` to the app's owner (D-130, D-131). `play` occurs only in a sandbox (D-102), `closure`
 * when an account is deleted (D-106).
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

import type { transfer_kinds } from '../../contract/points.ts'

export type TransferKind = (typeof transfer_kinds)[number]

/** The ledger's own accounts. Their balances have no lower bound, so points are issued from them and end there. */
export const system_accounts = {
  issuance: '00000000-0000-7000-8000-000000000001',
  rewards: '00000000-0000-7000-8000-000000000002',
  billing: '00000000-0000-7000-8000-000000000003',
} as const

/** One transfer for the ledger to apply. An idempotency key is unique per user, app and kind. */
export interface TransferOrder {
  id: string
  kind: TransferKind
  from_account: string
  to_account: string
  amount: number
  app_id?: string | undefined
  description?: string | undefined
  idempotency_key?: string | undefined
  /** Hash of the client's request: distinguishes a replay from a reused key. */
  request_hash?: Buffer | undefined
}

export type TransferOutcome =
  | 'applied'
  | 'replayed'
  | 'key_reused'
  | 'insufficient_points'
  | 'unknown_account'
  | 'limit_reached'

export interface TransferResult {
  outcome: TransferOutcome
  transfer_id: string
  from_after: number
  to_after: number
}

/** Whether this is the name of a time zone. PostgreSQL accepts abbreviations and offsets too, some with the opposite sign. */
export function isTimeZone(name: string) {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

import type { transfer_kinds } from '../../contract/points.ts'

export type TransferKind = (typeof transfer_kinds)[number]

/** The ledger's accounts that belong to nobody: they are unbounded, so points can begin and end there. */
export const system_accounts = {
  issuance: '00000000-0000-7000-8000-000000000001',
  rewards: '00000000-0000-7000-8000-000000000002',
  billing: '00000000-0000-7000-8000-000000000003',
} as const

/** One movement asked of the ledger. Spends and transfers of one user, app and kind share a space of idempotency keys. */
export interface TransferOrder {
  id: string
  kind: TransferKind
  from_account: string
  to_account: string
  amount: number
  app_id?: string | undefined
  description?: string | undefined
  idempotency_key?: string | undefined
  /** What the client asked for, hashed: tells a replay from a reused key. */
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

/** Is this the name of a time zone? PostgreSQL would take abbreviations and offsets too, some with another sign. */
export function isTimeZone(name: string) {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

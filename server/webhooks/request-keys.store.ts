import { purgesRowsOf } from '../platform/erasure.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'

export interface RequestKey {
  owner_id: string
  operation: string
  key: string
}

export interface StoredRequest {
  request_hash: Buffer
  answer: Record<string, unknown>
  /** The secret of the response, while it is valid. */
  secret_id: string | null
  sealed: Buffer | null
}

/** The committed call with this key. */
export async function findRequest(db: Sql, { owner_id, operation, key }: RequestKey) {
  const [row] = await db.sql<StoredRequest>`
    select k.request_hash, k.answer, k.secret_id, s.sealed
      from webhook_request_keys k left join webhook_secrets s on s.id = k.secret_id
     where k.owner_id = ${owner_id} and k.operation = ${operation} and k.key = ${key}`
  return row
}

/** Claims the key for this transaction; waits for a transaction that has claimed it. False if it is used. */
export async function claimRequestKey(
  tx: Tx,
  { owner_id, operation, key }: RequestKey,
  { request_hash, now }: { request_hash: Buffer; now: Date },
) {
  const rows = await tx.sql`
    insert into webhook_request_keys (owner_id, operation, key, request_hash, inserted_at)
    values (${owner_id}, ${operation}, ${key}, ${request_hash}, ${now})
    on conflict do nothing returning 1`
  return rows.length > 0
}

export const storeAnswer = (
  tx: Tx,
  { owner_id, operation, key }: RequestKey,
  { answer, secret_id }: { answer: unknown; secret_id: string | null },
) =>
  tx.sql`
    update webhook_request_keys set answer = ${JSON.stringify(answer)}::jsonb, secret_id = ${secret_id}
     where owner_id = ${owner_id} and operation = ${operation} and key = ${key}`

export const purgeRequestKeys = purgesRowsOf('webhook_request_keys', 'inserted_at')

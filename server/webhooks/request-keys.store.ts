import { purgesRowsOf } from '../platform/erasure.ts'
import { firstRow, hasRows, type Sql, type Tx } from '../platform/postgres/database.ts'

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
export const findRequest = (db: Sql, { owner_id, operation, key }: RequestKey) =>
  firstRow(db.sql<StoredRequest>`
    select k.request_hash, k.answer, k.secret_id, s.sealed
      from webhook_request_keys k left join webhook_secrets s on s.id = k.secret_id
     where k.owner_id = ${owner_id} and k.operation = ${operation} and k.key = ${key}`)

/** Claims the key for this transaction; waits for a transaction that has claimed it. False if it is used. */
export const claimRequestKey = (
  tx: Tx,
  { owner_id, operation, key }: RequestKey,
  { request_hash, now }: { request_hash: Buffer; now: Date },
) =>
  hasRows(tx.sql`
    insert into webhook_request_keys (owner_id, operation, key, request_hash, inserted_at)
    values (${owner_id}, ${operation}, ${key}, ${request_hash}, ${now})
    on conflict do nothing returning 1`)

export const storeAnswer = (
  tx: Tx,
  { owner_id, operation, key }: RequestKey,
  { answer, secret_id }: { answer: unknown; secret_id: string | null },
) =>
  tx.sql`
    update webhook_request_keys set answer = ${JSON.stringify(answer)}::jsonb, secret_id = ${secret_id}
     where owner_id = ${owner_id} and operation = ${operation} and key = ${key}`

export const purgeRequestKeys = purgesRowsOf('webhook_request_keys', 'inserted_at')

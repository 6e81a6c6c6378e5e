import { purgesRowsOf } from '../platform/erasure.ts'
import { firstValue, type Sql, type Tx } from '../platform/postgres/database.ts'

/** Stores a code; a retry of its mail has the same code. */
export const insertResetCode = (
  db: Sql,
  { code_hash, user_id, expires_at }: { code_hash: Buffer; user_id: string; expires_at: Date },
) =>
  db.sql`
    insert into reset_codes (code_hash, user_id, expires_at) values (${code_hash}, ${user_id}, ${expires_at})
    on conflict (code_hash) do update set expires_at = excluded.expires_at`

/**
 * Consumes a reset code; returns the id of its user, or undefined if the code is unknown, expired or used. Lock order:
 * the user before the code, as in `setPassword`, which voids the user's other codes.
 */
export const consumeResetCode = (tx: Tx, code_hash: Buffer, now: Date) =>
  firstValue(tx.sql<{ user_id: string }>`
    with locked as (
      select u.id
        from reset_codes r join users u on u.id = r.user_id
       where r.code_hash = ${code_hash} and r.expires_at > ${now}
         for no key update of u
    )
    delete from reset_codes r using locked where r.code_hash = ${code_hash} and r.user_id = locked.id
    returning r.user_id`)

export const voidResetCodes = (tx: Tx, user_id: string) => tx.sql`delete from reset_codes where user_id = ${user_id}`

export const purgeResetCodes = purgesRowsOf('reset_codes', 'expires_at')

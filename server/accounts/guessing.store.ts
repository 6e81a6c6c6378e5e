import type { Sql, Tx } from '../platform/postgres/database.ts'

/** Notes that the user signed in from there. */
export const rememberAddress = (db: Sql, { user_id, address, now }: { user_id: string; address: string; now: Date }) =>
  db.sql`
    insert into login_addresses (user_id, address, inserted_at) values (${user_id}, ${address}, ${now})
    on conflict do nothing`

/** Has the user signed in from there before? Nobody (null) has. */
export async function isKnownAddress(db: Sql, user_id: string | null, address: string) {
  const rows = await db.sql`
    select 1 from login_addresses where user_id = ${user_id}::uuid and address = ${address}`
  return rows.length > 0
}

// Codes that set a new password

export const putResetCode = (
  db: Sql,
  { code_hash, user_id, expires_at }: { code_hash: Buffer; user_id: string; expires_at: Date },
) => db.sql`insert into reset_codes (code_hash, user_id, expires_at) values (${code_hash}, ${user_id}, ${expires_at})`

/**
 * Uses up a reset code; tells whose it was, or undefined when it is unknown, expired or used. The user is locked first, as
 * `setPassword` does that voids the others: two codes of one user that are used at once come one after the other.
 */
export async function consumeResetCode(tx: Tx, code_hash: Buffer, now: Date) {
  const [row] = await tx.sql<{ user_id: string }>`
    with held as (
      select u.id
        from reset_codes r join users u on u.id = r.user_id
       where r.code_hash = ${code_hash} and r.expires_at > ${now}
         for no key update of u
    )
    delete from reset_codes r using held where r.code_hash = ${code_hash} and r.user_id = held.id
    returning r.user_id`
  return row?.user_id
}

export const purgeResetCodes = async (db: Sql, { before, rows_max }: { before: Date; rows_max: number }) => {
  const rows = await db.sql`
    delete from reset_codes
     where code_hash = any(array(
       select code_hash from reset_codes where expires_at < ${before}
        order by expires_at limit ${rows_max} for update skip locked))
    returning user_id`
  return rows.length
}

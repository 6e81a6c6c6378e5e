import type { Sql } from '../platform/postgres/database.ts'

/** Records that the user signed in from a network address. */
export const recordLoginAddress = (
  db: Sql,
  { user_id, address, now }: { user_id: string; address: string; now: Date },
) =>
  db.sql`
    insert into login_addresses (user_id, address, inserted_at) values (${user_id}, ${address}, ${now})
    on conflict do nothing`

/** Whether the user has signed in from the address before; false without a user (null). */
export async function isKnownAddress(db: Sql, user_id: string | null, address: string) {
  const rows = await db.sql`
    select 1 from login_addresses where user_id = ${user_id}::uuid and address = ${address}`
  return rows.length > 0
}

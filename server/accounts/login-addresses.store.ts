import { hasRows, type Sql } from '../platform/postgres/database.ts'

/**
 * Records a network address that the user signed in from. Returns true if the account has signed in before, but never
 * from an address beginning with `neighbourhood`.
 */
export async function recordLoginAddress(
  db: Sql,
  { user_id, address, neighbourhood, now }: { user_id: string; address: string; neighbourhood: string; now: Date },
) {
  const [row] = await db.sql<{ is_new: boolean }>`
    with recorded as (
      insert into login_addresses (user_id, address, inserted_at) values (${user_id}, ${address}, ${now})
      on conflict do nothing
      returning 1
    )
    select exists (select from recorded)
           and exists (select from login_addresses where user_id = ${user_id})
           and not exists (select from login_addresses where user_id = ${user_id} and starts_with(address, ${neighbourhood}))
           as is_new`
  return row?.is_new ?? false
}

/** Whether the user has signed in from the address before; false without a user (null). */
export const isKnownAddress = (db: Sql, user_id: string | null, address: string) =>
  hasRows(db.sql`
    select 1 from login_addresses where user_id = ${user_id}::uuid and address = ${address}`)

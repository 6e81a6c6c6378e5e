import { purgesRowsOf } from '../platform/erasure.ts'
import { firstValue, hasRows, theValue, type Sql, type Tx } from '../platform/postgres/database.ts'

/** Whether a name is reserved for another user. */
export const isNameReserved = (
  db: Sql,
  { name_hashes, user_id, now }: { name_hashes: Buffer[]; user_id: string; now: Date },
) =>
  hasRows(db.sql`
    select from reserved_usernames
     where name_hash = any(${name_hashes}::bytea[]) and reserved_until > ${now} and user_id is distinct from ${user_id}::uuid`)

/** Reserves a name, for a user or (null) for nobody. */
export const reserveName = (
  tx: Tx,
  { name_hash, user_id, reserved_until }: { name_hash: Buffer; user_id: string | null; reserved_until: Date },
) => tx.sql`
  insert into reserved_usernames (name_hash, user_id, reserved_until) values (${name_hash}, ${user_id}, ${reserved_until})
  on conflict (name_hash) do update set user_id = excluded.user_id, reserved_until = excluded.reserved_until`

/** Ends the reservation of a name when its former holder takes it back. */
export const releaseName = (tx: Tx, name_hashes: Buffer[]) =>
  tx.sql`delete from reserved_usernames where name_hash = any(${name_hashes}::bytea[])`

export const countReservedNames = (tx: Tx, user_id: string, now: Date) =>
  theValue(tx.sql<{ count: number }>`
    select count(*) as count from reserved_usernames where user_id = ${user_id} and reserved_until > ${now}`)

/** Sets the name if the password is still the checked one (null: any); returns the old name. */
export const setUsername = (tx: Tx, user_id: string, username: string, password_hash: string | null) =>
  firstValue(tx.sql<{ username: string }>`
    with before as (
      select id, username from users
       where id = ${user_id} and (${password_hash}::text is null or password_hash = ${password_hash}) for update
    )
    update users u set username = ${username} from before b where u.id = b.id returning b.username`)

export const purgeReservedNames = purgesRowsOf('reserved_usernames', 'reserved_until')

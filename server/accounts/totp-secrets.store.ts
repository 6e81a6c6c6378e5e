import { allValues, countRows, theValue, type Sql } from '../platform/postgres/database.ts'
import type { SealedChange, SealedRow } from '../platform/sealed-rows.ts'

/** The distinct key ids of two-factor secrets; one index probe each. */
export const listTotpKeyIds = (db: Sql) =>
  allValues(db.sql<{ key_id: Buffer }>`
    with recursive ids(key_id) as (
      (select totp_key_id from users
        where totp_key_id is not null and (totp_secret is not null or totp_pending_secret is not null)
        order by totp_key_id limit 1)
      union all
      select (select u.totp_key_id from users u
               where u.totp_key_id > i.key_id and (u.totp_secret is not null or u.totp_pending_secret is not null)
               order by u.totp_key_id limit 1)
        from ids i where i.key_id is not null
    )
    select key_id from ids where key_id is not null`)

export const countTotpSealedWith = (db: Sql, key_id: Buffer) =>
  theValue(db.sql<{ count: number }>`
    select count(*) as count from users
     where totp_key_id = ${key_id} and (totp_secret is not null or totp_pending_secret is not null)`)

/**
 * Secrets sealed with this key, or without a key id (null), in id order. An account has either a secret or a pending
 * one.
 */
export const listSealedTotp = (
  db: Sql,
  { key_id, after, rows_max }: { key_id: Buffer | null; after: string; rows_max: number },
) =>
  key_id === null
    ? db.sql<SealedRow>`
        select id, coalesce(totp_secret, totp_pending_secret) as sealed, totp_key_id as key_id from users
         where totp_key_id is null and (totp_secret is not null or totp_pending_secret is not null) and id > ${after}
         order by id limit ${rows_max}`
    : db.sql<SealedRow>`
        select id, coalesce(totp_secret, totp_pending_secret) as sealed, totp_key_id as key_id from users
         where totp_key_id = ${key_id} and (totp_secret is not null or totp_pending_secret is not null) and id > ${after}
         order by id limit ${rows_max}`

/**
 * Replaces secrets and their key id if the old secret is unchanged, in either column, because a set-up may finish in
 * the meantime. Skips locked rows, so that a batch never waits while it holds locks; returns the number of changed
 * rows.
 */
export async function replaceSealedTotp(db: Sql, changes: readonly SealedChange[], key_id: Buffer) {
  const ids = changes.map(({ id }) => id)
  return countRows(db.sql`
    with free as (
      select id from users where id = any(${ids}::uuid[]) order by id for no key update skip locked
    )
    update users u
       set totp_secret = case when u.totp_secret = c.old then c.sealed else u.totp_secret end,
           totp_pending_secret = case when u.totp_pending_secret = c.old then c.sealed else u.totp_pending_secret end,
           totp_key_id = ${key_id}
      from free,
           unnest(${ids}::uuid[], ${changes.map(({ old }) => old)}::bytea[],
                  ${changes.map(({ sealed }) => sealed)}::bytea[]) c(id, old, sealed)
     where u.id = free.id and u.id = c.id and (u.totp_secret = c.old or u.totp_pending_secret = c.old)
    returning u.id`)
}

/** Accounts with a recovery code left. */
export const countRecoverable = (db: Sql) =>
  theValue(db.sql<{ count: number }>`
    select count(distinct user_id) as count from recovery_codes where used_at is null`)

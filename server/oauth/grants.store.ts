import { hasRows, theValue, type Sql, type Tx } from '../platform/postgres/database.ts'

/** Locks an unrevoked grant until the transaction ends; false if it is revoked. */
export const lockGrant = (tx: Tx, grant_id: string) =>
  hasRows(tx.sql`select from grants where id = ${grant_id} and revoked_at is null for share`)

/** Revokes a grant, and with it its tokens and session. */
export const revokeGrant = (db: Sql, grant_id: string, now: Date) =>
  db.sql`update grants set revoked_at = ${now} where id = ${grant_id} and revoked_at is null`

/** Revokes the user's grants, with their tokens and sessions: for one app, or for all if `app_id` is null. */
export const revokeGrants = (tx: Tx, user_id: string, app_id: string | null, now: Date) =>
  tx.sql`
    update grants set revoked_at = ${now}
     where user_id = ${user_id} and revoked_at is null and (${app_id}::uuid is null or app_id = ${app_id})`

/**
 * Deletes grants whose tokens and sessions have all expired, with their codes, tokens and sessions: up to `rows_max`
 * grants and as many used refresh tokens; returns the number of both together. Every grant has exactly one unused
 * refresh token, the newest: grants are found by it, and a grant expires with it.
 *
 * Until then used codes and used refresh tokens are retained, so that a reuse is detected (D-25, D-26). A grant has one
 * code and one refresh token per rotation, about 220 bytes each with indexes. The rate limit of the token endpoint
 * (D-06) and the lifetime of access tokens (D-21) bound their number: hourly rotations for ten years are 20 MB.
 */
export const purgeGrants = (db: Sql, { before, rows_max }: { before: Date; rows_max: number }) =>
  theValue(db.sql<{ purged: number }>`
    with expired as materialized (
      select r.token_hash, r.grant_id
        from refresh_tokens r
       where r.used_at is null and r.expires_at < ${before}
         -- With offset 0 each lookup is an index probe: as a join, either table may be scanned whole.
         and not exists (select from access_tokens t where t.grant_id = r.grant_id offset 0)
         and not exists (select from app_sessions s
                          where s.grant_id = r.grant_id and s.ended_at is null and s.expires_at >= ${before} offset 0)
       order by r.expires_at limit ${rows_max} for update of r skip locked
    ), used as materialized (
      select token_hash from refresh_tokens
       where grant_id = any(array(select grant_id from expired)) and used_at is not null
       limit ${rows_max}
    ), ended as materialized (
      -- While a batch is full of used tokens, only those are deleted.
      select * from expired where (select count(*) from used) < ${rows_max}
    ), refresh as (
      delete from refresh_tokens
       where token_hash = any(array(select token_hash from used union all select token_hash from ended))
    ), codes as (
      delete from authorization_codes where grant_id = any(array(select grant_id from ended))
    ), sessions as (
      delete from app_sessions where grant_id = any(array(select grant_id from ended))
    ), openid as (
      delete from openid_grants where grant_id = any(array(select grant_id from ended))
    ), grants as (
      delete from grants where id = any(array(select grant_id from ended))
    )
    select (select count(*) from used) + (select count(*) from ended) as purged`)

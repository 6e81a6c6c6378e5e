import type { Scope } from '../../contract/scopes.ts'
import type { Sql } from '../platform/postgres/database.ts'

// Refresh tokens

export interface NewTokens {
  grant_id: string
  access_token_hash: Buffer
  access_token_expires_at: Date
  refresh_token_hash: Buffer
  refresh_token_expires_at: Date
  now: Date
}

export interface RefreshTokenRow {
  grant_id: string
  app_id: string
  scopes: Scope[]
  expires_at: Date
  used_at: Date | null
  sealed_successor: Buffer | null
  live: boolean
}

/**
 * A refresh token with its grant, and those of its scopes that the app is still allowed (D-87); `live` is false where none is,
 * and once the grant is revoked, its app not approved or its user suspended.
 */
export async function findRefreshToken(db: Sql, token_hash: Buffer) {
  const [row] = await db.sql<RefreshTokenRow>`
    select r.grant_id, g.app_id, r.expires_at, r.used_at, r.sealed_successor,
           array(select s from unnest(g.scopes) with ordinality granted(s, at)
                  where s = any(a.allowed_scopes) order by at) as scopes,
           g.revoked_at is null and a.is_approved and g.approval_epoch = a.approval_epoch
             and g.scopes && a.allowed_scopes and u.suspended_at is null as live
      from refresh_tokens r
      join grants g on g.id = r.grant_id
      join oauth_apps a on a.id = g.app_id
      join users u on u.id = g.user_id
     where r.token_hash = ${token_hash}`
  return row
}

/**
 * Uses a refresh token up and stores the pair that replaces it, in one statement; false when another call was first or
 * the grant has ended meanwhile.
 */
export async function rotateRefreshToken(
  db: Sql,
  token_hash: Buffer,
  sealed_successor: Buffer,
  scopes: Scope[],
  tokens: NewTokens,
) {
  const rows = await db.sql`
    with old as (
      update refresh_tokens r
         set used_at = ${tokens.now}, sealed_successor = ${sealed_successor}
        from grants g
       where r.token_hash = ${token_hash} and r.used_at is null and r.expires_at > ${tokens.now}
         and g.id = r.grant_id and g.revoked_at is null
      returning g.id as grant_id, g.user_id, g.app_id
    ), access_token as (
      insert into access_tokens (token_hash, grant_id, user_id, app_id, scopes, inserted_at, expires_at)
      select ${tokens.access_token_hash}, grant_id, user_id, app_id, ${scopes}, ${tokens.now},
             ${tokens.access_token_expires_at}
        from old
    ), refresh_token as (
      insert into refresh_tokens (token_hash, grant_id, inserted_at, expires_at)
      select ${tokens.refresh_token_hash}, grant_id, ${tokens.now}, ${tokens.refresh_token_expires_at} from old
    )
    select grant_id from old`
  return rows.length > 0
}

export const revokeGrant = (db: Sql, grant_id: string, now: Date) =>
  db.sql`update grants set revoked_at = ${now} where id = ${grant_id} and revoked_at is null`

// Access tokens

export interface AccessTokenRow {
  grant_id: string
  user_id: string
  app_id: string
  client_id: string
  scopes: Scope[]
  inserted_at: Date
  expires_at: Date
  live: boolean
}

/**
 * Access tokens, with those of their scopes that the app is still allowed (D-87); `live` is false where none is, and once the
 * token, its grant, its app's approval or its user's account has ended.
 */
export const findAccessTokens = (db: Sql, token_hashes: Buffer[]) =>
  db.sql<AccessTokenRow & { token_hash: Buffer }>`
    select t.token_hash, t.grant_id, t.user_id, t.app_id, a.client_id, t.inserted_at, t.expires_at,
           array(select s from unnest(t.scopes) with ordinality granted(s, at)
                  where s = any(a.allowed_scopes) order by at) as scopes,
           t.revoked_at is null and g.revoked_at is null and a.is_approved and t.scopes && a.allowed_scopes
             and g.approval_epoch = a.approval_epoch and u.suspended_at is null as live
      from access_tokens t
      join grants g on g.id = t.grant_id
      join oauth_apps a on a.id = t.app_id
      join users u on u.id = t.user_id
     where t.token_hash = any(${token_hashes}::bytea[])`

export const revokeAccessToken = (db: Sql, token_hash: Buffer, now: Date) =>
  db.sql`update access_tokens set revoked_at = ${now} where token_hash = ${token_hash} and revoked_at is null`

// What is over

export async function purgeAccessTokens(db: Sql, { before, rows_max }: { before: Date; rows_max: number }) {
  const rows = await db.sql`
    delete from access_tokens
     where token_hash = any(array(
       select token_hash from access_tokens where expires_at < ${before}
        order by expires_at limit ${rows_max} for update skip locked))
    returning 1`
  return rows.length
}

/**
 * Deletes grants with all that is left of them, once nothing of theirs works or is told apart any more: up to `rows_max` of
 * them and as many used refresh tokens; tells how many rows of the two went. Every grant has one refresh token that is not
 * used, the newest: it is what a grant is found by, and its end is the grant's.
 *
 * Until then used codes and used refresh tokens stay, or their reuse would go unseen (D-25, D-26). A grant has one code. Its
 * refresh tokens are as many as its rotations, some 220 bytes each with their indexes: what bounds them is how often a
 * client may call the token endpoint (D-06), and how often it needs to (D-21: hourly for ten years are 20 MB).
 */
export async function purgeGrants(db: Sql, { before, rows_max }: { before: Date; rows_max: number }) {
  const [row] = await db.sql<{ forgotten: number }>`
    with over as materialized (
      select r.token_hash, r.grant_id
        from refresh_tokens r
       where r.used_at is null and r.expires_at < ${before}
         -- The offsets have each looked up by itself: joined, either table may be read whole.
         and not exists (select from access_tokens t where t.grant_id = r.grant_id offset 0)
         and not exists (select from app_sessions s
                          where s.grant_id = r.grant_id and s.ended_at is null and s.expires_at >= ${before} offset 0)
       order by r.expires_at limit ${rows_max} for update of r skip locked
    ), used as materialized (
      select token_hash from refresh_tokens
       where grant_id = any(array(select grant_id from over)) and used_at is not null
       limit ${rows_max}
    ), ended as materialized (
      -- While there may be more used tokens than a round takes, only those go.
      select * from over where (select count(*) from used) < ${rows_max}
    ), refresh as (
      delete from refresh_tokens
       where token_hash = any(array(select token_hash from used union all select token_hash from ended))
    ), codes as (
      delete from authorization_codes where grant_id = any(array(select grant_id from ended))
    ), sessions as (
      delete from app_sessions where grant_id = any(array(select grant_id from ended))
    ), grants as (
      delete from grants where id = any(array(select grant_id from ended))
    )
    select (select count(*) from used) + (select count(*) from ended) as forgotten`
  return row?.forgotten ?? 0
}

/** Wipes successors that may be replayed no more, up to `rows_max`; tells how many. */
export async function wipeSuccessors(db: Sql, { before, rows_max }: { before: Date; rows_max: number }) {
  const rows = await db.sql`
    update refresh_tokens set sealed_successor = null
     where token_hash = any(array(
       select token_hash from refresh_tokens where sealed_successor is not null and used_at < ${before}
        order by used_at limit ${rows_max} for update skip locked))
    returning 1`
  return rows.length
}

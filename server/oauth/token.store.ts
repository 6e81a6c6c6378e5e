import type { Scope } from '../../contract/scopes.ts'
import type { Sql } from '../kit/database.ts'

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

/** A refresh token with its grant; `live` is false once the grant is revoked, its app not approved or its user suspended. */
export async function findRefreshToken(db: Sql, token_hash: Buffer) {
  const [row] = await db.sql<RefreshTokenRow>`
    select r.grant_id, g.app_id, g.scopes, r.expires_at, r.used_at, r.sealed_successor,
           g.revoked_at is null and a.status = 'approved' and g.approval_epoch = a.approval_epoch
             and u.suspended_at is null as live
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

/** Access tokens; `live` is false once the token, its grant, its app's approval or its user's account has ended. */
export const findAccessTokens = (db: Sql, token_hashes: Buffer[]) =>
  db.sql<AccessTokenRow & { token_hash: Buffer }>`
    select t.token_hash, t.grant_id, t.user_id, t.app_id, a.client_id, t.scopes, t.inserted_at, t.expires_at,
           t.revoked_at is null and g.revoked_at is null and a.status = 'approved'
             and g.approval_epoch = a.approval_epoch and u.suspended_at is null as live
      from access_tokens t
      join grants g on g.id = t.grant_id
      join oauth_apps a on a.id = t.app_id
      join users u on u.id = t.user_id
     where t.token_hash = any(${token_hashes}::bytea[])`

export const revokeAccessToken = (db: Sql, token_hash: Buffer, now: Date) =>
  db.sql`update access_tokens set revoked_at = ${now} where token_hash = ${token_hash} and revoked_at is null`

// What is over

/** Deletes up to `rows_max` of each kind of row that can matter no more; tells how many went. */
export async function forgetOver(db: Sql, { now, rows_max }: { now: Date; rows_max: number }) {
  const [row] = await db.sql<{ forgotten: number }>`
    with codes as (
      delete from authorization_codes where code_hash in (
        select code_hash from authorization_codes where expires_at < ${now}::timestamptz - interval '1 day'
         limit ${rows_max} for update skip locked)
      returning 1
    ), access as (
      delete from access_tokens where token_hash in (
        select token_hash from access_tokens where expires_at < ${now}::timestamptz - interval '1 day'
         limit ${rows_max} for update skip locked)
      returning 1
    ), refresh as (
      delete from refresh_tokens where token_hash in (
        select token_hash from refresh_tokens where expires_at < ${now}::timestamptz - interval '1 day'
         limit ${rows_max} for update skip locked)
      returning 1
    ), session as (
      delete from session_tokens where token_hash in (
        select token_hash from session_tokens where expires_at < ${now}
         limit ${rows_max} for update skip locked)
      returning 1
    )
    select (select count(*) from codes) + (select count(*) from access) + (select count(*) from refresh)
         + (select count(*) from session) as forgotten`
  return row?.forgotten ?? 0
}

/** Wipes successors that may be replayed no more. */
export const wipeSuccessors = (db: Sql, { before, rows_max }: { before: Date; rows_max: number }) =>
  db.sql`
    update refresh_tokens set sealed_successor = null
     where token_hash in (
       select token_hash from refresh_tokens where sealed_successor is not null and used_at < ${before}
        limit ${rows_max} for update skip locked)`

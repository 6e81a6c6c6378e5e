import type { Resource } from '../../contract/caller.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { countRows, firstRow, hasRows, type Sql } from '../platform/postgres/database.ts'

/** The access token and the refresh token that replace a used refresh token. */
export interface NewTokenPair {
  grant_id: string
  access_token_hash: Buffer
  access_token_expires_at: Date
  refresh_token_hash: Buffer
  refresh_token_expires_at: Date
  /** The key that the access token is bound to; null for a Bearer token. */
  jkt: string | null
  now: Date
}

export interface RefreshTokenRow {
  grant_id: string
  user_id: string
  app_id: string
  scopes: Scope[]
  /** The time of the sign-in, if the grant issues identity tokens; otherwise null. */
  auth_time: Date | null
  /** The id of the sign-in at the app, if there is one (D-155). */
  sid: string | null
  /** The start of the grant's lifetime. */
  consented_at: Date
  inserted_at: Date
  expires_at: Date
  used_at: Date | null
  sealed_successor: Buffer | null
  /** The key that it is bound to; null if it needs the secret. */
  jkt: string | null
  resource: Resource
  live: boolean
}

/**
 * A refresh token with its grant and those of its scopes that the app may still use (D-87). `live` is false if no scope
 * is left, the grant is revoked, the app is not approved or the user is suspended.
 */
export const findRefreshToken = (db: Sql, token_hash: Buffer) =>
  firstRow(db.sql<RefreshTokenRow>`
    select r.grant_id, g.user_id, g.app_id, g.consented_at, g.resource, r.inserted_at, r.expires_at, r.used_at,
           r.sealed_successor, r.jkt,
           array(select s from unnest(g.scopes) with ordinality granted(s, at)
                  where s = any(a.allowed_scopes) order by at) as scopes,
           g.revoked_at is null and a.is_approved and g.approval_epoch = a.approval_epoch
             and g.scopes && a.allowed_scopes and u.suspended_at is null as live,
           o.auth_time, o.sid
      from refresh_tokens r
      join grants g on g.id = r.grant_id
      join oauth_apps a on a.id = g.app_id
      join users u on u.id = g.user_id
      left join lateral (select auth_time, sid from openid_grants where grant_id = g.id limit 1) o on true
     where r.token_hash = ${token_hash}`)

/**
 * Marks a refresh token as used and stores the pair that replaces it, in one statement; false if another call was first
 * or the grant has ended.
 */
export const replaceRefreshToken = (
  db: Sql,
  token_hash: Buffer,
  sealed_successor: Buffer,
  scopes: Scope[],
  tokens: NewTokenPair,
) =>
  hasRows(db.sql`
    with old as (
      update refresh_tokens r
         set used_at = ${tokens.now}, sealed_successor = ${sealed_successor}
        from grants g
       where r.token_hash = ${token_hash} and r.used_at is null and r.expires_at > ${tokens.now}
         and g.id = r.grant_id and g.revoked_at is null
      returning g.id as grant_id, g.user_id, g.app_id, r.jkt
    ), access_token as (
      insert into access_tokens (token_hash, grant_id, user_id, app_id, scopes, inserted_at, expires_at, jkt)
      select ${tokens.access_token_hash}, grant_id, user_id, app_id, ${scopes}, ${tokens.now},
             ${tokens.access_token_expires_at}, ${tokens.jkt}
        from old
    ), refresh_token as (
      insert into refresh_tokens (token_hash, grant_id, inserted_at, expires_at, jkt)
      select ${tokens.refresh_token_hash}, grant_id, ${tokens.now}, ${tokens.refresh_token_expires_at}, jkt from old
    )
    select grant_id from old`)

/** Wipes the encrypted successors of tokens used before a time, up to `rows_max`; returns the number. */
export const wipeSuccessors = (db: Sql, { before, rows_max }: { before: Date; rows_max: number }) =>
  countRows(db.sql`
    update refresh_tokens set sealed_successor = null
     where token_hash = any(array(
       select token_hash from refresh_tokens where sealed_successor is not null and used_at < ${before}
        order by used_at limit ${rows_max} for update skip locked))
    returning 1`)

import { purgesRowsOf } from '../platform/erasure.ts'
import type { Resource } from '../../contract/caller.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import type { Sql } from '../platform/postgres/database.ts'

export interface AccessTokenRow {
  grant_id: string
  user_id: string
  app_id: string
  client_id: string
  scopes: Scope[]
  inserted_at: Date
  expires_at: Date
  /** The thumbprint of the token's DPoP key (D-152); null for a Bearer token. */
  jkt: string | null
  resource: Resource
  live: boolean
}

/**
 * Access tokens, each with those of its scopes that the app may still use (D-87). `live` is false if no scope is left,
 * the token or its grant is revoked, the app is not approved or the user is suspended. The caller checks `expires_at`.
 */
export const findAccessTokens = (db: Sql, token_hashes: Buffer[]) =>
  db.sql<AccessTokenRow & { token_hash: Buffer }>`
    select t.token_hash, t.grant_id, t.user_id, t.app_id, a.client_id, t.inserted_at, t.expires_at, t.jkt, g.resource,
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

export const purgeAccessTokens = purgesRowsOf('access_tokens', 'expires_at')

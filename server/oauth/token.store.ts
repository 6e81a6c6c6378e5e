import type { Scope } from '../../contract/scopes.ts'
import type { Sql } from '../kit/database.ts'

// Authorization codes

export interface NewCode {
  code_hash: Buffer
  user_id: string
  app_id: string
  scopes: Scope[]
  redirect_uri: string
  code_challenge: string
  approval_epoch: number
}

/**
 * Stores codes, and that their users authorized the apps: a connection's scopes add up while it lasts and begin anew
 * after a disconnect. Connections are written in key order, so batches of several processes cannot deadlock.
 */
export const insertCodes = (db: Sql, codes: NewCode[], now: Date, expires_at: Date) =>
  db.sql`
    with issued as (
      select code_hash, user_id, app_id, string_to_array(scopes, ' ') as scopes, redirect_uri, code_challenge, approval_epoch
        from unnest(
          ${codes.map((code) => code.code_hash)}::bytea[], ${codes.map((code) => code.user_id)}::uuid[],
          ${codes.map((code) => code.app_id)}::uuid[], ${codes.map((code) => code.scopes.join(' '))}::text[],
          ${codes.map((code) => code.redirect_uri)}::text[], ${codes.map((code) => code.code_challenge)}::text[],
          ${codes.map((code) => code.approval_epoch)}::integer[]
        ) i(code_hash, user_id, app_id, scopes, redirect_uri, code_challenge, approval_epoch)
    ), connected as (
      insert into connections as c (user_id, app_id, scopes, connected_at)
      select user_id, app_id, array_agg(distinct scope), ${now}
        from issued, unnest(scopes) scope
       group by user_id, app_id
       order by user_id, app_id
      on conflict (user_id, app_id) do update
         set scopes = case when c.disconnected_at is null
                           then array(select distinct unnest(c.scopes || excluded.scopes)) else excluded.scopes end,
             connected_at = case when c.disconnected_at is null then c.connected_at else excluded.connected_at end,
             disconnected_at = null
    )
    insert into authorization_codes
      (code_hash, user_id, app_id, scopes, redirect_uri, code_challenge, approval_epoch, inserted_at, expires_at)
    select code_hash, user_id, app_id, scopes, redirect_uri, code_challenge, approval_epoch, ${now}, ${expires_at}
      from issued`

export interface CodeRow {
  app_id: string
  redirect_uri: string
  code_challenge: string
  grant_id: string | null
}

export async function findCode(db: Sql, code_hash: Buffer) {
  const [row] = await db.sql<CodeRow>`
    select app_id, redirect_uri, code_challenge, grant_id from authorization_codes where code_hash = ${code_hash}`
  return row
}

export const countFailedTry = (db: Sql, code_hash: Buffer) =>
  db.sql`update authorization_codes set failed_tries = failed_tries + 1 where code_hash = ${code_hash}`

export interface NewTokens {
  grant_id: string
  access_token_hash: Buffer
  access_token_expires_at: Date
  refresh_token_hash: Buffer
  refresh_token_expires_at: Date
  now: Date
}

/** A code that somebody presents with all proofs, and what it would be exchanged for. */
export interface Redemption {
  code_hash: Buffer
  grant_id: string
  access_token_hash: Buffer
  refresh_token_hash: Buffer
  session_id: string
  session_token_hash: Buffer
}

export interface RedemptionTerms {
  now: Date
  failed_tries_max: number
  access_token_expires_at: Date
  refresh_token_expires_at: Date
  session_token_expires_at: Date
}

export interface Redeemed {
  grant_id: string
  user_id: string
  scopes: Scope[]
}

/**
 * Uses codes up and issues everything they stand for, in one statement: of any number of callers of one code, here or
 * elsewhere, one finds its grant among the answers. A code that is used, expired, guessed at too often or void is not
 * used up. Codes are locked in key order.
 */
export const redeemCodes = (db: Sql, redemptions: Redemption[], terms: RedemptionTerms) =>
  db.sql<Redeemed>`
    with asked as (
      select distinct on (code_hash) *
        from unnest(
          ${redemptions.map((asked) => asked.code_hash)}::bytea[], ${redemptions.map((asked) => asked.grant_id)}::uuid[],
          ${redemptions.map((asked) => asked.access_token_hash)}::bytea[],
          ${redemptions.map((asked) => asked.refresh_token_hash)}::bytea[],
          ${redemptions.map((asked) => asked.session_id)}::uuid[],
          ${redemptions.map((asked) => asked.session_token_hash)}::bytea[]
        ) with ordinality
        as a(code_hash, grant_id, access_token_hash, refresh_token_hash, session_id, session_token_hash, at)
       order by code_hash, at
    ), locked as (
      select c.code_hash from authorization_codes c join asked using (code_hash) order by c.code_hash for update of c
    ), code as (
      update authorization_codes c
         set used_at = ${terms.now}, grant_id = asked.grant_id
        from asked, locked, oauth_apps a, users u
       where c.code_hash = asked.code_hash and c.code_hash = locked.code_hash
         and c.used_at is null and c.expires_at > ${terms.now} and c.failed_tries < ${terms.failed_tries_max}
         and a.id = c.app_id and a.status = 'approved' and c.approval_epoch = a.approval_epoch
         and u.id = c.user_id and u.suspended_at is null
      returning asked.*, c.user_id, c.app_id, c.scopes, c.approval_epoch
    ), new_grant as (
      insert into grants (id, user_id, app_id, scopes, approval_epoch, inserted_at)
      select grant_id, user_id, app_id, scopes, approval_epoch, ${terms.now} from code
    ), access_token as (
      insert into access_tokens (token_hash, grant_id, user_id, app_id, scopes, inserted_at, expires_at)
      select access_token_hash, grant_id, user_id, app_id, scopes, ${terms.now}, ${terms.access_token_expires_at} from code
    ), refresh_token as (
      insert into refresh_tokens (token_hash, grant_id, inserted_at, expires_at)
      select refresh_token_hash, grant_id, ${terms.now}, ${terms.refresh_token_expires_at} from code
    ), app_session as (
      insert into app_sessions (id, grant_id, user_id, app_id, inserted_at, expires_at, last_heartbeat_at)
      select session_id, grant_id, user_id, app_id, ${terms.now}, ${terms.session_token_expires_at}, ${terms.now} from code
    ), session_token as (
      insert into session_tokens (token_hash, session_id, expires_at)
      select session_token_hash, session_id, ${terms.session_token_expires_at} from code
    )
    select grant_id, user_id, scopes from code`

// Refresh tokens

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

// Sessions of an app

export interface SessionRow {
  id: string
  inserted_at: Date
  last_heartbeat_at: Date
}

/** The grant's session, if it is neither ended nor run out. */
export async function findActiveSession(db: Sql, grant_id: string, now: Date) {
  const [row] = await db.sql<SessionRow>`
    select id, inserted_at, last_heartbeat_at from app_sessions
     where grant_id = ${grant_id} and ended_at is null and expires_at > ${now}`
  return row
}

/** Ends the grant's session; undefined when none is active. */
export async function endActiveSession(db: Sql, grant_id: string, now: Date) {
  const [row] = await db.sql<{ id: string }>`
    update app_sessions set ended_at = ${now}
     where grant_id = ${grant_id} and ended_at is null and expires_at > ${now}
    returning id`
  return row?.id
}

/** Gives the session of a good session token another one, and counts a heartbeat; false when the token is not good. */
export async function renewSession(
  db: Sql,
  token_hash: Buffer,
  next: { token_hash: Buffer; expires_at: Date; now: Date },
) {
  const rows = await db.sql`
    with session as (
      update app_sessions s
         set expires_at = greatest(s.expires_at, ${next.expires_at}),
             last_heartbeat_at = greatest(s.last_heartbeat_at, ${next.now})
        from session_tokens t, grants g, oauth_apps a, users u
       where t.token_hash = ${token_hash} and t.expires_at > ${next.now}
         and s.id = t.session_id and s.ended_at is null
         and g.id = s.grant_id and g.revoked_at is null
         and a.id = g.app_id and a.status = 'approved' and g.approval_epoch = a.approval_epoch
         and u.id = g.user_id and u.suspended_at is null
      returning s.id
    )
    insert into session_tokens (token_hash, session_id, expires_at)
    select ${next.token_hash}, id, ${next.expires_at} from session
    returning session_id`
  return rows.length > 0
}

export interface Use {
  grant_id: string
  user_id: string
  app_id: string
  at: Date
}

/** Notes when grants were last used: heartbeats of their sessions, last use of their connections. Rows are locked in key order. */
export const stampUses = (db: Sql, uses: Use[]) =>
  db.sql`
    with used as (
      select * from unnest(
        ${uses.map((use) => use.grant_id)}::uuid[], ${uses.map((use) => use.user_id)}::uuid[],
        ${uses.map((use) => use.app_id)}::uuid[], ${uses.map((use) => use.at)}::timestamptz[]
      ) as u(grant_id, user_id, app_id, at)
    ), sessions as (
      select s.id, used.at from app_sessions s join used using (grant_id)
       where s.ended_at is null and s.last_heartbeat_at < used.at
       order by s.id for update of s
    ), beaten as (
      update app_sessions s set last_heartbeat_at = sessions.at from sessions where s.id = sessions.id
    ), connected as (
      select c.user_id, c.app_id, latest.at
        from connections c
        join (select user_id, app_id, max(at) as at from used group by user_id, app_id) latest using (user_id, app_id)
       where c.last_used_at is null or c.last_used_at < latest.at
       order by c.user_id, c.app_id for update of c
    )
    update connections c set last_used_at = connected.at
      from connected
     where c.user_id = connected.user_id and c.app_id = connected.app_id`

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

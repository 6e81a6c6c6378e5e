import { purgesRowsOf } from '../platform/erasure.ts'
import type { Resource } from '../../contract/caller.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { allValues, firstRow, type Sql, type Tx } from '../platform/postgres/database.ts'
import type { RowLocks } from '../platform/batching/row-locks.ts'

export interface NewCode {
  code_hash: Buffer
  user_id: string
  /** The login session in which the user consented. */
  session_id: string
  app_id: string
  scopes: Scope[]
  redirect_uri: string
  /** The registered URI that `redirect_uri` matched: the code is void once the app no longer has it (D-87). */
  registered_uri: string
  code_challenge: string
  approval_epoch: number
  app_name: string
  /** The hash of what consent shows about the app. */
  shown: Buffer
  /** The origin that the consent is remembered for (D-86); null if it is not remembered. */
  redirect_origin: string | null
  /** Whether the code yields an identity token, with this `nonce` if there is one (D-103). */
  openid: boolean
  nonce: string | null
  /** The thumbprint of the DPoP key that must redeem the code (D-152); null if it is not bound. */
  jkt: string | null
  resource: Resource
}

/** Issues codes; returns for each, in order, whether its login session is active. See `issue_authorization_codes` in functions.sql. */
export const issueCodes = (db: Sql, codes: NewCode[], now: Date, expires_at: Date) =>
  db.sql<{ issued: boolean }>`
    select issued
      from issue_authorization_codes(
        ${now},
        ${expires_at},
        ${codes.map((code) => code.code_hash)},
        ${codes.map((code) => code.user_id)},
        ${codes.map((code) => code.session_id)},
        ${codes.map((code) => code.app_id)},
        ${codes.map((code) => code.scopes.join(' '))},
        ${codes.map((code) => code.redirect_uri)},
        ${codes.map((code) => code.code_challenge)},
        ${codes.map((code) => code.approval_epoch)},
        ${codes.map((code) => code.registered_uri)},
        ${codes.map((code) => code.redirect_origin)},
        ${codes.map((code) => code.app_name)},
        ${codes.map((code) => code.openid)},
        ${codes.map((code) => code.nonce)},
        ${codes.map((code) => code.shown)},
        ${codes.map((code) => code.jkt)},
        ${codes.map((code) => code.resource)}
      )`

/**
 * The rows that issuing a code locks: its user, the user's connection with the app, the app's user count, and the
 * session of a sign-in.
 */
export const locksOfIssue = ({
  user_id,
  app_id,
  session_id,
  openid,
}: Pick<NewCode, 'user_id' | 'app_id' | 'session_id' | 'openid'>) => [
  `${user_id} `,
  `${user_id} ${app_id}`,
  ` ${app_id}`,
  ...(openid ? [`  ${session_id}`] : []),
]

/** Row locks for the keys of `locksOfIssue`, as `issue_authorization_codes` takes them. */
export const issueLocks = (db: Sql): RowLocks => ({
  async findLocked(keys) {
    return allValues(db.sql<{ key: string }>`
      with asked as materialized (
        select nullif(split_part(key, ' ', 1), '')::uuid as user_id, nullif(split_part(key, ' ', 2), '')::uuid as app_id,
               nullif(split_part(key, ' ', 3), '')::uuid as session_id, key
          from unnest(${keys}::text[]) key
      ), free_users as materialized (
        select id from users where id = any(array(select user_id from asked where app_id is null)) for share skip locked
      ), free_connections as materialized (
        select c.user_id, c.app_id from asked a join connections c using (user_id, app_id)
           for no key update of c skip locked
      ), free_apps as materialized (
        select app_id from app_users where app_id = any(array(select app_id from asked where user_id is null))
           for no key update skip locked
      ), free_sessions as materialized (
        select id from login_sessions where id = any(array(select session_id from asked)) for share skip locked
      )
      select a.key from asked a join users u on u.id = a.user_id left join free_users f on f.id = u.id
       where a.app_id is null and f.id is null
      union all
      select a.key from asked a join connections c using (user_id, app_id) left join free_connections f using (user_id, app_id)
       where f.user_id is null
      union all
      select a.key from asked a join app_users u using (app_id) left join free_apps f using (app_id)
       where a.user_id is null and f.app_id is null
      union all
      select a.key from asked a join login_sessions s on s.id = a.session_id left join free_sessions f on f.id = s.id
       where f.id is null`)
  },
  waitFor: (key) => {
    const [user_id, app_id, session_id] = key.split(' ')
    if (session_id) return db.sql`select from login_sessions where id = ${session_id} for share`
    if (!app_id) return db.sql`select from users where id = ${user_id} for share`
    if (!user_id) return db.sql`select from app_users where app_id = ${app_id} for no key update`
    return db.sql`select from connections where user_id = ${user_id} and app_id = ${app_id} for no key update`
  },
})

export interface CodeRow {
  app_id: string
  redirect_uri: string
  code_challenge: string
  grant_id: string | null
  jkt: string | null
  resource: Resource
}

export const findCode = (db: Sql, code_hash: Buffer) =>
  firstRow(db.sql<CodeRow>`
    select app_id, redirect_uri, code_challenge, grant_id, jkt, resource
      from authorization_codes where code_hash = ${code_hash}`)

export const countFailedAttempt = (db: Sql, code_hash: Buffer) =>
  db.sql`update authorization_codes set failed_tries = failed_tries + 1 where code_hash = ${code_hash}`

/** A code presented with valid proof, and the tokens to exchange it for. */
export interface Redemption {
  code_hash: Buffer
  grant_id: string
  access_token_hash: Buffer
  refresh_token_hash: Buffer
  session_id: string
  session_token_hash: Buffer
  /** The keys that the tokens are bound to; null for Bearer tokens, and for a refresh token that needs the secret. */
  access_token_jkt: string | null
  refresh_token_jkt: string | null
}

export interface RedemptionTerms {
  now: Date
  failed_attempts_max: number
  access_token_expires_at: Date
  refresh_token_expires_at: Date
  session_token_expires_at: Date
}

export interface Redeemed {
  grant_id: string
  user_id: string
  scopes: Scope[]
  /** The time of the sign-in, if the grant issues identity tokens; otherwise null. */
  auth_time: Date | null
  nonce: string | null
  /** The id of the sign-in at the app (D-155); null for codes of versions before 0.3. */
  sid: string | null
}

/**
 * Consumes codes and issues their grants, tokens and sessions in one statement: of any number of callers of one code,
 * in any process, one gets its grant. A code that is used, expired, void or had too many failed attempts is not
 * consumed. The grant has those of the code's scopes that the app may still use (D-87). Codes are locked in key order.
 */
export const redeemCodes = (db: Sql, redemptions: Redemption[], terms: RedemptionTerms) =>
  db.sql<Redeemed>`
    with requested as (
      select distinct on (code_hash) *
        from unnest(
          ${redemptions.map((redemption) => redemption.code_hash)}::bytea[],
          ${redemptions.map((redemption) => redemption.grant_id)}::uuid[],
          ${redemptions.map((redemption) => redemption.access_token_hash)}::bytea[],
          ${redemptions.map((redemption) => redemption.refresh_token_hash)}::bytea[],
          ${redemptions.map((redemption) => redemption.session_id)}::uuid[],
          ${redemptions.map((redemption) => redemption.session_token_hash)}::bytea[],
          ${redemptions.map((redemption) => redemption.access_token_jkt)}::text[],
          ${redemptions.map((redemption) => redemption.refresh_token_jkt)}::text[]
        ) with ordinality
        as a(code_hash, grant_id, access_token_hash, refresh_token_hash, session_id, session_token_hash, access_token_jkt,
             refresh_token_jkt, at)
       order by code_hash, at
    ), locked as (
      select c.code_hash from authorization_codes c join requested using (code_hash) order by c.code_hash for update of c
    ), code as (
      update authorization_codes c
         set used_at = ${terms.now}, grant_id = requested.grant_id
        from requested, locked, oauth_apps a, users u
       where c.code_hash = requested.code_hash and c.code_hash = locked.code_hash
         and c.used_at is null and c.expires_at > ${terms.now} and c.failed_tries < ${terms.failed_attempts_max}
         and a.id = c.app_id and a.is_approved and c.approval_epoch = a.approval_epoch
         and c.scopes && a.allowed_scopes
         and (c.registered_uri is null or c.registered_uri = any(a.redirect_uris))
         and u.id = c.user_id and u.suspended_at is null
      returning requested.*, c.user_id, c.app_id, c.approval_epoch, c.resource,
                array(select s from unnest(c.scopes) with ordinality granted(s, at)
                       where s = any(a.allowed_scopes) order by at) as scopes
    ), new_grant as (
      insert into grants (id, user_id, app_id, scopes, approval_epoch, inserted_at, consented_at, resource)
      select grant_id, user_id, app_id, scopes, approval_epoch, ${terms.now}, ${terms.now}, resource from code
    ), identified as (
      select code.grant_id, o.auth_time, o.nonce, o.sid
        from code cross join lateral (select * from openid_codes where code_hash = code.code_hash limit 1) o
    ), openid_grant as (
      insert into openid_grants (grant_id, auth_time, sid) select grant_id, auth_time, sid from identified
    ), access_token as (
      insert into access_tokens (token_hash, grant_id, user_id, app_id, scopes, inserted_at, expires_at, jkt)
      select access_token_hash, grant_id, user_id, app_id, scopes, ${terms.now}, ${terms.access_token_expires_at},
             access_token_jkt
        from code
    ), refresh_token as (
      insert into refresh_tokens (token_hash, grant_id, inserted_at, expires_at, jkt)
      select refresh_token_hash, grant_id, ${terms.now}, ${terms.refresh_token_expires_at}, refresh_token_jkt from code
    ), app_session as (
      insert into app_sessions (id, grant_id, user_id, app_id, inserted_at, expires_at, last_heartbeat_at)
      select session_id, grant_id, user_id, app_id, ${terms.now}, ${terms.session_token_expires_at}, ${terms.now} from code
    ), session_token as (
      insert into session_tokens (token_hash, session_id, expires_at)
      select session_token_hash, session_id, ${terms.session_token_expires_at} from code
    )
    select code.grant_id, code.user_id, code.scopes, o.auth_time, o.nonce, o.sid
      from code left join identified o using (grant_id)`

/** Row locks of codes, by their hashes in base64, as `redeemCodes` takes them. */
export const codeLocks = (db: Sql): RowLocks => ({
  async findLocked(keys) {
    const hashes = keys.map((key) => Buffer.from(key, 'base64'))
    const rows = await db.sql<{ code_hash: Buffer }>`
      with free as materialized (
        select code_hash from authorization_codes where code_hash = any(${hashes}::bytea[]) for update skip locked
      )
      select c.code_hash from authorization_codes c left join free using (code_hash)
       where c.code_hash = any(${hashes}::bytea[]) and free.code_hash is null`
    return rows.map(({ code_hash }) => code_hash.toString('base64'))
  },
  waitFor: (key) => db.sql`select from authorization_codes where code_hash = ${Buffer.from(key, 'base64')} for update`,
})

/** Voids unredeemed codes: of one app, or of all if `app_id` is null. */
export const voidCodes = (tx: Tx, user_id: string, app_id: string | null) =>
  tx.sql`
    delete from authorization_codes
     where code_hash in (
       select code_hash from authorization_codes
        where user_id = ${user_id} and used_at is null and (${app_id}::uuid is null or app_id = ${app_id})
        order by code_hash for update)
       and used_at is null`

/** Deletes expired codes that were never redeemed. Used codes stay until `purgeGrants` deletes their grant. */
export const purgeUnusedCodes = purgesRowsOf('authorization_codes', 'expires_at', { condition: 'used_at is null' })

/** Deletes the facts for identity tokens of expired codes, redeemed or not. */
export const purgeOpenidCodes = purgesRowsOf('openid_codes', 'expires_at')

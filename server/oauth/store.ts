import type { Scope } from '../../contract/scopes.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'

export interface AppRow {
  id: string
  client_id: string
  owner_id: string
  app_name: string
  app_description: string | null
  logo_url: string | null
  website_url: string | null
  redirect_uris: string[]
  allowed_scopes: Scope[]
  require_pkce: boolean
  status: 'pending' | 'approved' | 'rejected'
  /** Whether people can let it in: its status is `approved`, and its owner is not suspended (D-88). */
  is_approved: boolean
  approval_epoch: number
  decision_reason: string | null
  decided_at: Date | null
  resubmitted_at: Date | null
  listed: boolean
  inserted_at: Date
  updated_at: Date
}

// Apps

export interface NewApp {
  id: string
  client_id: string
  owner_id: string
  app_name: string
  app_description: string | null
  logo_url: string | null
  website_url: string | null
  redirect_uris: string[]
  allowed_scopes: Scope[]
  require_pkce: boolean
  now: Date
}

export async function insertApp(tx: Tx, app: NewApp) {
  const [row] = await tx.sql<AppRow>`
    insert into oauth_apps (id, client_id, owner_id, app_name, app_description, logo_url, website_url, redirect_uris,
                            allowed_scopes, require_pkce, inserted_at, updated_at)
    values (${app.id}, ${app.client_id}, ${app.owner_id}, ${app.app_name}, ${app.app_description}, ${app.logo_url},
            ${app.website_url}, ${app.redirect_uris}, ${app.allowed_scopes}, ${app.require_pkce}, ${app.now}, ${app.now})
    returning *`
  return row!
}

export async function findApp(db: Sql, app_id: string) {
  const [row] = await db.sql<AppRow>`select * from oauth_apps where id = ${app_id}`
  return row
}

export async function findAppByClientId(db: Sql, client_id: string) {
  const [row] = await db.sql<AppRow>`select * from oauth_apps where client_id = ${client_id}`
  return row
}

export async function findOwnedApp(db: Sql, app_id: string, owner_id: string) {
  const [row] = await db.sql<AppRow>`select * from oauth_apps where id = ${app_id} and owner_id = ${owner_id}`
  return row
}

export const listOwnedApps = (db: Sql, owner_id: string) =>
  db.sql<AppRow & { total_users: number }>`
    select a.*, coalesce(u.total_users, 0) as total_users
      from oauth_apps a left join app_users u on u.app_id = a.id
     where a.owner_id = ${owner_id}
     order by a.id desc
     limit 1000`

export interface AppChange {
  app_name: string | null
  app_description: string | null
  logo_url: string | null
  website_url: string | null
  redirect_uris: string[] | null
  allowed_scopes: Scope[] | null
  require_pkce: boolean | null
}

/**
 * Sets what is given; leaves what is null. An empty text clears the field. Scopes can only narrow: undefined when a
 * wanted one is not among the app's, which is checked in the same statement.
 */
export async function changeApp(db: Sql, app_id: string, change: AppChange, now: Date) {
  const [row] = await db.sql<AppRow>`
    update oauth_apps
       set app_name = coalesce(${change.app_name}::text, app_name),
           app_description = nullif(coalesce(${change.app_description}::text, app_description), ''),
           logo_url = nullif(coalesce(${change.logo_url}::text, logo_url), ''),
           website_url = nullif(coalesce(${change.website_url}::text, website_url), ''),
           redirect_uris = coalesce(${change.redirect_uris}::text[], redirect_uris),
           allowed_scopes = coalesce(${change.allowed_scopes}::text[], allowed_scopes),
           require_pkce = coalesce(${change.require_pkce}::boolean, require_pkce),
           updated_at = ${now}
     where id = ${app_id}
       and coalesce(${change.allowed_scopes}::text[], '{}') <@ allowed_scopes
    returning *`
  return row
}

/** Ends all that the owner's apps hold, for good, and lets nobody in until `restoreAppsOfOwner`; tells which apps they are. */
export const withdrawAppsOfOwner = (tx: Tx, owner_id: string) =>
  tx.sql<{ id: string }>`
    update oauth_apps set owner_suspended = true, approval_epoch = approval_epoch + 1
     where owner_id = ${owner_id} and not owner_suspended
    returning id`

export const restoreAppsOfOwner = (tx: Tx, owner_id: string) =>
  tx.sql<{ id: string }>`
    update oauth_apps set owner_suspended = false where owner_id = ${owner_id} and owner_suspended returning id`

/** Puts a rejected app of this owner among the pending ones again, once; undefined when it is not a rejected one. */
export async function resubmitApp(tx: Tx, { app_id, owner_id, now }: { app_id: string; owner_id: string; now: Date }) {
  const [row] = await tx.sql<AppRow>`
    update oauth_apps set status = 'pending', resubmitted_at = ${now}, updated_at = ${now}
     where id = ${app_id} and owner_id = ${owner_id} and status = 'rejected'
    returning *`
  return row
}

/** Users who ever connected to the app (D-49), as `count_app_users` in the migrations keeps them. */
export async function findUsersOfApp(db: Sql, app_id: string) {
  const [row] = await db.sql<{ total_users: number }>`select total_users from app_users where app_id = ${app_id}`
  return row?.total_users ?? 0
}

export type DirectoryRow = Pick<
  AppRow,
  'id' | 'app_name' | 'app_description' | 'logo_url' | 'website_url' | 'inserted_at'
>

/** A stretch of the approved, listed apps, newest first, and how many there are, both in one snapshot. */
export async function listDirectory(db: Sql, { offset, rows_max }: { offset: number; rows_max: number }) {
  const rows = await db.sql<(DirectoryRow | { id: null }) & { total: number }>`
    select t.total, d.*
      from (select count(*) as total from oauth_apps where listed and is_approved) t
      left join lateral (
        select id, app_name, app_description, logo_url, website_url, inserted_at
          from oauth_apps
         where listed and is_approved
         order by inserted_at desc, id desc
         limit ${rows_max} offset ${offset}
      ) d on true
     order by d.inserted_at desc, d.id desc`
  return { total: rows[0]?.total ?? 0, data: rows.flatMap((row) => (row.id === null ? [] : [row])) }
}

// Client secrets

export interface SecretRow {
  id: string
  hint: string
  inserted_at: Date
  last_used_at: Date | null
}

/** Adds a secret if the app has fewer than `secrets_max`; the app's row is locked so that parallel calls cannot pass it. */
export async function insertSecret(
  tx: Tx,
  { id, app_id, secret_hash, hint, now, secrets_max }: NewSecret,
): Promise<SecretRow | undefined> {
  await tx.sql`select id from oauth_apps where id = ${app_id} for update`
  const [row] = await tx.sql<SecretRow>`
    insert into app_secrets (id, app_id, secret_hash, hint, inserted_at)
    select ${id}, ${app_id}, ${secret_hash}, ${hint}, ${now}
     where (select count(*) from app_secrets where app_id = ${app_id}) < ${secrets_max}
    returning id, hint, inserted_at, last_used_at`
  return row
}
interface NewSecret {
  id: string
  app_id: string
  secret_hash: Buffer
  hint: string
  now: Date
  secrets_max: number
}

export const listAppSecrets = (db: Sql, app_id: string) =>
  db.sql<SecretRow>`
    select id, hint, inserted_at, last_used_at from app_secrets where app_id = ${app_id} order by inserted_at desc, id desc`

export async function deleteAppSecret(db: Sql, app_id: string, secret_id: string) {
  const rows = await db.sql`delete from app_secrets where id = ${secret_id} and app_id = ${app_id} returning id`
  return rows.length > 0
}

/** An app by client_id, with the secret of this hash if it has one. */
export async function findClient(db: Sql, client_id: string, secret_hash: Buffer | null) {
  const [row] = await db.sql<AppRow & { secret_id: string | null; secret_last_used_at: Date | null }>`
    select a.*, s.id as secret_id, s.last_used_at as secret_last_used_at
      from oauth_apps a left join app_secrets s on s.app_id = a.id and s.secret_hash = ${secret_hash}
     where a.client_id = ${client_id}`
  return row
}

export const stampSecret = (db: Sql, secret_id: string, now: Date) =>
  db.sql`update app_secrets set last_used_at = ${now} where id = ${secret_id}`

// Scope requests

export interface ScopeRequestRow {
  id: string
  app_id: string
  app_name: string
  status: 'pending' | 'approved' | 'denied'
  requested_scopes: Scope[]
  decision_reason: string | null
  inserted_at: Date
  decided_at: Date | null
}

export async function insertScopeRequest(
  db: Sql,
  { id, app_id, requested_scopes, now }: { id: string; app_id: string; requested_scopes: Scope[]; now: Date },
) {
  const [row] = await db.sql<Omit<ScopeRequestRow, 'app_name'>>`
    insert into scope_requests (id, app_id, requested_scopes, inserted_at)
    values (${id}, ${app_id}, ${requested_scopes}, ${now})
    returning *`
  return row!
}

export const listScopeRequestsOfApp = (db: Sql, app_id: string) =>
  db.sql<ScopeRequestRow>`select * from scope_requests where app_id = ${app_id} order by id desc limit 1000`

// Connections

export interface Consent {
  user_id: string
  app_id: string
  redirect_origin: string
  scopes: Scope[]
  app_name: string
  approval_epoch: number
}

/** Has the user agreed to just this (D-86)? */
export async function hasConsented(db: Sql, consent: Consent) {
  const rows = await db.sql`
    select 1 from consents
     where user_id = ${consent.user_id} and app_id = ${consent.app_id} and redirect_origin = ${consent.redirect_origin}
       and scopes = ${consent.scopes} and app_name = ${consent.app_name} and approval_epoch = ${consent.approval_epoch}`
  return rows.length > 0
}

export const listConnections = (db: Sql, user_id: string) =>
  db.sql<{
    app_id: string
    app_name: string
    app_description: string | null
    logo_url: string | null
    scopes: Scope[]
    connected_at: Date
    last_used: Date | null
  }>`
    select a.id as app_id, a.app_name, a.app_description, a.logo_url,
           array(select s from unnest(c.scopes) s where s = any(a.allowed_scopes)) as scopes, c.connected_at, c.last_used_at as last_used
      from connections c join oauth_apps a on a.id = c.app_id
     where c.user_id = ${user_id} and c.disconnected_at is null
     order by c.connected_at desc
     limit 1000`

/** Removes the connection, and what was agreed to; false when there was none. */
export async function removeConnection(tx: Tx, user_id: string, app_id: string, now: Date) {
  const rows = await tx.sql`
    update connections set disconnected_at = ${now}
     where user_id = ${user_id} and app_id = ${app_id} and disconnected_at is null
    returning app_id`
  await tx.sql`delete from consents where user_id = ${user_id} and app_id = ${app_id}`
  return rows.length > 0
}

export async function removeConnections(tx: Tx, user_id: string, now: Date) {
  await tx.sql`update connections set disconnected_at = ${now} where user_id = ${user_id} and disconnected_at is null`
  await tx.sql`delete from consents where user_id = ${user_id}`
}

/** Voids codes not yet redeemed: of one app, or of all where `app_id` is null. */
export const voidCodes = (tx: Tx, user_id: string, app_id: string | null) =>
  tx.sql`
    delete from authorization_codes
     where code_hash in (
       select code_hash from authorization_codes
        where user_id = ${user_id} and used_at is null and (${app_id}::uuid is null or app_id = ${app_id})
        order by code_hash for update)
       and used_at is null`

/** Revokes the user's grants, with all their tokens and sessions: for one app, or for all where `app_id` is null. */
export const revokeGrants = (tx: Tx, user_id: string, app_id: string | null, now: Date) =>
  tx.sql`
    update grants set revoked_at = ${now}
     where user_id = ${user_id} and revoked_at is null and (${app_id}::uuid is null or app_id = ${app_id})`

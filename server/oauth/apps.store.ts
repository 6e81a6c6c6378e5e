import type { Static } from 'typebox'
import type { changed_app } from '../../contract/app-fields.ts'
import type { ApprovedState } from './rules.ts'
import type { BodyOf } from '../../contract/endpoint.ts'
import type { updateMyApp } from '../../contract/oauth-apps.ts'
import type { MemberRole } from '../../contract/kinds/member-roles.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { firstRow, type Sql, type Tx } from '../platform/postgres/database.ts'

export interface AppRow extends ApprovedState, Omit<Static<typeof changed_app>, 'allowed_scopes'> {
  /** The owner; for a team's app one of the team's owners. */
  owner_id: string
  team_id: string | null
  allowed_scopes: Scope[]
  status: 'pending' | 'approved' | 'rejected'
  approval_epoch: number
  decision_reason: string | null
  decided_at: Date | null
  resubmitted_at: Date | null
  resubmission_note: string | null
  /** The fields under review, as they were at the last decision. */
  decided_fields: DecidedFields | null
  /** A hash of what consent shows about the app: name, description, logo, website and redirect URIs. */
  shown: Buffer
}

export type DecidedFields = Pick<
  AppRow,
  'app_name' | 'app_description' | 'logo_url' | 'website_url' | 'redirect_uris' | 'allowed_scopes' | 'require_pkce'
> & {
  /** Missing in decisions of versions before 0.3. */
  backchannel_logout_uri?: string | null
}

type RegisteredFields =
  | 'id'
  | 'client_id'
  | 'owner_id'
  | 'app_name'
  | 'app_description'
  | 'logo_url'
  | 'website_url'
  | 'redirect_uris'
  | 'allowed_scopes'
  | 'require_pkce'

export interface NewApp extends Pick<AppRow, RegisteredFields> {
  now: Date
}

/**
 * Inserts an app unless the client_id exists or, with `pending_max`, the owner has so many pending ones, for which the
 * lock on the owner serializes parallel calls.
 */
export async function insertApp(tx: Tx, app: NewApp, pending_max: number | null = null) {
  if (pending_max !== null) await tx.sql`select id from users where id = ${app.owner_id} for update`
  return firstRow(tx.sql<AppRow>`
    insert into oauth_apps (id, client_id, owner_id, app_name, app_description, logo_url, website_url, redirect_uris,
                            allowed_scopes, require_pkce, inserted_at, updated_at)
    select ${app.id}, ${app.client_id}, ${app.owner_id}, ${app.app_name}, ${app.app_description}, ${app.logo_url},
           ${app.website_url}, ${app.redirect_uris}::text[], ${app.allowed_scopes}::text[], ${app.require_pkce}, ${app.now}, ${app.now}
     where ${pending_max}::int is null
        or (select count(*) from oauth_apps where owner_id = ${app.owner_id} and status = 'pending') < ${pending_max}
    on conflict (client_id) do nothing
    returning *`)
}

export const findApp = (db: Sql, app_id: string) =>
  firstRow(db.sql<AppRow>`select * from oauth_apps where id = ${app_id}`)

/** An app, locked against changes until the transaction ends. */
export const lockApp = (tx: Tx, app_id: string) =>
  firstRow(tx.sql<AppRow>`select * from oauth_apps where id = ${app_id} for share`)

export const findAppByClientId = (db: Sql, client_id: string) =>
  firstRow(db.sql<AppRow>`select * from oauth_apps where client_id = ${client_id}`)

export const listAppsOfMember = (db: Sql, user_id: string) =>
  db.sql<AppRow & { total_users: number; role: MemberRole; team_name: string | null }>`
    select a.*, m.role, t.name as team_name, coalesce(u.total_users, 0) as total_users
      from app_members m join oauth_apps a on a.id = m.app_id
      left join teams t on t.id = a.team_id
      left join app_users u on u.app_id = a.id
     where m.user_id = ${user_id} and not m.lacks_second_factor
     order by a.id desc
     limit 1000`

export type AppUpdate = BodyOf<typeof updateMyApp>

/** Undefined leaves a text unchanged, null or an empty text clears it: null and an empty text for the statement. */
const textChange = (text: string | null | undefined) => (text === undefined ? null : (text ?? ''))

/**
 * Sets the given fields. Scopes can only narrow: undefined if the change contains a scope that the app lacks, checked in
 * the same statement.
 */
export async function changeApp(db: Sql, app_id: string, change: AppUpdate, now: Date) {
  const { app_name = null, redirect_uris = null, allowed_scopes = null } = change
  const { require_pkce = null, require_par = null, require_dpop = null } = change
  return firstRow(db.sql<AppRow>`
    update oauth_apps
       set app_name = coalesce(${app_name}::text, app_name),
           app_description = nullif(coalesce(${textChange(change.app_description)}::text, app_description), ''),
           logo_url = nullif(coalesce(${textChange(change.logo_url)}::text, logo_url), ''),
           website_url = nullif(coalesce(${textChange(change.website_url)}::text, website_url), ''),
           redirect_uris = coalesce(${redirect_uris}::text[], redirect_uris),
           allowed_scopes = coalesce(${allowed_scopes}::text[], allowed_scopes),
           require_pkce = coalesce(${require_pkce}::boolean, require_pkce),
           require_par = coalesce(${require_par}::boolean, require_par),
           backchannel_logout_uri = nullif(coalesce(${textChange(change.backchannel_logout_uri)}::text, backchannel_logout_uri), ''),
           require_dpop = coalesce(${require_dpop}::boolean, require_dpop),
           updated_at = ${now}
     where id = ${app_id}
       and coalesce(${allowed_scopes}::text[], '{}') <@ allowed_scopes
    returning *`)
}

/** Suspends the owner's apps until `reinstateApps`, and permanently voids their grants; returns the changed apps. */
export const suspendApps = (tx: Tx, owner_id: string) =>
  tx.sql<{ id: string }>`
    update oauth_apps set owner_suspended = true, approval_epoch = approval_epoch + 1
     where owner_id = ${owner_id} and not owner_suspended
    returning id`

export const reinstateApps = (tx: Tx, owner_id: string) =>
  tx.sql<{ id: string }>`
    update oauth_apps set owner_suspended = false where owner_id = ${owner_id} and owner_suspended returning id`

export interface Resubmission {
  app_id: string
  /** From the owner to the reviewer. */
  note: string | null
  now: Date
}

/** Makes a rejected app pending again; undefined if it is not rejected. */
export const resubmitApp = (tx: Tx, { app_id, note, now }: Resubmission) =>
  firstRow(tx.sql<AppRow>`
    update oauth_apps set status = 'pending', resubmitted_at = ${now}, resubmission_note = ${note}, updated_at = ${now}
     where id = ${app_id} and status = 'rejected'
    returning *`)

/** The number of users who ever connected to the app (D-49); the trigger `count_app_users` maintains it. */
export async function countUsersOfApp(db: Sql, app_id: string) {
  const [row] = await db.sql<{ total_users: number }>`select total_users from app_users where app_id = ${app_id}`
  return row?.total_users ?? 0
}

export type DirectoryRow = ApprovedState &
  Pick<AppRow, 'id' | 'app_name' | 'app_description' | 'logo_url' | 'website_url' | 'inserted_at'>

/** A range of the approved, listed apps, newest first, and their total, in one snapshot. */
export async function listDirectory(db: Sql, { offset, rows_max }: { offset: number; rows_max: number }) {
  const rows = await db.sql<(DirectoryRow | { id: null }) & { total: number }>`
    select t.total, d.*
      from (select count(*) as total from oauth_apps where listed and is_approved) t
      left join lateral (
        select id, app_name, app_description, logo_url, website_url, inserted_at, changed_since_approval, approved_name,
               approved_description, approved_logo_url, approved_website_url, approved_redirect_uris
          from oauth_apps
         where listed and is_approved
         order by inserted_at desc, id desc
         limit ${rows_max} offset ${offset}
      ) d on true
     order by d.inserted_at desc, d.id desc`
  return { total: rows[0]?.total ?? 0, data: rows.flatMap((row) => (row.id === null ? [] : [row])) }
}

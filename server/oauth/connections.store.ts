import type { ApprovedState } from './rules.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { allValues, hasRows, type Sql, type Tx } from '../platform/postgres/database.ts'

export interface Consent {
  user_id: string
  app_id: string
  redirect_origin: string
  scopes: Scope[]
  /** The hash of what consent showed about the app. */
  shown: Buffer
  approval_epoch: number
}

/** Whether the user has consented to exactly this (D-86, D-117). */
export const hasConsented = (db: Sql, consent: Consent) =>
  hasRows(db.sql`
    select 1 from consents
     where user_id = ${consent.user_id} and app_id = ${consent.app_id} and redirect_origin = ${consent.redirect_origin}
       and scopes = ${consent.scopes} and shown = ${consent.shown} and approval_epoch = ${consent.approval_epoch}`)

export const listConnections = (db: Sql, user_id: string, now: Date) =>
  db.sql<
    ApprovedState & {
      app_id: string
      app_name: string
      app_description: string | null
      logo_url: string | null
      website_url: string | null
      scopes: Scope[]
      connected_at: Date
      last_used: Date | null
      bound_to_key: boolean
      acts_as_agent: boolean
    }
  >`
    select a.id as app_id, a.app_name, a.app_description, a.logo_url, a.website_url, a.changed_since_approval,
           a.approved_name, a.approved_description, a.approved_logo_url, a.approved_website_url, a.approved_redirect_uris,
           array(select s from unnest(c.scopes) s where s = any(a.allowed_scopes)) as scopes, c.connected_at,
           last_use_of(c.user_id, c.app_id, c.last_used_at, ${now}) as last_used,
           coalesce((select t.jkt is not null from grants g join access_tokens t on t.grant_id = g.id
                      where g.user_id = c.user_id and g.app_id = c.app_id and g.revoked_at is null
                      order by t.inserted_at desc limit 1), false) as bound_to_key,
           exists (select from grants g
                    where g.user_id = c.user_id and g.app_id = c.app_id and g.resource is not null and g.revoked_at is null) as acts_as_agent
      from connections c join oauth_apps a on a.id = c.app_id
     where c.user_id = ${user_id} and c.disconnected_at is null
     order by c.connected_at desc
     limit 1000`

export const listConnectedAppIds = (db: Sql, user_id: string) =>
  allValues(db.sql<{ app_id: string }>`
    select app_id from connections where user_id = ${user_id} and disconnected_at is null`)

export const isConnected = (db: Sql, user_id: string, app_id: string) =>
  hasRows(db.sql`
    select 1 from connections where user_id = ${user_id} and app_id = ${app_id} and disconnected_at is null`)

/** Ends the connection with an app, or with all if `app_id` is null, and deletes its consents; false if there was none. */
export async function removeConnections(tx: Tx, user_id: string, app_id: string | null, now: Date) {
  const rows = await tx.sql`
    update connections set disconnected_at = ${now}
     where user_id = ${user_id} and (${app_id}::uuid is null or app_id = ${app_id}) and disconnected_at is null
    returning app_id`
  await tx.sql`delete from consents where user_id = ${user_id} and (${app_id}::uuid is null or app_id = ${app_id})`
  return rows.length > 0
}

import { erasesRowsOf, type EraseRound } from '../platform/erasure.ts'
import { longSection, shortSection, type ExportPage } from '../platform/export-section.ts'
import { allValues, countRows, type Sql, type Tx } from '../platform/postgres/database.ts'

/** The new name of a withdrawn app; other people see it in their history. */
const withdrawn_name = 'Withdrawn app'

/**
 * Permanently withdraws all apps of an owner: deletes all texts of the owner, and voids codes and tokens. Returns their
 * ids.
 */
export async function withdrawApps(tx: Tx, owner_id: string, now: Date) {
  const rows = await tx.sql<{ id: string }>`
    update oauth_apps
       set status = 'rejected', owner_suspended = true, approval_epoch = approval_epoch + 1, listed = false, updated_at = ${now},
           app_name = ${withdrawn_name}, app_description = null, logo_url = null, website_url = null, redirect_uris = '{}', backchannel_logout_uri = null,
           allowed_scopes = '{}', decision_reason = null, client_id = 'withdrawn ' || id,
           approved_name = null, approved_description = null, approved_logo_url = null, approved_website_url = null,
           approved_redirect_uris = null, resubmission_note = null, decided_fields = null
     where owner_id = ${owner_id} and team_id is null
    returning id`
  const ids = rows.map(({ id }) => id)
  await endPartsOf(tx, ids)
  await tx.sql`update app_secrets set maker_id = null where maker_id = ${owner_id}`
  // A code that is being exchanged waits for this transaction, and is then refused.
  await tx.sql`
    delete from cli_codes
     where code_hash = any(array(select code_hash from cli_codes where user_id = ${owner_id} for update skip locked))`
  return ids
}

async function endPartsOf(tx: Tx, app_ids: string[]) {
  await tx.sql`delete from app_secrets where app_id = any(${app_ids}::uuid[])`
  // The rows stay until the audit log is erased: its entries about a request contain only the request's id.
  await tx.sql`
    update scope_requests
       set status = case when status = 'pending' then 'denied' else status end, decision_reason = null,
           decided_at = coalesce(decided_at, now())
     where app_id = any(${app_ids}::uuid[]) and (status = 'pending' or decision_reason is not null)`
}

/** Rows added to apps after their withdrawal by calls that were authenticated before. */
const eraseApps: EraseRound = async (tx, { app_ids }) => {
  await tx.sql`
    update oauth_apps
       set app_name = ${withdrawn_name}, app_description = null, logo_url = null, website_url = null, redirect_uris = '{}',
           decision_reason = null, approved_name = null, approved_description = null, approved_logo_url = null,
           approved_website_url = null, approved_redirect_uris = null, resubmission_note = null, decided_fields = null
     where id = any(${app_ids}::uuid[])
       and (app_name <> ${withdrawn_name} or redirect_uris <> '{}'
            or coalesce(app_description, logo_url, website_url, decision_reason, resubmission_note) is not null)`
  await endPartsOf(tx, app_ids)
  return 0
}

/** Requests that nobody can decide now, so that the audit log gets no further entry about them. */
const eraseScopeRequests: EraseRound = (tx, { app_ids }, rows_max) =>
  countRows(tx.sql`
    delete from scope_requests
     where id = any(array(
       select id from scope_requests where app_id = any(${app_ids}::uuid[]) and status <> 'pending' limit ${rows_max}))
    returning id`)

/** The ids of an owner's apps, including withdrawn ones. */
export const listAppIds = (db: Sql, owner_id: string) =>
  allValues(db.sql<{ id: string }>`
    select id from oauth_apps where owner_id = ${owner_id} and team_id is null`)

/**
 * Other people's connections with the apps, and their consents. The number of people who ever connected stays (D-49).
 */
const eraseConnectionsOfApps: EraseRound = (tx, { app_ids }, rows_max) =>
  countRows(tx.sql<{ user_id: string }>`
    with gone as (
      delete from connections
       where ctid = any(array(select ctid from connections where app_id = any(${app_ids}::uuid[]) limit ${rows_max}))
      returning user_id, app_id
    ), agreed as (
      delete from consents c using gone where c.user_id = gone.user_id and c.app_id = gone.app_id
    )
    select user_id from gone`)

/** The person's unredeemed codes, and all codes of the apps: they contain redirect URIs. */
const eraseCodes: EraseRound = async (tx, { user_id, app_ids }, rows_max) => {
  const own = await tx.sql`
    delete from authorization_codes
     where code_hash = any(array(
       select code_hash from authorization_codes where user_id = ${user_id} and used_at is null limit ${rows_max}))
    returning code_hash`
  // Without an index; few people who leave have apps.
  if (app_ids.length === 0) return own.length
  const of_apps = await tx.sql`
    delete from authorization_codes
     where code_hash = any(array(
       select code_hash from authorization_codes where app_id = any(${app_ids}::uuid[]) limit ${rows_max}))
    returning code_hash`
  return Math.max(own.length, of_apps.length)
}

export interface DependentApp {
  id: string
  app_name: string
  /** People who are connected now. */
  people: number
}

/** The apps of an owner, with the number of connected people. */
export const listAppsWithPeople = (db: Sql, owner_id: string) =>
  db.sql<DependentApp>`
    select a.id, a.app_name,
           (select count(*) from connections c where c.app_id = a.id and c.disconnected_at is null and c.user_id <> a.owner_id) as people
      from oauth_apps a
     where a.owner_id = ${owner_id} and a.team_id is null
     order by a.id desc
     limit 1000`

const listConnectionsEver = (db: Sql, { user_id, now, after, rows_max }: ExportPage) =>
  db.sql<{ app_id: string }>`
    select c.app_id, a.app_name, c.scopes, c.connected_at, last_use_of(c.user_id, c.app_id, c.last_used_at, ${now}) as last_used,
           c.disconnected_at
      from connections c left join oauth_apps a on a.id = c.app_id
     where c.user_id = ${user_id} and (${after}::uuid is null or c.app_id > ${after})
     order by c.app_id limit ${rows_max}`

const listConsents = (db: Sql, user_id: string) =>
  db.sql`
    select app_id, app_name, redirect_origin, scopes, inserted_at from consents where user_id = ${user_id} order by inserted_at limit 10000`

const listAppsForExport = (db: Sql, owner_id: string) =>
  db.sql`
    select id, client_id, app_name, app_description, logo_url, website_url, redirect_uris, allowed_scopes, require_pkce, require_par, require_dpop,
           backchannel_logout_uri, status,
           decision_reason, decided_at, resubmitted_at, listed, inserted_at, updated_at
      from oauth_apps where owner_id = ${owner_id} and team_id is null order by id limit 10000`

/** The secrets of the owner's apps, and secrets that the person made for other apps. */
const listSecretsForExport = (db: Sql, user_id: string) =>
  db.sql`
    select s.id, s.app_id, s.name, s.hint, s.permissions, s.expires_at, s.allowed_addresses, s.maker_id, s.inserted_at, s.last_used_at,
           s.last_address
      from app_secrets s
     where s.maker_id = ${user_id} or s.app_id = any(array(select id from oauth_apps where owner_id = ${user_id} and team_id is null))
     order by s.id limit 10000`

const listScopeRequestsForExport = (db: Sql, owner_id: string) =>
  db.sql`
    select r.id, r.app_id, r.requested_scopes, r.status, r.decision_reason, r.decided_at, r.inserted_at
      from scope_requests r join oauth_apps a on a.id = r.app_id
     where a.owner_id = ${owner_id} and a.team_id is null order by r.id limit 10000`

/** Deletes the invitations to and by a person, and the offers of apps. */
export async function deleteInvitationsOf(tx: Tx, user_id: string, email: string) {
  await tx.sql`delete from team_invitations where invited_by = ${user_id} or lower(email) = lower(${email})`
  await tx.sql`delete from app_offers where to_user_id = ${user_id} or offered_by = ${user_id}`
}

/** The teams that would have no owner, or only suspended ones, without this person. */
export const listTeamsWithoutOther = (db: Sql, user_id: string) =>
  db.sql<{ id: string; name: string }>`
    select t.id, t.name
      from team_members m join teams t on t.id = m.team_id
     where m.user_id = ${user_id} and m.role = 'owner'
       and not exists (select from team_members o join users u on u.id = o.user_id
                        where o.team_id = m.team_id and o.role = 'owner' and o.user_id <> m.user_id and u.suspended_at is null)
     order by t.id`

const listTeamsForExport = (db: Sql, user_id: string) =>
  db.sql`
    select t.id, t.name, m.role, m.joined_at
      from team_members m join teams t on t.id = m.team_id where m.user_id = ${user_id} order by t.id`

const listTeamChangesForExport = (db: Sql, user_id: string) =>
  db.sql`
    select l.team_id, l.action, l.subject_id, l.details ->> 'role' as role, l.inserted_at
      from team_log l where l.actor_id = ${user_id} order by l.id limit 10000`

const listInvitationsForExport = (db: Sql, user_id: string) =>
  db.sql`
    select id, team_id, email, role, inserted_at, expires_at, invited_by = ${user_id} as by_you
      from team_invitations
     where invited_by = ${user_id} or lower(email) = (select lower(email) from users where id = ${user_id})
     order by id limit 10000`

const listOffersForExport = (db: Sql, user_id: string) =>
  db.sql`
    select o.app_id, a.app_name, o.offered_by = ${user_id} as by_you, o.inserted_at, o.expires_at
      from app_offers o join oauth_apps a on a.id = o.app_id
     where o.to_user_id = ${user_id} or o.offered_by = ${user_id} order by o.app_id limit 10000`

export const oauth_erasure = [eraseApps, erasesRowsOf('connections', 'user_id'), eraseConnectionsOfApps, eraseCodes]

/** After the audit log, whose entries about requests are found by them. */
export const request_erasure = [eraseScopeRequests]

export const oauth_sections = [
  longSection('connected_apps', listConnectionsEver, ({ app_id }) => app_id),
  shortSection('consents', listConsents),
  shortSection('apps', listAppsForExport),
  shortSection('app_secrets', listSecretsForExport),
  shortSection('scope_requests', listScopeRequestsForExport),
  shortSection('teams', listTeamsForExport),
  shortSection('team_changes', listTeamChangesForExport),
  shortSection('team_invitations', listInvitationsForExport),
  shortSection('app_offers', listOffersForExport),
]

import type { AppOrder } from '../../contract/admin-apps.ts'
import { firstRow, type Sql, type Tx } from '../platform/postgres/database.ts'
import type { AppRow } from './apps.store.ts'

export interface ReviewedApp extends AppRow {
  owner_username: string
  team_name: string | null
  payout_limit: number | null
  points: number
}

export interface ReviewFilter {
  status: string | null
  before_id: string | null
  rows_max: number
}

export interface AppFilter extends Omit<ReviewFilter, 'before_id'> {
  /** The last id of the previous page. */
  last_id: string | null
  sort: AppOrder
  owner_id: string | null
  /** Only apps changed since their approval. */
  changed: boolean
  /** The prefix of the name of the app or its team, with the wildcards of `like` escaped. */
  starting: string | null
  id: string | null
}

/** Apps in the order of an index: ids follow time. Points have no index, as for people. */
export const listAppsInOrder = (
  db: Sql,
  { status, owner_id, changed, starting, id, sort, last_id, rows_max }: AppFilter,
) =>
  db.sql<ReviewedApp>`
    select a.*, u.username as owner_username, (select name from teams where id = a.team_id) as team_name, p.credited - p.debited - p.held as points
      from oauth_apps a join users u on u.id = a.owner_id join point_accounts p on p.id = a.id
     where (${status}::text is null or a.status = ${status})
       and (${last_id}::uuid is null or case ${sort}::text
             when 'app_name' then (lower(a.app_name), a.id) > (select lower(app_name), id from oauth_apps where id = ${last_id})
             when '-app_name' then (lower(a.app_name), a.id) < (select lower(app_name), id from oauth_apps where id = ${last_id})
             when 'points' then (p.credited - p.debited - p.held, a.id) >
                                (select credited - debited - held, id from point_accounts where id = ${last_id})
             when '-points' then (p.credited - p.debited - p.held, a.id) <
                                 (select credited - debited - held, id from point_accounts where id = ${last_id})
             when 'inserted_at' then a.id > ${last_id}
             else a.id < ${last_id} end)
       and (${owner_id}::uuid is null or a.owner_id = ${owner_id}) and (not ${changed}::boolean or a.changed_since_approval)
       and (${starting}::text is null or lower(a.app_name) like lower(${starting}) || '%' or a.id = ${id} or a.team_id = ${id}
            or a.team_id in (select t.id from teams t where lower(t.name) like lower(${starting}) || '%'))
     order by case ${sort} when 'app_name' then lower(a.app_name) end,
              case ${sort} when '-app_name' then lower(a.app_name) end desc,
              case ${sort} when 'points' then p.credited - p.debited - p.held end,
              case ${sort} when '-points' then p.credited - p.debited - p.held end desc,
              case when ${sort} in ('app_name', 'inserted_at', 'points') then a.id end,
              a.id desc
     limit ${rows_max}`

export const findReviewedApp = (db: Sql, app_id: string) =>
  firstRow(db.sql<ReviewedApp>`
    select a.*, u.username as owner_username, (select name from teams where id = a.team_id) as team_name, p.credited - p.debited - p.held as points
      from oauth_apps a join users u on u.id = a.owner_id join point_accounts p on p.id = a.id
     where a.id = ${app_id}`)

export interface AppDecision {
  status: 'approved' | 'rejected'
  listed: boolean | null
  reason: string | null
  now: Date
}

export interface DecidedApp {
  app: ReviewedApp
  has_changed: boolean
  was_approved: boolean
}

/**
 * Sets an app's status; `has_changed` is false if status and reason are as before, `was_approved` is the status before.
 * Withdrawing an approval voids every grant and code issued so far (D-40).
 */
export async function recordAppDecision(
  tx: Tx,
  app_id: string,
  { status, listed, reason, now }: AppDecision,
): Promise<DecidedApp | undefined> {
  const [turn] = await tx.sql<{ has_changed: boolean; was_approved: boolean }>`
    with before as (
      select id, status, decision_reason from oauth_apps where id = ${app_id} for update
    )
    update oauth_apps a
       set status = ${status}, decision_reason = ${reason}, decided_at = ${now}, listed = coalesce(${listed}::boolean, a.listed),
           decided_fields = jsonb_build_object(
             'app_name', a.app_name, 'app_description', a.app_description, 'logo_url', a.logo_url, 'website_url', a.website_url,
             'redirect_uris', a.redirect_uris, 'allowed_scopes', a.allowed_scopes, 'require_pkce', a.require_pkce,
             'backchannel_logout_uri', a.backchannel_logout_uri, 'require_dpop', a.require_dpop),
           approval_epoch = a.approval_epoch + case when b.status = 'approved' and ${status} <> 'approved' then 1 else 0 end,
           updated_at = ${now}
      from before b
     where a.id = b.id
    returning (b.status, b.decision_reason) is distinct from (${status}, ${reason}::text) as has_changed,
              b.status = 'approved' as was_approved`
  const app = turn && (await findReviewedApp(tx, app_id))
  return app && { app, ...turn }
}

/** Sets how many points the app may pay out in 24 hours; null for the limit of the installation. */
export async function writePayoutLimit(tx: Tx, app_id: string, payout_limit: number | null) {
  await tx.sql`update oauth_apps set payout_limit = ${payout_limit} where id = ${app_id}`
  return findReviewedApp(tx, app_id)
}

/**
 * Approves the changes of an app since its approval, unless it changed again after `seen_at`; undefined if it did, or
 * has no such change.
 */
export async function recordAppSeen(tx: Tx, app_id: string, seen_at: Date) {
  const seen = await tx.sql`
    update oauth_apps
       set approved_name = app_name, approved_description = app_description, approved_logo_url = logo_url, approved_website_url = website_url,
           approved_redirect_uris = redirect_uris
     where id = ${app_id} and changed_since_approval and updated_at = ${seen_at}
    returning id`
  return seen.length > 0 ? findReviewedApp(tx, app_id) : undefined
}

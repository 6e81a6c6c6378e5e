import { scope_names } from '../../contract/scopes.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import type { AppRow, ScopeRequestRow } from './store.ts'

export interface ReviewedApp extends AppRow {
  owner_username: string
}

interface ListFilter {
  status: string | null
  before_id: string | null
  rows_max: number
}

export const listAppsNewestFirst = (db: Sql, { status, before_id, rows_max }: ListFilter) =>
  db.sql<ReviewedApp>`
    select a.*, u.username as owner_username
      from oauth_apps a join users u on u.id = a.owner_id
     where (${status}::text is null or a.status = ${status}) and (${before_id}::uuid is null or a.id < ${before_id})
     order by a.id desc
     limit ${rows_max}`

export interface AppDecision {
  status: 'approved' | 'rejected'
  listed: boolean | null
  reason: string | null
  now: Date
}

/**
 * Sets an app's status, and tells whether that is news to its owner. Withdrawing an approval voids every grant and code
 * made so far (D-40).
 */
export async function recordAppDecision(tx: Tx, app_id: string, { status, listed, reason, now }: AppDecision) {
  const [row] = await tx.sql<ReviewedApp & { is_news: boolean }>`
    with before as (
      select id, status, decision_reason from oauth_apps where id = ${app_id} for update
    ), decided as (
      update oauth_apps a
         set status = ${status}, decision_reason = ${reason}, decided_at = ${now}, listed = coalesce(${listed}::boolean, a.listed),
             approval_epoch = a.approval_epoch + case when b.status = 'approved' and ${status} <> 'approved' then 1 else 0 end,
             updated_at = ${now}
        from before b
       where a.id = b.id
      returning a.*, (b.status, b.decision_reason) is distinct from (${status}, ${reason}::text) as is_news
    )
    select d.*, u.username as owner_username from decided d join users u on u.id = d.owner_id`
  if (!row) return undefined
  const { is_news, ...app } = row
  return { app, is_news }
}

export const listScopeRequestsNewestFirst = (db: Sql, { status, before_id, rows_max }: ListFilter) =>
  db.sql<ScopeRequestRow>`
    select r.*, a.app_name
      from scope_requests r join oauth_apps a on a.id = r.app_id
     where (${status}::text is null or r.status = ${status}) and (${before_id}::uuid is null or r.id < ${before_id})
     order by r.id desc
     limit ${rows_max}`

export async function findScopeRequest(db: Sql, request_id: string) {
  const [row] = await db.sql<ScopeRequestRow>`
    select r.*, a.app_name from scope_requests r join oauth_apps a on a.id = r.app_id where r.id = ${request_id}`
  return row
}

export interface ScopeDecision {
  status: 'approved' | 'denied'
  decided_by: string
  reason: string | null
  now: Date
}

/** Decides a pending request, once; undefined when it is not pending. An approval adds its scopes to the app's. */
export async function recordScopeDecision(
  tx: Tx,
  request_id: string,
  { status, decided_by, reason, now }: ScopeDecision,
) {
  const [row] = await tx.sql<ScopeRequestRow>`
    with decided as (
      update scope_requests
         set status = ${status}, decision_reason = ${reason}, decided_by = ${decided_by}, decided_at = ${now}
       where id = ${request_id} and status = 'pending'
      returning *
    ), widened as (
      update oauth_apps a
         set allowed_scopes = array(select s from unnest(${scope_names}::text[]) with ordinality n(s, at)
                                     where s = any(a.allowed_scopes || d.requested_scopes) order by at), updated_at = ${now}
        from decided d
       where a.id = d.app_id and d.status = 'approved'
    )
    select d.*, a.app_name from decided d join oauth_apps a on a.id = d.app_id`
  return row
}

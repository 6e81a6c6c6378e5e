import type { Static } from 'typebox'
import type { admin_scope_request } from '../../contract/app-fields.ts'
import { scope_names, type Scope } from '../../contract/kinds/scopes.ts'
import { firstRow, theRow, type Sql, type Tx } from '../platform/postgres/database.ts'
import type { ReviewFilter } from './review.store.ts'

export type ScopeRequestRow = Static<typeof admin_scope_request>

export const insertScopeRequest = (
  db: Sql,
  { id, app_id, requested_scopes, now }: { id: string; app_id: string; requested_scopes: Scope[]; now: Date },
) =>
  theRow(db.sql<Omit<ScopeRequestRow, 'app_name'>>`
    insert into scope_requests (id, app_id, requested_scopes, inserted_at)
    values (${id}, ${app_id}, ${requested_scopes}, ${now})
    returning *`)

export const listScopeRequestsOfApp = (db: Sql, app_id: string) =>
  db.sql<ScopeRequestRow>`select * from scope_requests where app_id = ${app_id} order by id desc limit 1000`

export const listScopeRequestsNewestFirst = (db: Sql, { status, before_id, rows_max }: ReviewFilter) =>
  db.sql<ScopeRequestRow>`
    select r.*, a.app_name
      from scope_requests r join oauth_apps a on a.id = r.app_id
     where (${status}::text is null or r.status = ${status}) and (${before_id}::uuid is null or r.id < ${before_id})
     order by r.id desc
     limit ${rows_max}`

export const findScopeRequest = (db: Sql, request_id: string) =>
  firstRow(db.sql<ScopeRequestRow>`
    select r.*, a.app_name from scope_requests r join oauth_apps a on a.id = r.app_id where r.id = ${request_id}`)

export interface ScopeDecision {
  status: 'approved' | 'denied'
  /** Null if nobody decided, as in a sandbox (D-102). */
  decided_by: string | null
  reason: string | null
  now: Date
}

/** Decides a pending request; undefined if it is not pending. An approval adds its scopes to the app's. */
export const recordScopeDecision = (tx: Tx, request_id: string, { status, decided_by, reason, now }: ScopeDecision) =>
  firstRow(tx.sql<ScopeRequestRow>`
    with decided as (
      update scope_requests
         set status = ${status}, decision_reason = ${reason}, decided_by = ${decided_by}::uuid, decided_at = ${now}
       where id = ${request_id} and status = 'pending'
      returning *
    ), widened as (
      update oauth_apps a
         set allowed_scopes = array(select s from unnest(${scope_names}::text[]) with ordinality n(s, at)
                                     where s = any(a.allowed_scopes || d.requested_scopes) order by at), updated_at = ${now}
        from decided d
       where a.id = d.app_id and d.status = 'approved'
    )
    select d.*, a.app_name from decided d join oauth_apps a on a.id = d.app_id`)

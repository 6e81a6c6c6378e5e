import type { Static } from 'typebox'
import type { review } from '../../contract/review-fields.ts'
import { hasRows, type Sql, type Tx } from '../platform/postgres/database.ts'

export type ReviewRow = Static<typeof review>

/** An act that waits for a second person, as an admin asks for it. */
export type Asked = Pick<ReviewRow, 'kind' | 'user_id' | 'app_id' | 'amount' | 'description' | 'reason' | 'transfer_id'>

type NewReview = Asked & Pick<ReviewRow, 'id' | 'asked_by' | 'inserted_at' | 'expires_at'>

export const insertReview = (tx: Tx, review: NewReview) =>
  tx.sql`
    insert into reviews (id, kind, user_id, app_id, amount, description, reason, transfer_id, asked_by, inserted_at, expires_at)
    values (${review.id}, ${review.kind}, ${review.user_id}::uuid, ${review.app_id}::uuid, ${review.amount}::bigint,
            ${review.description}::text, ${review.reason}::text, ${review.transfer_id}::uuid, ${review.asked_by},
            ${review.inserted_at}, ${review.expires_at})`

interface ReviewFilter {
  now: Date
  id?: string | null
  transfer_id?: string | null
  status?: ReviewRow['status'] | null
  before_id?: string | null
  rows_max?: number
}

/** Reviews with the names of people and apps, newest first. */
export const listReviews = (
  db: Sql,
  { now, id = null, transfer_id = null, status = null, before_id = null, rows_max = 1 }: ReviewFilter,
) =>
  db.sql<ReviewRow>`
    with known as (
      select r.*, case when r.status = 'open' and r.expires_at <= ${now} then 'void' else r.status end as state
        from reviews r
    )
    select r.id, r.kind, r.state as status, r.user_id, person.username, r.app_id, a.app_name, r.amount, r.description, r.reason,
           r.transfer_id, r.asked_by, asker.username as asked_by_username, r.inserted_at, r.expires_at, r.decided_by,
           decider.username as decided_by_username, r.decided_at, r.decision_reason
      from known r
      left join users person on person.id = r.user_id
      left join users asker on asker.id = r.asked_by
      left join users decider on decider.id = r.decided_by
      left join oauth_apps a on a.id = r.app_id
     where (${id}::uuid is null or r.id = ${id}) and (${transfer_id}::uuid is null or r.transfer_id = ${transfer_id})
       and (${status}::text is null or r.state = ${status}) and (${before_id}::uuid is null or r.id < ${before_id})
     order by r.id desc
     limit ${rows_max}`

/** Decides an open review requested by another person who is still one of these admins; false if there is none. */
export const decideReview = (
  tx: Tx,
  decision: {
    id: string
    status: 'approved' | 'rejected'
    by: string
    reason: string | null
    now: Date
    roles: readonly string[]
  },
) =>
  hasRows(tx.sql`
    update reviews r
       set status = ${decision.status}, decided_by = ${decision.by}, decided_at = ${decision.now}, decision_reason = ${decision.reason}::text
     where r.id = ${decision.id} and r.status = 'open' and r.expires_at > ${decision.now} and r.asked_by <> ${decision.by}
       and (${decision.status} = 'rejected' or exists (
             select from users u where u.id = r.asked_by and u.suspended_at is null and u.admin_roles && ${decision.roles}::text[]))
    returning r.id`)

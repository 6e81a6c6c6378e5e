import type { ResponseOf } from '../../contract/endpoint.ts'
import type { requestPoints } from '../../contract/sending.ts'
import type { PointRequestStatus } from '../../contract/states.ts'
import { erasesRowsOf } from '../platform/erasure.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'

export type PointRequest = ResponseOf<typeof requestPoints>

interface RequestFilter {
  user_id: string
  now: Date
  id?: string | null
  direction?: 'in' | 'out' | null
  status?: PointRequestStatus | null
  before_id?: string | null
  rows_max: number
}

/** The requests to and by a person, newest first. */
export const listRequests = (
  db: Sql,
  { user_id, now, id = null, direction = null, status = null, before_id = null, rows_max }: RequestFilter,
) =>
  db.sql<PointRequest>`
    with own as (
      select *, 'in' as direction, to_user_id as other_id from point_requests where from_user_id = ${user_id}
      union all
      select *, 'out', from_user_id from point_requests where to_user_id = ${user_id}
    ), found as (
      select * from (select *, case when status = 'open' and expires_at <= ${now} then 'expired' else status end as state from own) r
       where (${id}::uuid is null or r.id = ${id})
         and (${direction}::text is null or r.direction = ${direction})
         and (${status}::text is null or r.state = ${status})
         and r.id < coalesce(${before_id}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
       order by r.id desc
       limit ${rows_max}
    )
    select r.id, r.direction, r.state as status, r.amount, r.description, r.other_id as other_user_id,
           u.username as other_username, r.transfer_id, r.inserted_at, r.expires_at, r.closed_at
      from found r
      left join users u on u.id = r.other_id
     order by r.id desc`

interface NewRequest {
  id: string
  from_user_id: string
  to_user_id: string
  amount: number
  description: string | null
  now: Date
  expires_at: Date
}

/**
 * Stores a request; false if the person has `open_max` open ones. The caller holds the lock on the person's account.
 */
export async function insertRequest(tx: Tx, request: NewRequest, open_max: number) {
  const { id, from_user_id, to_user_id, amount, description, now, expires_at } = request
  const rows = await tx.sql`
    insert into point_requests (id, from_user_id, to_user_id, amount, description, inserted_at, expires_at)
    select ${id}, ${from_user_id}, ${to_user_id}, ${amount}, ${description}::text, ${now}, ${expires_at}
     where ${open_max} > (select count(*) from point_requests
                           where to_user_id = ${to_user_id} and status = 'open' and expires_at > ${now})
    returning id`
  return rows.length > 0
}

interface Closing {
  id: string
  status: 'paid' | 'declined' | 'cancelled'
  transfer_id?: string
  now: Date
}

/** Closes an open request; undefined if it is not open. Of parallel calls, one closes it. */
export async function closeRequest(tx: Tx, { id, status, transfer_id, now }: Closing) {
  const [row] = await tx.sql<{ from_user_id: string; to_user_id: string }>`
    update point_requests set status = ${status}, transfer_id = ${transfer_id ?? null}::uuid, closed_at = ${now}
     where id = ${id} and status = 'open' and expires_at > ${now}
    returning from_user_id, to_user_id`
  return row
}

/** Closes the open requests of two people: those to this person are declined, those by this person cancelled. */
export const closeRequestsBetween = (
  tx: Tx,
  { user_id, other_id, now }: { user_id: string; other_id: string; now: Date },
) =>
  tx.sql<{ id: string; from_user_id: string }>`
    update point_requests
       set status = case when from_user_id = ${user_id} then 'declined' else 'cancelled' end, closed_at = ${now}
     where (from_user_id = ${user_id} and to_user_id = ${other_id} or from_user_id = ${other_id} and to_user_id = ${user_id})
       and status = 'open' and expires_at > ${now}
    returning id, from_user_id`

export const eraseRequestsByLeaver = erasesRowsOf('point_requests', 'to_user_id')
export const eraseRequestsToLeaver = erasesRowsOf('point_requests', 'from_user_id')

import type { Static } from 'typebox'
import type { app_transfer } from '../../contract/payment-fields.ts'
import type { TransferKind } from '../../contract/kinds/transfers.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Span } from '../platform/time-span.ts'

/**
 * The `user_id` of a refund is the person who made the spend; the points go to a system account if that person has left.
 */
export type StatementRow = Static<typeof app_transfer> & { seq: number }

export interface StatementFilter extends Span {
  app_id: string
  user_id: string | null
  kind: TransferKind | null
  reference: string | null
  before_seq: number | null
  rows_max: number
}

/**
 * Movements of an app's account and those that the app made between people, newest first. The filter selects the index
 * (by reference, person or app), so the cost of a page depends only on its rows.
 */
export const listStatement = (db: Sql, filter: StatementFilter) => {
  if (filter.reference !== null) return listByReference(db, filter)
  return filter.user_id === null ? listByApp(db, filter) : listByUser(db, { ...filter, user_id: filter.user_id })
}

const listByApp = (db: Sql, { app_id, kind, before_seq, since, until, rows_max }: StatementFilter) =>
  db.sql<StatementRow>`
    with span as materialized (
      select least(coalesce(${before_seq}::bigint, 9223372036854775807),
                   transfer_seq_at(${until}::timestamptz + interval '1 hour')) as before_seq,
             coalesce(transfer_seq_at(${since}::timestamptz - interval '1 hour'), 0) as since_seq
    ), outgoing as (
      select * from transfers
       where from_account = ${app_id}
         and seq < (select before_seq from span) and seq >= (select since_seq from span)
         and (${kind}::text is null or kind = ${kind})
         and (${since}::timestamptz is null or inserted_at >= ${since})
         and (${until}::timestamptz is null or inserted_at < ${until})
       order by seq desc limit ${rows_max}
    ), incoming as (
      select * from transfers
       where to_account = ${app_id}
         and seq < (select before_seq from span) and seq >= (select since_seq from span)
         and (${kind}::text is null or kind = ${kind})
         and (${since}::timestamptz is null or inserted_at >= ${since})
         and (${until}::timestamptz is null or inserted_at < ${until})
       order by seq desc limit ${rows_max}
    ), between_people as (
      select * from transfers
       where app_id = ${app_id} and kind = 'transfer' and from_account <> ${app_id} and to_account <> ${app_id}
         and seq < (select before_seq from span) and seq >= (select since_seq from span)
         and coalesce(${kind}::text, 'transfer') = 'transfer'
         and (${since}::timestamptz is null or inserted_at >= ${since})
         and (${until}::timestamptz is null or inserted_at < ${until})
       order by seq desc limit ${rows_max}
    )
    select t.seq, t.id, t.kind, s.direction, t.amount, s.points_after, s.user_id, s.to_user_id, t.description, t.reference, t.metadata,
           t.hold_id, t.refunded_id as refunded_transfer_id, t.inserted_at
      from (select * from outgoing
            union all
            select * from incoming
            union all
            select * from between_people) t
     cross join lateral app_side_of(${app_id}, from_account, to_account, from_after, to_after, refunded_id) s
     order by t.seq desc limit ${rows_max}`

const listByUser = (
  db: Sql,
  { app_id, user_id, kind, before_seq, since, until, rows_max }: StatementFilter & { user_id: string },
) =>
  db.sql<StatementRow>`
    with span as materialized (
      select least(coalesce(${before_seq}::bigint, 9223372036854775807),
                   transfer_seq_at(${until}::timestamptz + interval '1 hour')) as before_seq,
             coalesce(transfer_seq_at(${since}::timestamptz - interval '1 hour'), 0) as since_seq
    ), spent as materialized (
      select * from transfers
       where from_account = ${user_id} and seq < (select before_seq from span) and seq >= (select since_seq from span)
         and app_id = ${app_id}
    ), returned as materialized (
      select * from transfers
       where to_account = ${user_id} and seq < (select before_seq from span) and seq >= (select since_seq from span)
         and app_id = ${app_id}
    ), returned_late as materialized (
      -- Refunds of somebody who has left go to a system account. For anybody else nothing is read here.
      select r.* from transfers s
       cross join lateral (select * from transfers where refunded_id = s.id offset 0) r
       where (select closed from point_accounts where id = ${user_id})
         and s.from_account = ${user_id} and s.app_id = ${app_id} and r.to_account <> ${user_id}
         and r.seq < (select before_seq from span) and r.seq >= (select since_seq from span)
    )
    select t.seq, t.id, t.kind, s.direction, t.amount, s.points_after, s.user_id, s.to_user_id, t.description, t.reference, t.metadata,
           t.hold_id, t.refunded_id as refunded_transfer_id, t.inserted_at
      from (select * from spent where to_account = ${app_id} or kind = 'transfer'
            union all
            select * from returned where from_account = ${app_id} or kind = 'transfer'
            union all
            select * from returned_late where from_account = ${app_id}) t
     cross join lateral app_side_of(${app_id}, from_account, to_account, from_after, to_after, refunded_id) s
     where (${kind}::text is null or t.kind = ${kind})
       and (${since}::timestamptz is null or t.inserted_at >= ${since})
       and (${until}::timestamptz is null or t.inserted_at < ${until})
     order by t.seq desc limit ${rows_max}`

const listByReference = (
  db: Sql,
  { app_id, user_id, kind, reference, before_seq, since, until, rows_max }: StatementFilter,
) =>
  db.sql<StatementRow>`
    select t.seq, t.id, t.kind, s.direction, t.amount, s.points_after, s.user_id, s.to_user_id, t.description, t.reference, t.metadata,
           t.hold_id, t.refunded_id as refunded_transfer_id, t.inserted_at
      from transfers t
     cross join lateral app_side_of(${app_id}, from_account, to_account, from_after, to_after, refunded_id) s
     where t.app_id = ${app_id} and t.reference = ${reference}
       and (t.from_account = ${app_id} or t.to_account = ${app_id} or t.kind = 'transfer')
       and t.seq < coalesce(${before_seq}::bigint, 9223372036854775807)
       and (${user_id}::uuid is null or ${user_id} in (s.user_id, s.to_user_id))
       and (${kind}::text is null or t.kind = ${kind})
       and (${since}::timestamptz is null or t.inserted_at >= ${since})
       and (${until}::timestamptz is null or t.inserted_at < ${until})
     order by t.seq desc limit ${rows_max}`

/** A movement of the app, and its refunds, oldest first; empty if none has this id. */
export const findTransferWithRefunds = (db: Sql, app_id: string, transfer_id: string) =>
  db.sql<StatementRow>`
    select t.seq, t.id, t.kind, s.direction, t.amount, s.points_after, s.user_id, s.to_user_id, t.description, t.reference, t.metadata,
           t.hold_id, t.refunded_id as refunded_transfer_id, t.inserted_at
      from (select * from transfers where id = ${transfer_id}
            union all
            select * from transfers where refunded_id = ${transfer_id}) t
     cross join lateral app_side_of(${app_id}, from_account, to_account, from_after, to_after, refunded_id) s
     where t.from_account = ${app_id} or t.to_account = ${app_id} or (t.app_id = ${app_id} and t.kind = 'transfer')
     order by t.id <> ${transfer_id}, t.seq`

/** Movements of the app's account by their ids, in any order. */
export const listTransfersOfApp = (db: Sql, app_id: string, ids: readonly string[]) =>
  db.sql<StatementRow>`
    select t.seq, t.id, t.kind, s.direction, t.amount, s.points_after, s.user_id, s.to_user_id, t.description, t.reference, t.metadata,
           t.hold_id, t.refunded_id as refunded_transfer_id, t.inserted_at
      from unnest(${ids}::uuid[]) wanted(id)
     cross join lateral (select * from transfers where transfers.id = wanted.id limit 1) t
     cross join lateral app_side_of(${app_id}, from_account, to_account, from_after, to_after, refunded_id) s`

/** The points that may leave an app, of those earned before this time; negative if refunds took more. */
export async function findPayable(db: Sql, app_id: string, earned_before: Date) {
  const [row] = await db.sql<{ points: number }>`
    select payable_of(${app_id}, transfer_seq_at(${earned_before})) as points`
  return row!.points
}

export interface AppBalance {
  points: number
  total_earned: number
  total_spent: number
}

export async function findAppBalance(db: Sql, app_id: string): Promise<AppBalance> {
  const [row] = await db.sql<AppBalance>`
    select credited - debited as points, credited as total_earned, debited as total_spent
      from point_accounts where id = ${app_id}`
  return row ?? { points: 0, total_earned: 0, total_spent: 0 }
}

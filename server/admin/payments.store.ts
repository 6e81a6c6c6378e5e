import type { Static } from 'typebox'
import type { failing_webhook } from '../../contract/admin-payments.ts'
import type { admin_transfer } from '../../contract/payment-fields.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Span } from '../platform/time-span.ts'

/** A movement and its refunds, by id; empty if there is none with this id. */
export const findTransfer = (db: Sql, id: string) =>
  db.sql<{ id: string }>`
    select id from transfers where id = ${id}
    union all
    select id from transfers where refunded_id = ${id}`

export interface TransferFilter extends Span {
  /** Accounts of people and apps; with two, a movement must involve both. */
  account: string | null
  other_account: string | null
  amount_min: number | null
  amount_max: number | null
  oldest_first: boolean
  /** The last id of the previous page. */
  last_id: string | null
  rows_max: number
}

/** The ids of movements by time. Because the clocks of processes differ, the range has a margin of an hour. */
export const listTransferIds = (db: Sql, filter: TransferFilter) =>
  db.sql<{ id: string }>`
    with last as materialized (
      select seq from transfers where id = ${filter.last_id}
    ), span as materialized (
      select least((select seq from last where not ${filter.oldest_first}::boolean),
                   transfer_seq_at(${filter.until}::timestamptz + interval '1 hour'), 9223372036854775807) as before_seq,
             greatest((select seq from last where ${filter.oldest_first}::boolean),
                      transfer_seq_at(${filter.since}::timestamptz - interval '1 hour') - 1, 0) as after_seq
    )
    select id from transfers
     where seq < (select before_seq from span) and seq > (select after_seq from span)
       and (${filter.account}::uuid is null or from_account = ${filter.account} or to_account = ${filter.account})
       and (${filter.other_account}::uuid is null or from_account = ${filter.other_account} or to_account = ${filter.other_account})
       and (${filter.amount_min}::bigint is null or amount >= ${filter.amount_min})
       and (${filter.amount_max}::bigint is null or amount <= ${filter.amount_max})
       and (${filter.since}::timestamptz is null or inserted_at >= ${filter.since})
       and (${filter.until}::timestamptz is null or inserted_at < ${filter.until})
     order by case when ${filter.oldest_first} then seq end, seq desc
     limit ${filter.rows_max}`

/** Movements with the names of their accounts, in the order of `ids`. */
export const readTransfers = (db: Sql, ids: string[]) =>
  db.sql<Static<typeof admin_transfer>>`
    select t.id, t.kind, t.amount, t.app_id, app.app_name, t.description, t.reference, t.hold_id,
           t.refunded_id as refunded_transfer_id, t.inserted_at,
           json_build_object('id', payer.id, 'kind', payer.kind,
             'name', case payer.kind when 'user' then (select username from users where id = payer.id)
                                     when 'app' then (select app_name from oauth_apps where id = payer.id) end) as "from",
           json_build_object('id', payee.id, 'kind', payee.kind,
             'name', case payee.kind when 'user' then (select username from users where id = payee.id)
                                     when 'app' then (select app_name from oauth_apps where id = payee.id) end) as "to"
      from unnest(${ids}::uuid[]) with ordinality wanted(id, at)
      join transfers t on t.id = wanted.id
      join point_accounts payer on payer.id = t.from_account
      join point_accounts payee on payee.id = t.to_account
      left join oauth_apps app on app.id = t.app_id
     order by wanted.at`

/** The names of the apps and persons of holds. */
export async function namesOfHolds(db: Sql, holds: { app_id: string; user_id: string }[]) {
  const ids = [...new Set(holds.flatMap(({ app_id, user_id }) => [app_id, user_id]))]
  const rows = await db.sql<{ id: string; name: string }>`
    select id, app_name as name from oauth_apps where id = any(${ids}::uuid[])
    union all
    select id, username from users where id = any(${ids}::uuid[])`
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Failing webhooks, including those switched off for failures, newest first. */
export const listFailingWebhooks = (db: Sql, { before_id, rows_max }: { before_id: string | null; rows_max: number }) =>
  db.sql<Static<typeof failing_webhook>>`
    select w.id, w.url, w.app_id, a.app_name, a.owner_id, u.username as owner_username, w.failing_since, w.disabled_at
      from webhooks w
      join oauth_apps a on a.id = w.app_id
      join users u on u.id = a.owner_id
     where w.failing_since is not null and w.deleted_at is null
       and (${before_id}::uuid is null or w.id < ${before_id})
     order by w.id desc
     limit ${rows_max}`

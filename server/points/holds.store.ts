import type { Static } from 'typebox'
import type { hold } from '../../contract/payment-fields.ts'
import { decisions } from '../../contract/decisions.ts'
import type { HoldStatus } from '../../contract/states.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Span } from '../platform/time-span.ts'

export type HoldRow = Static<typeof hold>

/** A hold with its sequence number. */
export interface ListedHold extends HoldRow {
  seq: number
}

export const findHolds = (db: Sql, ids: string[]) =>
  db.sql<HoldRow>`
    select id, user_id, app_id, amount, status, captured_amount, release_reason, transfer_id, reference, metadata, inserted_at,
           expires_at, settled_at
      from holds where id = any(${ids}::uuid[])`

export interface HoldFilter extends Span {
  app_id: string | null
  user_id: string | null
  status: HoldStatus | null
  reference: string | null
  before_seq: number | null
  /** A lower bound for the scan: older holds are not requested. */
  oldest: Date | null
  now: Date
  rows_max: number
}

/**
 * Holds of an app, newest first. An expired unreleased one counts as released. With a person, the query uses the
 * person's index, because an app has many more holds.
 */
export const listHoldsOfApp = (db: Sql, filter: HoldFilter & { app_id: string }) =>
  filter.user_id === null
    ? db.sql<ListedHold>`
        with span as materialized (
          select least(coalesce(${filter.before_seq}::bigint, 9223372036854775807),
                       hold_seq_at(${filter.app_id}, null, ${filter.until}::timestamptz + interval '1 hour')) as before_seq,
                 coalesce(hold_seq_at(${filter.app_id}, null, ${filter.oldest}::timestamptz - interval '1 hour'), 0) as since_seq
        )
        select * from holds
         where app_id = ${filter.app_id}
           and seq < (select before_seq from span) and seq >= (select since_seq from span)
           and (${filter.since}::timestamptz is null or inserted_at >= ${filter.since})
           and (${filter.until}::timestamptz is null or inserted_at < ${filter.until})
           and (${filter.status}::text is null
                or ${filter.status} = case when status = 'open' and expires_at <= ${filter.now} then 'released' else status end)
           and (${filter.reference}::text is null or reference = ${filter.reference})
         order by seq desc
         limit ${filter.rows_max}`
    : listHoldsOfUser(db, { ...filter, user_id: filter.user_id })

/** Holds of all apps in a range of ids, newest first. */
export const listHolds = (
  db: Sql,
  {
    status,
    reference,
    now,
    rows_max,
    since,
    until,
    since_id,
    before_id,
    until_id,
  }: Omit<HoldFilter, 'app_id' | 'user_id' | 'before_seq' | 'oldest'> & {
    since_id: string
    before_id: string | null
    until_id: string | null
  },
) =>
  db.sql<ListedHold>`
    select * from holds
     where id >= ${since_id}
       and (${before_id}::uuid is null or id < ${before_id})
       and (${until_id}::uuid is null or id < ${until_id})
       and (${since}::timestamptz is null or inserted_at >= ${since})
       and (${until}::timestamptz is null or inserted_at < ${until})
       and (${status}::text is null
            or ${status} = case when status = 'open' and expires_at <= ${now} then 'released' else status end)
       and (${reference}::text is null or reference = ${reference})
     order by id desc
     limit ${rows_max}`

export interface NamedHoldRow extends ListedHold {
  app_name: string | null
}

/** Holds of a person, newest first, of one app or of all. */
export const listHoldsOfUser = (
  db: Sql,
  {
    app_id,
    user_id,
    status,
    reference,
    before_seq,
    oldest,
    since,
    until,
    now,
    rows_max,
  }: HoldFilter & { user_id: string },
) =>
  db.sql<NamedHoldRow>`
    with span as materialized (
      select least(coalesce(${before_seq}::bigint, 9223372036854775807),
                   hold_seq_at(null, ${user_id}, ${until}::timestamptz + interval '1 hour')) as before_seq,
             coalesce(hold_seq_at(null, ${user_id}, ${oldest}::timestamptz - interval '1 hour'), 0) as since_seq
    )
    select h.*, a.app_name
      from holds h left join oauth_apps a on a.id = h.app_id
     where h.user_id = ${user_id}
       and (${app_id}::uuid is null or h.app_id = ${app_id})
       and h.seq < (select before_seq from span) and h.seq >= (select since_seq from span)
       and (${since}::timestamptz is null or h.inserted_at >= ${since})
       and (${until}::timestamptz is null or h.inserted_at < ${until})
       and (${status}::text is null
            or ${status} = case when h.status = 'open' and h.expires_at <= ${now} then 'released' else h.status end)
       and (${reference}::text is null or h.reference = ${reference})
     order by h.seq desc
     limit ${rows_max}`

export interface OpenHold {
  id: string
  user_id: string
  app_id: string
  amount: number
}

export const listExpiredHolds = (db: Sql, now: Date, rows_max: number) =>
  db.sql<OpenHold>`
    select id, user_id, app_id, amount from holds where status = 'open' and expires_at <= ${now} order by expires_at limit ${rows_max}`

/** Open holds of a person, except for these apps. */
export const listOpenHoldsOfUser = (db: Sql, user_id: string, except_app_ids: string[]) =>
  db.sql<OpenHold>`
    select id, user_id, app_id, amount from holds
     where user_id = ${user_id} and status = 'open' and app_id <> all(${except_app_ids}::uuid[])`

const { expires_in_max } = decisions.holds

/** Open holds of an app that were made until `until`. */
export const listOpenHoldsOfApp = (
  db: Sql,
  { app_id, until, rows_max }: { app_id: string; until: Date; rows_max: number },
) =>
  db.sql<OpenHold>`
    select id, user_id, app_id, amount from holds
     where app_id = ${app_id} and status = 'open' and inserted_at <= ${until}
       and seq >= (select open_holds_from_seq(${app_id}, ${expires_in_max}))
     limit ${rows_max}`

export async function sumHeldForApp(db: Sql, app_id: string) {
  const [row] = await db.sql<{ held: number }>`
    select coalesce(sum(amount), 0)::bigint as held from holds
     where app_id = ${app_id} and status = 'open'
       and seq >= (select open_holds_from_seq(${app_id}, ${expires_in_max}))`
  return row?.held ?? 0
}

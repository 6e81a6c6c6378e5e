import type { Static } from 'typebox'
import type { my_history_entry } from '../../contract/point-fields.ts'
import type { TransferKind } from '../../contract/kinds/transfers.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import type { Span } from '../platform/time-span.ts'

export const insertAccount = (db: Sql, id: string, kind: 'user' | 'app') =>
  db.sql`insert into point_accounts (id, kind) values (${id}, ${kind})`

export const findBalances = (db: Sql, account_ids: string[]) =>
  db.sql<{ id: string; points: number; held: number }>`
    select id, credited - debited - held as points, held from point_accounts where id = any(${account_ids}::uuid[])`

/** The credited and debited totals of an account, as text. Both only increase. */
export interface AccountTotals {
  id: string
  credited: string
  debited: string
}

export const findTotals = (db: Sql, account_ids: string[]) =>
  db.sql<AccountTotals>`
    select id, credited::text, debited::text from point_accounts where id = any(${account_ids}::uuid[])`

export type HistoryRow = Static<typeof my_history_entry> & { seq: number }

export interface HistoryFilter extends Span {
  account_id: string
  before_seq: number | null
  kind: TransferKind | null
  direction: 'in' | 'out' | null
  app_id: string | null
  reference: string | null
  by_agent: boolean | null
  rows_max: number
}

/**
 * An account's movements, newest first. Each side is read by its own index, so the cost is that of one page; a time range is
 * first converted to a range of `seq`, which follows time except for clock differences.
 */
export const listHistory = (db: Sql, filter: HistoryFilter) => {
  const { account_id, before_seq, kind, direction, app_id, reference, by_agent, since, until, rows_max } = filter
  return db.sql<HistoryRow>`
    with span as materialized (
      select least(coalesce(${before_seq}::bigint, 9223372036854775807),
                   transfer_seq_at(${until}::timestamptz + interval '1 hour')) as before_seq,
             transfer_seq_at(${since}::timestamptz - interval '1 hour') as since_seq
    ), outgoing as (
      select seq, id, kind, 'out' as direction, amount, from_after as points_after, description, app_id, reference,
             refunded_id, to_account as other_account, inserted_at
        from transfers
       where from_account = ${account_id}
         and seq < (select before_seq from span) and seq >= coalesce((select since_seq from span), 0)
         and (${kind}::text is null or kind = ${kind})
         and (${app_id}::uuid is null or app_id = ${app_id})
         and (${reference}::text is null or reference = ${reference})
         and (${since}::timestamptz is null or inserted_at >= ${since})
         and (${until}::timestamptz is null or inserted_at < ${until})
         and coalesce(${direction}::text, 'out') = 'out'
         and (${by_agent}::boolean is null
              or ${by_agent} = exists (select from agent_transfers where transfer_id = transfers.id))
       order by seq desc
       limit ${rows_max}
    ), incoming as (
      select seq, id, kind, 'in' as direction, amount, to_after as points_after, description, app_id, reference,
             refunded_id, from_account as other_account, inserted_at
        from transfers
       where to_account = ${account_id}
         and seq < (select before_seq from span) and seq >= coalesce((select since_seq from span), 0)
         and (${kind}::text is null or kind = ${kind})
         and (${app_id}::uuid is null or app_id = ${app_id})
         and (${reference}::text is null or reference = ${reference})
         and (${since}::timestamptz is null or inserted_at >= ${since})
         and (${until}::timestamptz is null or inserted_at < ${until})
         and coalesce(${direction}::text, 'in') = 'in'
         and (${by_agent}::boolean is null
              or ${by_agent} = exists (select from agent_transfers where transfer_id = transfers.id))
       order by seq desc
       limit ${rows_max}
    )
    select h.seq, h.id, h.kind, h.direction, h.amount, h.points_after, h.description, h.app_id, app.app_name,
           h.reference, h.refunded_id as refunded_transfer_id, h.inserted_at, other.id as other_user_id,
           person.username as other_username,
           exists (select from agent_transfers where transfer_id = h.id) as by_agent
      from (select * from outgoing union all select * from incoming) h
      left join oauth_apps app on app.id = h.app_id
      left join point_accounts other on other.id = h.other_account and other.kind = 'user'
      left join users person on person.id = other.id
     order by h.seq desc
     limit ${rows_max}`
}

export interface DayRow {
  /** `YYYY-MM-DD`. */
  day: string
  earned: number
  spent: number
  /** The balance at the end of the day. */
  balance: number
}

/** PostgreSQL's offsets of a time zone from UTC at these times, in seconds. */
export async function listOffsets(db: Sql, time_zone: string, moments: readonly Date[]) {
  const rows = await db.sql<{ seconds: number }>`
    select extract(epoch from (date_trunc('second', moment) at time zone ${time_zone})
                              - (date_trunc('second', moment) at time zone 'UTC'))::float8 as seconds
      from unnest(${moments}::timestamptz[]) with ordinality m(moment, place) order by place`
  return rows.map(({ seconds }) => seconds)
}

/**
 * The last days of an account in a time zone, oldest first. Balances are computed back from the current one, in one
 * snapshot. Each side is read by its index from the newest transfer back to the first day, and one day further, because
 * processes whose clocks differ write out of order. Transfers dated after today count as today's.
 */
export const listDays = (
  db: Sql,
  { account_id, days, time_zone, now }: { account_id: string; days: number; time_zone: string; now: Date },
) =>
  db.sql<DayRow>`
    with span as (
      select today - (${days}::integer - 1) as first_day, today,
             (today - ${days}::integer)::timestamp at time zone ${time_zone} as since
        from (select (${now}::timestamptz at time zone ${time_zone})::date as today) t
    ), before as (
      select coalesce((select seq from transfers where from_account = ${account_id}
                          and inserted_at < (select since from span) order by seq desc limit 1), 0) as last_out,
             coalesce((select seq from transfers where to_account = ${account_id}
                          and inserted_at < (select since from span) order by seq desc limit 1), 0) as last_in
    ), moved as (
      select inserted_at, 0::bigint as earned, amount as spent
        from transfers where from_account = ${account_id} and seq > (select last_out from before)
      union all
      select inserted_at, amount, 0
        from transfers where to_account = ${account_id} and seq > (select last_in from before)
    ), by_day as (
      select least((inserted_at at time zone ${time_zone})::date, today) as day,
             sum(earned)::bigint as earned, sum(spent)::bigint as spent
        from moved, span
       group by 1
    ), listed as (
      select first_day + n as day, coalesce(b.earned, 0) as earned, coalesce(b.spent, 0) as spent
        from span, generate_series(0, ${days}::integer - 1) n
        left join by_day b on b.day = (select first_day from span) + n
    )
    select to_char(day, 'YYYY-MM-DD') as day, earned, spent,
           (coalesce((select credited - debited from point_accounts where id = ${account_id}), 0)
             - coalesce(sum(earned - spent) over (order by day desc rows between unbounded preceding and 1 preceding), 0)
           )::bigint as balance
      from listed
     order by day`

/** Points that an app has awarded a user since a time (D-38). */
export async function sumAwards(db: Sql, { app_id, user_id, since }: { app_id: string; user_id: string; since: Date }) {
  const [row] = await db.sql<{ points: number }>`
    select coalesce(sum(amount), 0)::bigint as points
      from transfers
     where kind = 'award' and app_id = ${app_id} and to_account = ${user_id} and inserted_at >= ${since}`
  return row?.points ?? 0
}

/** Locks accounts in the ledger's lock order until the transaction ends, and returns their balances. */
export const lockAccounts = (tx: Tx, ids: string[]) =>
  tx.sql<{ id: string; points: number; closed: boolean }>`
    select id, credited - debited as points, closed from point_accounts
     where id = any(${ids}::uuid[]) order by id desc for no key update`

/** The points that a person has sent since a time (D-137). */
export async function sumSent(tx: Tx, { user_id, since }: { user_id: string; since: Date }) {
  const [row] = await tx.sql<{ points: number }>`
    select coalesce(sum(amount), 0)::bigint as points
      from transfers
     where from_account = ${user_id} and kind = 'direct' and inserted_at > ${since}
       and seq >= transfer_seq_at(${since}::timestamptz - interval '1 hour')`
  return row?.points ?? 0
}

/** The play points that a user has taken since a time (D-102). */
export async function sumPlayPoints(tx: Tx, { user_id, since }: { user_id: string; since: Date }) {
  const [row] = await tx.sql<{ points: number }>`
    select coalesce(sum(amount), 0)::bigint as points
      from transfers where to_account = ${user_id} and kind = 'play' and inserted_at > ${since}`
  return row?.points ?? 0
}

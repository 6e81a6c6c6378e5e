import { theValue, type Sql } from '../platform/postgres/database.ts'
import type { PeriodRow, SeriesSpan } from './series.rules.ts'

/**
 * An app's earned and refunded points in each period, oldest first, in one snapshot: from its days, and from the few
 * transfers that are not counted yet. The upper bound of `seq` excludes nothing, but makes the planner expect a small
 * range of the ledger.
 */
export const listPeriods = (db: Sql, app_id: string, { unit, from, to, starts }: SeriesSpan) =>
  db.sql<PeriodRow>`
    with progress as materialized (
      select counted_to from app_days_progress
    ), moved as materialized (
      select seq, (inserted_at at time zone 'UTC')::date as day, amount as earned, 0::bigint as spent, to_after as points_after
        from transfers
       where to_account = ${app_id} and seq > (select counted_to from progress) and seq <= 9223372036854775807
      union all
      select seq, (inserted_at at time zone 'UTC')::date, 0, amount, from_after
        from transfers
       where from_account = ${app_id} and seq > (select counted_to from progress) and seq <= 9223372036854775807
    ), before as materialized (
      select points_after
        from ((select last_seq, points_after from app_days where app_id = ${app_id} and day < ${from}::date order by day desc limit 1)
              union all
              (select seq, points_after from moved where day < ${from}::date order by seq desc limit 1)) known
       order by last_seq desc limit 1
    ), days as (
      select day, earned, spent, transfers, last_seq, points_after
        from app_days where app_id = ${app_id} and day >= ${from}::date and day < ${to}::date
      union all
      select day, earned, spent, 1, seq, points_after from moved where day >= ${from}::date and day < ${to}::date
    ), periods as (
      select date_trunc(${unit}, day::timestamp)::date as starts_on, sum(earned)::bigint as earned, sum(spent)::bigint as spent,
             sum(transfers)::bigint as transfers, (array_agg(points_after order by last_seq desc))[1] as balance
        from days
       group by 1
    )
    select to_char(s.starts_on, 'YYYY-MM-DD') as starts_on, coalesce(p.earned, 0) as earned, coalesce(p.spent, 0) as spent,
           coalesce(p.transfers, 0) as transfers, p.balance, coalesce((select points_after from before), 0) as opening_balance
      from unnest(${starts}::date[]) s(starts_on)
      left join periods p using (starts_on)
     order by s.starts_on`

/** Adds up to `numbers_max` further transfers to the days; returns how far it advanced. */
export const countDays = (db: Sql, numbers_max: number) =>
  theValue(db.sql<{ counted: number }>`select count_app_days(${numbers_max}) as counted`)

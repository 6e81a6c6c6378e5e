import { theRow, theValue, type Sql } from '../platform/postgres/database.ts'
import type { ActivityWindow } from './rules.ts'

export interface Activity {
  total_spends: number
  total_awards: number
}

/**
 * The app's spends and awards in a window, exact, in one snapshot: whole hours and minutes from the counts, the partial
 * minute at the window's start and transfers not counted yet from the ledger, by index. Times are compared in the
 * aggregates, not in the conditions, so that the planner does not choose an index on them. The upper bound of `seq`
 * excludes nothing: it makes the planner expect a small range of the ledger instead of a third of it.
 */
export async function sumActivity(db: Sql, app_id: string, window: ActivityWindow): Promise<Activity> {
  const { since, edge_from, minutes_from, hours_from } = window
  return theRow(db.sql<Activity>`
    with counted as (
      select coalesce(sum(spends), 0) as spends, coalesce(sum(awards), 0) as awards
        from (select spends, awards from app_activity
               where app_id = ${app_id} and grain = 'hour' and starts_at >= ${hours_from}
              union all
              select spends, awards from app_activity
               where app_id = ${app_id} and grain = 'minute' and starts_at >= ${minutes_from} and starts_at < ${hours_from})
             whole
    ), edge as materialized (
      select first_seq, last_seq from app_activity
       where app_id = ${app_id} and grain = 'minute' and starts_at = ${edge_from}
    ), progress as materialized (
      select counted_to from app_activity_progress
    )
    select (counted.spends
            + (select count(*) filter (where inserted_at >= ${since} and inserted_at < ${minutes_from})
                 from transfers
                where to_account = ${app_id} and kind = 'spend'
                  and seq >= (select first_seq from edge) and seq <= (select last_seq from edge))
            + (select count(*) filter (where inserted_at >= ${since})
                 from transfers
                where to_account = ${app_id} and kind = 'spend'
                  and seq > (select counted_to from progress) and seq <= 9223372036854775807))::bigint as total_spends,
           (counted.awards
            + (select count(*) filter (where inserted_at >= ${since} and inserted_at < ${minutes_from})
                 from transfers
                where app_id = ${app_id} and kind = 'award'
                  and seq >= (select first_seq from edge) and seq <= (select last_seq from edge))
            + (select count(*) filter (where inserted_at >= ${since})
                 from transfers
                where app_id = ${app_id} and kind = 'award'
                  and seq > (select counted_to from progress) and seq <= 9223372036854775807))::bigint as total_awards
      from counted`)
}

export const recordLedgerPosition = (db: Sql) => db.sql`select note_app_activity()`

/** Counts up to `numbers_max` further transfers; returns how far it advanced. */
export const countActivity = (db: Sql, numbers_max: number) =>
  theValue(db.sql<{ counted: number }>`select count_app_activity(${numbers_max}) as counted`)

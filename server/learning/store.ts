import { allValues, firstValue, type Sql, type Tx } from '../platform/postgres/database.ts'
import type { Completions } from './rules.ts'

/**
 * Sets the path of a user who has none, has not started it, or whose path is no longer in `offered`. Undefined if the
 * path cannot be changed.
 */
export const choosePath = (
  db: Sql,
  { user_id, path, offered, now }: { user_id: string; path: string; offered: string[]; now: Date },
) =>
  firstValue(db.sql<{ path: string }>`
    insert into learners as l (user_id, path, chosen_at)
    values (${user_id}, ${path}, ${now})
    on conflict (user_id) do update
       set path = excluded.path, chosen_at = excluded.chosen_at, started_at = null, steps_completed = 0, reached_at = null
     where l.started_at is null or l.path <> all(${offered}::text[])
    returning path`)

/** The user's path; the row lock also protects the user's progress until the transaction ends. */
export const lockPath = (tx: Tx, user_id: string) =>
  firstValue(tx.sql<{ path: string }>`
    select path from learners where user_id = ${user_id} for no key update`)

/**
 * Counts the steps of the path that the user has ever completed; `is_new` says that one was completed for the first
 * time. Sets the start time if there is none.
 */
export const countSteps = (
  tx: Tx,
  { user_id, step_ids, is_new, now }: { user_id: string; step_ids: string[]; is_new: boolean; now: Date },
) =>
  tx.sql`
    update learners
       set started_at = coalesce(started_at, ${now}),
           reached_at = case when ${is_new} or reached_at is null then ${now} else reached_at end,
           steps_completed = (select count(*) from step_completions c
                               where c.user_id = ${user_id} and c.step_id = any(${step_ids}::text[]))
     where user_id = ${user_id}`

/** The time zone of the user's days; UTC if none is set. */
export async function findTimeZone(db: Sql, user_id: string) {
  const [row] = await db.sql<{ time_zone: string | null }>`select time_zone from users where id = ${user_id}`
  return row?.time_zone ?? 'UTC'
}

/** Records that the user completed a step on a day. */
export const addDay = (tx: Tx, user_id: string, day: string) =>
  tx.sql`insert into learning_days (user_id, day) values (${user_id}, ${day}) on conflict do nothing`

/** The days on which the user completed steps, in ascending order. */
export const listDays = (db: Sql, user_id: string) =>
  allValues(db.sql<{ day: string }>`
    select day::text as day from learning_days where user_id = ${user_id} order by day`)

/**
 * Completes a step and returns how often it has been completed; undefined if it is already completed. Of concurrent
 * calls, one gets a number.
 */
export const completeStep = (tx: Tx, user_id: string, step_id: string, now: Date) =>
  firstValue(tx.sql<{ times: number }>`
    insert into step_completions as c (user_id, step_id, first_completed_at, completed_at)
    values (${user_id}, ${step_id}, ${now}, ${now})
    on conflict (user_id, step_id) do update
       set completed_at = excluded.completed_at, times = c.times + 1
     where c.completed_at is null
    returning times`)

export const reopenSteps = (tx: Tx, user_id: string, step_ids: string[]) =>
  tx.sql`
    update step_completions
       set completed_at = null
     where user_id = ${user_id} and step_id = any(${step_ids}::text[])`

/** The user's path and completed steps, from one snapshot. */
export async function findProgress(
  db: Sql,
  user_id: string,
): Promise<{ path: string | undefined; completions: Completions }> {
  const rows = await db.sql<{ path: string; step_id: string | null; completed_at: Date | null }>`
    select l.path, c.step_id, c.completed_at
      from learners l
      left join step_completions c on c.user_id = l.user_id and c.completed_at is not null
     where l.user_id = ${user_id}`
  const completed = rows.flatMap(({ step_id, completed_at }): [string, Date][] =>
    step_id === null || completed_at === null ? [] : [[step_id, completed_at]],
  )
  return { path: rows[0]?.path, completions: new Map(completed) }
}

import { allValues, theValue, type Sql } from '../platform/postgres/database.ts'

/**
 * The number of people registered before each of these ids, which begin days: taken from the next person who still
 * exists.
 */
export const findRegistrations = (db: Sql, first_ids: string[]) =>
  allValues(db.sql<{ registered: number }>`
    select coalesce((select u.registration_number - 1 from users u where u.id >= start.id order by u.id limit 1), c.registrations) as registered
      from unnest(${first_ids}::uuid[]) with ordinality start(id, at), registration_counter c
     order by start.at`)

export interface CountedDay {
  day: string
  spent: number
  active_people: number | null
  failed_jobs: number | null
  open_decisions: number | null
}

export const listCountedDays = (db: Sql, since: Date) =>
  db.sql<CountedDay>`
    select day::text, spent, active_people, failed_jobs, open_decisions
      from daily_figures where day >= (${since}::timestamptz at time zone 'UTC')::date`

/** The number of people whose last use of a console session or an app was in this range, `until` excluded. */
export const countActivePeople = (db: Sql, { since, until }: { since: Date; until: Date }) =>
  theValue(db.sql<{ people: number }>`
    select count(*) as people
      from (select user_id from login_sessions
             where coalesce(renewed_at, inserted_at) >= ${since} and coalesce(renewed_at, inserted_at) < ${until}
            union
            select user_id from connections where last_used_at >= ${since} and last_used_at < ${until}) used`)

/** Records the figures of the current day. The number of active people never decreases. */
export const recordDay = (db: Sql, { day, active_people, failed_jobs, open_decisions }: Omit<CountedDay, 'spent'>) =>
  db.sql`
    insert into daily_figures as d (day, active_people, failed_jobs, open_decisions)
    values (${day}, ${active_people}, ${failed_jobs}, ${open_decisions})
    on conflict (day) do update
       set active_people = greatest(d.active_people, excluded.active_people), failed_jobs = excluded.failed_jobs,
           open_decisions = excluded.open_decisions`

/** Records the final number of active people for a day that was already counted. */
export const completeDay = (db: Sql, { day, active_people }: { day: string; active_people: number }) =>
  db.sql`update daily_figures set active_people = greatest(active_people, ${active_people}) where day = ${day} and active_people is not null`

export const purgeDays = (db: Sql, before: string) => db.sql`delete from daily_figures where day < ${before}`

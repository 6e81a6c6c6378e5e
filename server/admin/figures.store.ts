import type { Sql } from '../platform/postgres/database.ts'

/** How many people had registered before each of these ids, which begin days: by the number of the next one who is still here. */
export async function findRegistrations(db: Sql, first_ids: string[]) {
  const rows = await db.sql<{ registered: number }>`
    select coalesce((select u.registration_number - 1 from users u where u.id >= start.id order by u.id limit 1), c.registrations) as registered
      from unnest(${first_ids}::uuid[]) with ordinality start(id, at), registration_counter c
     order by start.at`
  return rows.map(({ registered }) => registered)
}

export interface CountedDay {
  day: string
  spent: number
  active_people: number | null
  failed_jobs: number | null
  open_decisions: number | null
}

/** The figures that are kept by day. */
export const listCountedDays = (db: Sql, since: Date) =>
  db.sql<CountedDay>`
    select day::text, spent, active_people, failed_jobs, open_decisions
      from daily_figures where day >= (${since}::timestamptz at time zone 'UTC')::date`

/** How many people used a session of the console, or an app, for the last time since `since` and before `until`. */
export async function countActivePeople(db: Sql, { since, until }: { since: Date; until: Date }) {
  const [row] = await db.sql<{ people: number }>`
    select count(*) as people
      from (select user_id from login_sessions
             where coalesce(renewed_at, inserted_at) >= ${since} and coalesce(renewed_at, inserted_at) < ${until}
            union
            select user_id from connections where last_used_at >= ${since} and last_used_at < ${until}) used`
  return row?.people ?? 0
}

/** Records the figures of a day that lasts. A day never has fewer active people than it had. */
export const recordDay = (db: Sql, { day, active_people, failed_jobs, open_decisions }: Omit<CountedDay, 'spent'>) =>
  db.sql`
    insert into daily_figures as d (day, active_people, failed_jobs, open_decisions)
    values (${day}, ${active_people}, ${failed_jobs}, ${open_decisions})
    on conflict (day) do update
       set active_people = greatest(d.active_people, excluded.active_people), failed_jobs = excluded.failed_jobs,
           open_decisions = excluded.open_decisions`

/** Records how many people were active by the end of a day that was counted before. */
export const completeDay = (db: Sql, { day, active_people }: { day: string; active_people: number }) =>
  db.sql`update daily_figures set active_people = greatest(active_people, ${active_people}) where day = ${day} and active_people is not null`

export const purgeDays = (db: Sql, before: string) => db.sql`delete from daily_figures where day < ${before}`

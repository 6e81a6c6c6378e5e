import type { Sql } from '../platform/postgres/database.ts'

/** How many people had registered before each of these ids, which begin days: by the number of the next one who is still here. */
export async function findRegistrations(db: Sql, first_ids: string[]) {
  const rows = await db.sql<{ registered: number }>`
    select coalesce((select u.registration_number - 1 from users u where u.id >= start.id order by u.id limit 1), c.registrations) as registered
      from unnest(${first_ids}::uuid[]) with ordinality start(id, at), registration_counter c
     order by start.at`
  return rows.map(({ registered }) => registered)
}

/** The points that people spent in all apps, by day. */
export async function findSpentByDay(db: Sql, since: Date) {
  const rows = await db.sql<{ day: string; spent: number }>`
    select day::text, spent from daily_figures where day >= (${since}::timestamptz at time zone 'UTC')::date`
  return new Map(rows.map(({ day, spent }) => [day, spent]))
}

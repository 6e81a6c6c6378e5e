import { firstRow, type Sql, type Tx } from '../platform/postgres/database.ts'

export const insertDeparture = (tx: Tx, user_id: string, now: Date) =>
  tx.sql`insert into departures (user_id, left_at) values (${user_id}, ${now})`

export const findDeparture = (db: Sql, user_id: string) =>
  firstRow(db.sql<{ left_at: Date; erased_at: Date | null }>`
    select left_at, erased_at from departures where user_id = ${user_id}`)

/** People who left before this time and whose data is not fully erased, the earliest first. */
export const listUnfinished = (db: Sql, { before, rows_max }: { before: Date; rows_max: number }) =>
  db.sql<{ user_id: string }>`
    select user_id from departures where erased_at is null and left_at <= ${before} order by left_at limit ${rows_max}`

export const finishDeparture = (db: Sql, user_id: string, now: Date) =>
  db.sql`update departures set erased_at = ${now} where user_id = ${user_id} and erased_at is null`

import { allValues, firstRow, hasRows, theValue, type Sql } from '../platform/postgres/database.ts'
import type { Learner } from './boards.rules.ts'

/** The person on their path; `steps` is 0 and `reached_at` null before the first step. */
export const findLearner = (db: Sql, user_id: string) =>
  firstRow(db.sql<Omit<Learner, 'reached_at'> & { path: string; is_listed: boolean; reached_at: Date | null }>`
    select l.user_id, u.username, u.display_name, l.path, l.is_listed, l.steps_completed as steps, l.reached_at
      from learners l join users u on u.id = l.user_id
     where l.user_id = ${user_id}`)

/** A person's friends who learn on this path. */
export const listFriendsOnPath = (db: Sql, { user_id, path }: { user_id: string; path: string }) =>
  db.sql<Learner>`
    select b.user_id, b.username, b.display_name, b.steps, b.reached_at
      from friends f join board_places b on b.user_id = f.friend_id
     where f.user_id = ${user_id} and b.path = ${path}`

/** People hidden from a person on a board: those whom the person blocked, and those who blocked the person. */
export const listHidden = (db: Sql, user_id: string) =>
  allValues(db.sql<{ id: string }>`
    select blocked_id as id from blocks where blocker_id = ${user_id}
    union select blocker_id from blocks where blocked_id = ${user_id}`)

interface Board {
  path: string
  /** People to leave out. */
  without: string[]
}

/** The first listed people. */
export const listFirst = (db: Sql, { path, without, rows_max }: Board & { rows_max: number }) =>
  db.sql<Learner>`
    select user_id, username, display_name, steps, reached_at
      from board_places
     where path = ${path} and is_listed and user_id <> all(${without}::uuid[])
     order by steps desc, reached_at, user_id
     limit ${rows_max}`

type Beside = Board & { me: Learner; rows_max: number }

/** The listed people right before a place, nearest first. */
export const listAhead = (db: Sql, { path, without, me, rows_max }: Beside) =>
  db.sql<Learner>`
    select user_id, username, display_name, steps, reached_at
      from board_places
     where path = ${path} and is_listed and user_id <> all(${without}::uuid[])
       and steps >= ${me.steps} and (steps > ${me.steps} or (reached_at, user_id) < (${me.reached_at}, ${me.user_id}))
     order by steps, reached_at desc, user_id desc
     limit ${rows_max}`

/** The listed people right after a place, nearest first. */
export const listBehind = (db: Sql, { path, without, me, rows_max }: Beside) =>
  db.sql<Learner>`
    select user_id, username, display_name, steps, reached_at
      from board_places
     where path = ${path} and is_listed and user_id <> all(${without}::uuid[])
       and steps <= ${me.steps} and (steps < ${me.steps} or (reached_at, user_id) > (${me.reached_at}, ${me.user_id}))
     order by steps desc, reached_at, user_id
     limit ${rows_max}`

/** The number of listed people before a place, up to `rows_max`. */
export const countAhead = (db: Sql, { path, without, me, rows_max }: Beside) =>
  theValue(db.sql<{ count: number }>`
    select count(*)::integer as count from (
      select from learners l
       where l.path = ${path} and l.is_listed and l.steps_completed > 0
         and l.steps_completed >= ${me.steps}
         and (l.steps_completed > ${me.steps} or (l.reached_at, l.user_id) < (${me.reached_at}, ${me.user_id}))
         and l.user_id <> all(${without}::uuid[])
         and not exists (select from users u where u.id = l.user_id and u.suspended_at is not null)
       limit ${rows_max}) ahead`)

/** Sets whether others see the person on boards; false if the person has no path. */
export const setListing = (db: Sql, user_id: string, is_listed: boolean) =>
  hasRows(db.sql`update learners set is_listed = ${is_listed} where user_id = ${user_id} returning 1`)

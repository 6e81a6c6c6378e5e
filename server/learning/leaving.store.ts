import type { EraseRound } from '../platform/erasure.ts'
import type { Sql } from '../platform/postgres/database.ts'

export const eraseLearning: EraseRound = async (tx, { user_id }, rows_max) => {
  await tx.sql`delete from learners where user_id = ${user_id}`
  const rows = await tx.sql`
    delete from step_completions
     where user_id = ${user_id}
       and step_id = any(array(select step_id from step_completions where user_id = ${user_id} limit ${rows_max}))
    returning step_id`
  return rows.length
}

export const findLearner = (db: Sql, user_id: string) =>
  db.sql`select path, chosen_at, started_at from learners where user_id = ${user_id}`

export const listCompletions = (
  db: Sql,
  { user_id, after, rows_max }: { user_id: string; after: string | null; rows_max: number },
) =>
  db.sql<{ step_id: string }>`
    select step_id, first_completed_at, completed_at, times from step_completions
     where user_id = ${user_id} and (${after}::text is null or step_id > ${after})
     order by step_id limit ${rows_max}`

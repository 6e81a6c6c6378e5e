import { erasesRowsOf, type EraseRound } from '../platform/erasure.ts'
import type { ExportPage } from '../platform/export-section.ts'
import type { Sql } from '../platform/postgres/database.ts'

const eraseSteps = erasesRowsOf('step_completions', 'user_id')

export const eraseDays = erasesRowsOf('learning_days', 'user_id')

export const eraseLearning: EraseRound = async (tx, leaver, rows_max) => {
  await tx.sql`delete from learners where user_id = ${leaver.user_id}`
  return eraseSteps(tx, leaver, rows_max)
}

export const findLearner = (db: Sql, user_id: string) =>
  db.sql`select path, chosen_at, started_at, is_listed, steps_completed, reached_at from learners where user_id = ${user_id}`

export const listCompletions = (db: Sql, { user_id, after, rows_max }: ExportPage) =>
  db.sql<{ step_id: string }>`
    select step_id, first_completed_at, completed_at, times from step_completions
     where user_id = ${user_id} and (${after}::text is null or step_id > ${after})
     order by step_id limit ${rows_max}`

export const listLearningDays = (db: Sql, { user_id, after, rows_max }: ExportPage) =>
  db.sql<{ day: string }>`
    select day::text as day from learning_days
     where user_id = ${user_id} and (${after}::date is null or day > ${after}::date)
     order by day limit ${rows_max}`

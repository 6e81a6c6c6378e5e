import { erasesRowsOf } from '../platform/erasure.ts'
import { shortSection, tableSection } from '../platform/export-section.ts'

export const learning_erasure = ['learners', 'step_completions', 'learning_days'].map((table) =>
  erasesRowsOf(table, 'user_id'),
)

export const learning_sections = [
  shortSection(
    'learning_path',
    (db, user_id) =>
      db.sql`select path, chosen_at, started_at, is_listed, steps_completed, reached_at from learners where user_id = ${user_id}`,
  ),
  tableSection('learning_steps', 'step_completions', {
    columns: 'step_id, first_completed_at, completed_at, times',
    key: { column: 'step_id', type: 'text' },
  }),
  tableSection('learning_days', 'learning_days', {
    columns: 'day::text as day',
    key: { column: 'day', type: 'date' },
  }),
]

import { longSection, shortSection, type ExportSection } from '../platform/export-section.ts'
import type { Database } from '../platform/postgres/database.ts'
import { eraseDays, eraseLearning, findLearner, listCompletions, listLearningDays } from './leaving.store.ts'

export const learning_erasure = [eraseLearning, eraseDays]

export const learningSections = (
  db: Database,
  user_id: string,
  { rows_max }: { rows_max: number },
): ExportSection[] => [
  shortSection('learning_path', () => findLearner(db, user_id)),
  longSection(
    'learning_steps',
    rows_max,
    (after: string | null) => listCompletions(db.lengthy, { user_id, after, rows_max }),
    ({ step_id }) => step_id,
  ),
  longSection(
    'learning_days',
    rows_max,
    (after: string | null) => listLearningDays(db.lengthy, { user_id, after, rows_max }),
    ({ day }) => day,
  ),
]

import { longSection, shortSection } from '../platform/export-section.ts'
import { eraseDays, eraseLearning, findLearner, listCompletions, listLearningDays } from './leaving.store.ts'

export const learning_erasure = [eraseLearning, eraseDays]

export const learning_sections = [
  shortSection('learning_path', findLearner),
  longSection('learning_steps', listCompletions, ({ step_id }) => step_id),
  longSection('learning_days', listLearningDays, ({ day }) => day),
]

import { secondsAfter } from '../platform/clock.ts'
import type { Course, LearningModule, LearningPath } from './content.rules.ts'

/** The completion time of each completed step, without reopened steps. */
export type Completions = ReadonlyMap<string, Date>

/** The path with this name; undefined if the content has none. */
export const findPath = (course: Course, path: string | null | undefined): LearningPath | undefined =>
  path === null || path === undefined ? undefined : course.get(path)

export const findModule = (path: LearningPath | undefined, module_number: number) =>
  path?.modules.find((module) => module.module_number === module_number)

export const findStep = (path: LearningPath | undefined, step_id: string) =>
  path?.modules.flatMap(({ steps }) => steps).find((step) => step.step_id === step_id)

export const stepIdsOf = (path: LearningPath | undefined) =>
  (path?.modules ?? []).flatMap(({ steps }) => steps.map(({ step_id }) => step_id))

const day_seconds = 86_400

/**
 * A user's progress in a module. The module is completed with its last step; it may be repeated once its cooldown has
 * passed since then (D-78).
 */
export function moduleProgress({ module_number, cooldown_days, steps }: LearningModule, completions: Completions) {
  const times = steps.flatMap(({ step_id }) => completions.get(step_id)?.getTime() ?? [])
  const is_completed = times.length === steps.length
  return {
    module_number,
    status: is_completed ? ('completed' as const) : ('incomplete' as const),
    completed: times.length,
    total: steps.length,
    repeat_eligible_at: is_completed ? secondsAfter(new Date(Math.max(...times)), cooldown_days * day_seconds) : null,
  }
}

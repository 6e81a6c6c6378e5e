import type { UserCaller } from '../../contract/caller.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Sql } from '../platform/postgres/database.ts'
import { Failure, invalidField } from '../platform/failure.ts'
import { giveReward, type RewardTime } from '../points/rewards.service.ts'
import type { Course } from './content.rules.ts'
import { findModule, findStep, findPath, moduleProgress, stepIdsOf } from './rules.ts'
import * as store from './store.ts'
import { dayIn, streakOf } from './streak.rules.ts'

export interface LearningDeps {
  db: Database
  clock: Clock
  course: Course
  rewards: RewardTime
}

/** The available paths (D-77). */
export const listPaths = ({ course }: Pick<LearningDeps, 'course'>) =>
  [...course.values()].map(({ path, title, summary }) => ({ path, title, summary }))

/**
 * The caller's path with its modules and the caller's progress (D-77). The list is empty without a path, or if the path
 * was removed from the content.
 */
export async function listModules(deps: LearningDeps, { user_id }: UserCaller) {
  const { path, completions } = await findProgress(deps, deps.db, user_id)
  const modules = (path?.modules ?? []).map((module) => ({
    ...moduleProgress(module, completions),
    title: module.title,
    summary: module.summary,
    sources: module.sources,
    steps: module.steps.map(({ step_id, title, reward, body }) => ({
      step_id,
      title,
      reward: reward ?? null,
      completed: completions.has(step_id),
      body,
    })),
  }))
  return { learning_path: path?.path ?? null, modules }
}

async function findProgress({ course }: LearningDeps, db: Sql, user_id: string) {
  const { path, completions } = await store.findProgress(db, user_id)
  return { path: findPath(course, path), completions }
}

/**
 * Sets the caller's path, unless a step of the current one was ever completed (D-77). Fails with `validation_failed` for
 * an unknown path, and with `path_already_started`.
 */
export async function choosePath({ db, clock, course }: LearningDeps, { user_id }: UserCaller, path: string) {
  const offered = [...course.keys()]
  if (!course.has(path)) throw invalidField('path', ['one_of', { values: offered.join(', ') }])
  const chosen = await store.choosePath(db, { user_id, path, offered, now: clock() })
  if (chosen === undefined) throw new Failure('path_already_started', { user_id, path })
  return chosen
}

/** The caller's progress in a module of the caller's path. Fails with `not_found`. */
export async function getModuleStatus(deps: LearningDeps, { user_id }: UserCaller, module_number: number) {
  const { path, completions } = await findProgress(deps, deps.db, user_id)
  const module = findModule(path, module_number)
  if (!module) throw new Failure('not_found', { path: path?.path, module_number })
  return moduleProgress(module, completions)
}

/**
 * Reopens all steps of a completed module after its cooldown (D-78); of concurrent calls, one succeeds. Fails with
 * `not_found`, `not_completed` or `cooldown_active`.
 */
export function resetModule(deps: LearningDeps, { user_id }: UserCaller, module_number: number) {
  return deps.db.transaction(async (tx) => {
    await store.lockPath(tx, user_id)
    const { path, completions } = await findProgress(deps, tx, user_id)
    const module = findModule(path, module_number)
    if (!module) throw new Failure('not_found', { path: path?.path, module_number })
    const { repeat_eligible_at } = moduleProgress(module, completions)
    if (repeat_eligible_at === null) throw new Failure('not_completed', { user_id, module_number })
    if (deps.clock() < repeat_eligible_at) throw new Failure('cooldown_active', { user_id, repeat_eligible_at })
    const step_ids = module.steps.map(({ step_id }) => step_id)
    await store.reopenSteps(tx, user_id, step_ids)
  })
}

/**
 * Completes a step of the caller's path, in any order. The first completion gives the step's reward in the same
 * transaction (D-116); a repeated one gives nothing (D-78). Of concurrent calls, one completes the step; those that find it
 * completed need no lock. Fails with `not_found`.
 */
export async function completeStep(deps: LearningDeps, { user_id }: UserCaller, step_id: string) {
  const { db, clock, course, rewards } = deps
  return db.transaction(async (tx) => {
    const progress = await findProgress(deps, tx, user_id)
    if (findStep(progress.path, step_id) && progress.completions.has(step_id))
      return { status: 'already_completed' as const, reward: null }
    const path = findPath(course, await store.lockPath(tx, user_id))
    const step = findStep(path, step_id)
    if (!step) throw new Failure('not_found', { path: path?.path, step_id })
    const now = clock()
    const times = await store.completeStep(tx, user_id, step_id, now)
    if (times === undefined) return { status: 'already_completed' as const, reward: null }
    await store.addDay(tx, user_id, dayIn(await store.findTimeZone(tx, user_id), now))
    await store.countSteps(tx, { user_id, step_ids: stepIdsOf(path), is_new: times === 1, now })
    const { reward = null, title } = step
    if (times > 1 || reward === null) return { status: 'completed' as const, reward: null }
    const given = { user_id, kind: 'reward', amount: reward, description: title } as const
    return { status: 'completed' as const, reward: (await giveReward(tx, now, rewards, given)) ? reward : null }
  })
}

/** The number of successive days on which the caller completed steps (D-163). */
export async function getStreak({ db, clock }: Pick<LearningDeps, 'db' | 'clock'>, { user_id }: UserCaller) {
  const time_zone = await store.findTimeZone(db, user_id)
  return { ...streakOf(await store.listDays(db, user_id), dayIn(time_zone, clock())), time_zone }
}

import { getStreak as streak } from '../../contract/boards.ts'
import * as contract from '../../contract/learning.ts'
import { mount, type Http } from '../http/mount.ts'
import {
  choosePath,
  completeStep,
  getModuleStatus,
  getStreak,
  listModules,
  listPaths,
  resetModule,
  type LearningDeps,
} from './service.ts'

export function learningRoutes(http: Http, deps: LearningDeps) {
  mount(http, contract.listLearningPaths, async () => ({ paths: listPaths(deps) }))

  mount(http, contract.listModules, ({ caller }) => listModules(deps, caller))

  mount(http, contract.chooseLearningPath, async ({ caller, body }) => ({
    learning_path: await choosePath(deps, caller, body.path),
    status: 'selected' as const,
  }))

  mount(http, contract.getModuleStatus, ({ caller, params }) => getModuleStatus(deps, caller, params.module_number))

  mount(http, streak, ({ caller }) => getStreak(deps, caller))

  mount(http, contract.resetModule, async ({ caller, params }) => {
    await resetModule(deps, caller, params.module_number)
    return { module_number: params.module_number, status: 'reset' as const }
  })

  mount(http, contract.completeStep, async ({ caller, params }) => ({
    step_id: params.step_id,
    ...(await completeStep(deps, caller, params.step_id)),
  }))
}

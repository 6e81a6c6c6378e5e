import type { listModules } from '../../../contract/learning.ts'
import type { AnswerOf } from '../../api/call.ts'

export type Course = AnswerOf<typeof listModules>
export type Module = Course['modules'][number]
export type Step = Module['steps'][number]

export const findModule = ({ modules }: Course, module_number: string) =>
  modules.find((module) => String(module.module_number) === module_number)

/** The first incomplete step with its module. */
export function nextIncomplete(modules: readonly Module[]) {
  const module = modules.find(({ status }) => status === 'incomplete')
  const step = module?.steps.find(({ completed }) => !completed)
  return module && step ? { module, step } : undefined
}

/** The steps before and after a step, across modules. */
export function neighbours({ modules }: Course, step_id: string) {
  const all = modules.flatMap((module) => module.steps.map((step) => ({ module, step })))
  const at = all.findIndex(({ step }) => step.step_id === step_id)
  return { before: all[at - 1], after: all[at + 1] }
}

export const stepLink = ({ module, step }: { module: Module; step: Step }) =>
  ({
    to: '/learning/$module/$step',
    params: { module: String(module.module_number), step: step.step_id },
  }) as const

export const moduleLink = ({ module_number }: Module) =>
  ({ to: '/learning/$module', params: { module: String(module_number) } }) as const

export const rewardOf = ({ steps }: Module) => steps.reduce((total, { reward }) => total + (reward ?? 0), 0)

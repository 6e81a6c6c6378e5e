import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import {
  boolean,
  bounded_text,
  constant,
  decided,
  integer,
  nullable_date_time,
  nullable_integer,
  nullable_text,
  one_of,
  text,
} from './schema.ts'

const { name_max, path_status } = decisions['D-77'].value

const learning = { tag: 'Learning', auth: 'user' } as const
const module_param = Type.Object({ module_number: integer })

export const module_statuses = ['incomplete', 'completed'] as const

const module_status_fields = {
  module_number: integer,
  status: one_of(module_statuses),
  completed: nullable_integer,
  total: nullable_integer,
  repeat_eligible_at: decided('D-78', nullable_date_time),
}

export const step = Type.Object({
  step_id: text,
  title: text,
  reward: nullable_integer,
  completed: boolean,
  body: text,
})
export const source = Type.Object({ title: text, url: text })

export const listLearningPaths = endpoint({
  ...learning,
  method: 'GET',
  path: '/api/btc-progress/learning-paths',
  summary: 'The learning paths there are to choose from',
  decision: 'D-77',
  origin: 'extension',
  response: Type.Object({ paths: Type.Array(Type.Object({ path: text, title: text, summary: text })) }),
})

export const listModules = endpoint({
  ...learning,
  method: 'GET',
  path: '/api/btc-progress/available-modules',
  summary: 'Your learning path, its modules and how far you are',
  decision: 'D-77',
  response: Type.Object({
    learning_path: nullable_text,
    modules: Type.Array(
      decided(
        'D-77',
        Type.Object({
          ...module_status_fields,
          title: text,
          summary: text,
          sources: Type.Array(source),
          steps: Type.Array(step),
        }),
      ),
    ),
  }),
})

export const chooseLearningPath = endpoint({
  ...learning,
  method: 'POST',
  path: '/api/btc-progress/learning-path',
  summary: 'Choose a learning path, as long as no module is started',
  decision: 'D-77',
  body: Type.Object({ path: decided('D-77', bounded_text(1, name_max)) }),
  response: Type.Object({ learning_path: text, status: decided('D-77', constant(path_status)) }),
  fails: ['path_already_started'],
})

export const resetModule = endpoint({
  ...learning,
  method: 'POST',
  path: '/api/btc-progress/module/{module_number}/reset',
  summary: 'Begin a completed module again, after its cooldown',
  decision: 'D-78',
  params: module_param,
  response: Type.Object({ module_number: integer, status: constant('reset') }),
  fails: ['not_found', 'not_completed', 'cooldown_active'],
})

export const getModuleStatus = endpoint({
  ...learning,
  method: 'GET',
  path: '/api/btc-progress/module/{module_number}/status',
  summary: 'How far you are in a module',
  decision: 'D-77',
  params: module_param,
  response: Type.Object(module_status_fields),
  fails: ['not_found'],
})

export const completeStep = endpoint({
  ...learning,
  method: 'POST',
  path: '/api/btc-progress/{step_id}/complete',
  summary: 'Complete a step; its reward is paid the first time only',
  decision: 'D-78',
  params: Type.Object({ step_id: bounded_text(1, name_max) }),
  response: Type.Object({
    step_id: text,
    status: one_of(['completed', 'already_completed']),
    reward: nullable_integer,
  }),
  fails: ['not_found'],
})

import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import {
  boolean,
  bounded_text,
  constant,
  decided,
  described,
  integer,
  nullable_date_time,
  nullable_integer,
  nullable_text,
  one_of,
  text,
} from './schema.ts'

const { name_max, path_status } = decisions.learning_content

const learning = { tag: 'Learning', auth: 'user', decision: 'D-77' } as const
export const module_number = described('The number of the module within the learning path', integer)
const module_param = Type.Object({ module_number })

export const module_statuses = ['incomplete', 'completed'] as const

const module_status_fields = {
  module_number,
  status: described('Whether all its steps are completed', one_of(module_statuses)),
  completed: described('The number of completed steps', nullable_integer),
  total: described('The number of its steps', nullable_integer),
  repeat_eligible_at: described(
    'When it can be reset; null while it is incomplete',
    decided('D-78', nullable_date_time),
  ),
}
export const module_status = Type.Object(module_status_fields)
const step_id = described('The id of the step', text)
const path_name = described('The name of a learning path', text)

export const step = Type.Object({
  step_id,
  title: described('Its title', text),
  reward: described('The points that the first completion pays; null if none', nullable_integer),
  completed: described('Whether the person has completed it since the last reset', boolean),
  body: described('The content, in Markdown', text),
})
export const source = Type.Object({
  title: described('The title', text),
  url: described('Its https address', text),
})
export const learning_module = decided(
  'D-77',
  Type.Object({
    ...module_status_fields,
    title: described('Its title', text),
    summary: described('The subject, in one sentence', text),
    sources: described('The sources of the content', Type.Array(source)),
    steps: described('Its steps, in their order', Type.Array(step)),
  }),
)
export const learning_path = Type.Object({
  path: path_name,
  title: described('Its title', text),
  summary: described('The subject, in one sentence', text),
})

export const listLearningPaths = endpoint('GET /api/btc-progress/learning-paths', {
  ...learning,
  revalidates: true,
  summary: 'The available learning paths',
  description: 'The same for everybody.',
  origin: 'extension',
  response: Type.Object({ paths: described('All of them', Type.Array(learning_path)) }),
})

export const listModules = endpoint('GET /api/btc-progress/available-modules', {
  ...learning,
  revalidates: true,
  summary: 'Your learning path, its modules and your progress',
  description: 'Modules and steps can be completed in any order. Without a chosen path, the list is empty.',
  response: Type.Object({
    learning_path: described('The name of the chosen path; null before the choice', nullable_text),
    modules: described('The modules of the path, in their order', Type.Array(learning_module)),
  }),
})

export const chooseLearningPath = endpoint('POST /api/btc-progress/learning-path', {
  ...learning,
  summary: 'Choose a learning path before you start a module',
  description: 'The first completed step fixes the choice. An unknown path gets 422.',
  body: Type.Object({ path: described('The name of a learning path', decided('D-77', bounded_text(1, name_max))) }),
  response: Type.Object({
    learning_path: path_name,
    status: described('Always this word', decided('D-77', constant(path_status))),
  }),
  fails: ['path_already_started'],
})

export const resetModule = endpoint('POST /api/btc-progress/module/{module_number}/reset', {
  ...learning,
  summary: 'Restart a completed module after its cooldown',
  description: 'Its steps are reopened; completing them again pays nothing.',
  decision: 'D-78',
  params: module_param,
  response: Type.Object({ module_number, status: described('Always this word', constant('reset')) }),
  fails: ['not_found', 'not_completed', 'cooldown_active'],
})

export const getModuleStatus = endpoint('GET /api/btc-progress/module/{module_number}/status', {
  ...learning,
  summary: 'Your progress in a module',
  description: 'For modules of your chosen path; other modules get 404.',
  params: module_param,
  response: module_status,
  fails: ['not_found'],
})

export const completeStep = endpoint('POST /api/btc-progress/{step_id}/complete', {
  ...learning,
  summary: 'Complete a step; only the first completion pays its reward',
  description:
    'May be repeated. The last open step of a module completes the module. The reward of a person whose address is not verified waits for ' +
    'the verification.',
  decision: 'D-78',
  params: Type.Object({ step_id: described('The id of the step', bounded_text(1, name_max)) }),
  response: Type.Object({
    step_id,
    status: described('Whether this call completed it', one_of(['completed', 'already_completed'])),
    reward: described(
      'The reward in points; null if none. It may be delayed until the address is verified',
      decided('D-116', nullable_integer),
    ),
  }),
  fails: ['not_found'],
})

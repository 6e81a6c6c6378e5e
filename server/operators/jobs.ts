import type { Job } from '../jobs/runner.ts'
import { countNewActivity, type OperatorsDeps } from './service.ts'

export const operatorsJobs = (deps: OperatorsDeps): Job[] => [
  { name: 'operators.count_new_activity', cron: '* * * * *', run: () => countNewActivity(deps) },
]

import type { Job } from '../jobs/runner.ts'
import { countNewDays } from './series.service.ts'
import { countNewActivity, type OperatorsDeps } from './service.ts'

export const operatorsJobs = (deps: OperatorsDeps): Job[] => [
  {
    name: 'operators.count_new_activity',
    cron: '* * * * *',
    run: async () => {
      await countNewActivity(deps)
      // Only transfers in those counts are added to the days.
      await countNewDays(deps)
    },
  },
]

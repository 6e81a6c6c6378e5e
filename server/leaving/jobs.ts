import type { Job } from '../jobs/runner.ts'
import { erase_job, eraseLeaver, eraseUnfinished, type ErasureDeps } from './erasure.service.ts'

export const leavingJobs = (deps: ErasureDeps): Job[] => [
  { name: erase_job, run: ({ user_id }) => eraseLeaver(deps, String(user_id)) },
  { name: 'leaving.erase_unfinished', cron: '*/10 * * * *', run: () => eraseUnfinished(deps) },
]

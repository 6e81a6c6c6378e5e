import type { Job } from '../jobs/runner.ts'
import { forgetSuccessors, forgetWhatIsOver, type OAuthDeps } from './service.ts'

export const oauthJobs = (deps: OAuthDeps): Job[] => [
  { name: 'oauth.wipe_successors', cron: '* * * * *', run: () => forgetSuccessors(deps, { rows_max: 10_000 }) },
  { name: 'oauth.forget_what_is_over', cron: '*/10 * * * *', run: () => forgetWhatIsOver(deps, { rows_max: 10_000 }) },
]

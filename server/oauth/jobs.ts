import type { Job } from '../jobs/runner.ts'
import { forgetWhatIsOver, type OAuthDeps } from './service.ts'

export const oauthJobs = (deps: OAuthDeps): Job[] => [
  {
    name: 'oauth.forget_what_is_over',
    cron: '*/10 * * * *',
    run: async () => {
      await forgetWhatIsOver(deps, { rows_max: 10_000 })
    },
  },
]

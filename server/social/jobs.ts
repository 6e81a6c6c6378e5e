import type { Job } from '../jobs/runner.ts'
import { purgeOldEvents, type EventsDeps } from './events/service.ts'
import { publishLapses, runLeaveJob, leave_job } from './presence.service.ts'
import type { SocialDeps } from './service.ts'

export const socialJobs = (deps: EventsDeps & Pick<SocialDeps, 'presence'>): Job[] => [
  { name: leave_job, run: ({ user_id }) => runLeaveJob(deps, String(user_id)) },
  {
    name: 'social.forget_old_events',
    cron: '*/5 * * * *',
    run: () => purgeOldEvents(deps, { rows_max: 20_000 }),
  },
  { name: 'social.announce_lapses', cron: '* * * * *', run: () => publishLapses(deps) },
]

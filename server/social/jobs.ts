import type { Job } from '../jobs/runner.ts'
import { forgetOldEvents, type EventsDeps } from './events.service.ts'
import { announceLapses } from './presence.service.ts'

export const socialJobs = (deps: EventsDeps): Job[] => [
  {
    name: 'social.forget_old_events',
    cron: '*/5 * * * *',
    run: () => forgetOldEvents(deps, { rows_max: 5_000 }),
  },
  { name: 'social.announce_lapses', cron: '* * * * *', run: () => announceLapses(deps) },
]

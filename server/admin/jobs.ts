import { decisions } from '../../contract/decisions.ts'
import { oftenJob } from '../jobs/often.ts'
import type { Job } from '../jobs/runner.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/postgres/database.ts'
import { countDay } from './figures.service.ts'
import { noticePending } from './notices.service.ts'

/** Notices of pending decisions for admins, and the figures of the day. */
export const adminJobs = (deps: { db: Database; clock: Clock }): Job[] => [
  oftenJob(deps.db, {
    name: 'admin.gather_notices',
    every_seconds: decisions.notices.gather_seconds,
    run: () => noticePending(deps),
  }),
  { name: 'admin.count_day', cron: '*/10 * * * *', at_start: {}, run: () => countDay(deps) },
]

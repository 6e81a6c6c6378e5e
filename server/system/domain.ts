import type { Domain, Platform } from '../domain.ts'
import { secondsAfter } from '../platform/clock.ts'
import { failed_jobs_seconds, purgeFailedJobs } from '../platform/failed-jobs.ts'
import { inBatches } from '../platform/in-batches.ts'
import { purgeExpiredCounts } from '../platform/rate-limit.ts'
import { systemRoutes, type SystemDeps } from './routes.ts'

/** Health, discovery, and maintenance that belongs to no domain. */
export const systemDomain = (
  { db, clock, counter, public_url, is_sandbox }: Platform,
  parts: Pick<SystemDeps, 'readiness' | 'version' | 'has_client_documents'>,
): Domain => ({
  mount: (http) => systemRoutes(http, { ...parts, public_url, is_sandbox }),
  jobs: [
    {
      name: 'platform.forget_old_counts',
      former_name: 'kit.forget_old_counts',
      cron: '*/5 * * * *',
      run: () => inBatches(10_000, () => purgeExpiredCounts(db.adHoc, clock(), 10_000)),
    },
    {
      name: 'platform.forget_failed_jobs',
      former_name: 'kit.forget_failed_jobs',
      cron: '37 * * * *',
      run: () => inBatches(1_000, () => purgeFailedJobs(db, secondsAfter(clock(), -failed_jobs_seconds), 1_000)),
    },
  ],
  drain: () => counter.drain(),
})

import { decisions } from '../../contract/decisions.ts'
import { oftenJob } from '../jobs/often.ts'
import type { Job } from '../jobs/runner.ts'
import { release_job, releaseExpiredHolds, releaseHoldsOfApp } from './hold-releases.service.ts'
import type { HoldsDeps } from './holds.service.ts'
import { checkLedger } from './ledger-check.service.ts'
import { gatherPointNotices } from './notices.service.ts'
import { payForgottenRewards } from './rewards.service.ts'
import { purgePointChanges } from './streams.service.ts'

const purge_rows = 1_000

export const pointsJobs = (deps: HoldsDeps): Job[] => [
  // The age and the result of this check are metrics.
  { name: 'points.check_ledger', cron: '17 3 * * *', run: async () => void (await checkLedger(deps)) },
  oftenJob(deps.db, {
    name: 'points.gather_notices',
    every_seconds: decisions.notices.gather_seconds,
    run: () => gatherPointNotices(deps),
  }),
  oftenJob(deps.db, {
    name: 'points.release_expired_holds',
    every_seconds: decisions.holds.expired_every_seconds,
    run: () => releaseExpiredHolds(deps),
  }),
  {
    name: release_job,
    run: ({ app_id, until }) => releaseHoldsOfApp(deps, { app_id: String(app_id), until: new Date(String(until)) }),
  },
  // Version 0.2 does not pay the waiting rewards of people whom it verifies.
  { name: 'points.pay_waiting_rewards', cron: '*/10 * * * *', run: () => payForgottenRewards(deps) },
  { name: 'points.forget_changes', cron: '52 * * * *', run: () => purgePointChanges(deps, purge_rows) },
]

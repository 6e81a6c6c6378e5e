import { decisions } from '../../contract/decisions.ts'
import { oftenJob } from '../jobs/often.ts'
import type { Job } from '../jobs/runner.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/postgres/database.ts'
import { release_job, releaseExpiredHolds, releaseHoldsOfApp } from './hold-releases.service.ts'
import type { HoldsDeps } from './holds.service.ts'
import { gatherPointNotices } from './notices.service.ts'
import { payForgottenRewards } from './rewards.service.ts'
import { purgePointChanges, type PointStreamsParts } from './streams.service.ts'
import { checkLedger, type LedgerCheckDeps } from './ledger-check.service.ts'

/** The nightly check of the books, whose age and result are metrics. */
export const pointsJobs = (deps: LedgerCheckDeps): Job[] => [
  {
    name: 'points.check_ledger',
    cron: '17 3 * * *',
    run: async () => {
      await checkLedger(deps)
    },
  },
]

/** Notices of received points. */
export const pointNoticeJobs = (deps: { db: Database; clock: Clock }): Job[] => [
  oftenJob(deps.db, {
    name: 'points.gather_notices',
    every_seconds: decisions.notices.gather_seconds,
    run: () => gatherPointNotices(deps),
  }),
]

/** Free expired holds, and the holds of an app that lost its approval (D-97). */
export const holdJobs = (deps: HoldsDeps): Job[] => [
  oftenJob(deps.db, {
    name: 'points.release_expired_holds',
    every_seconds: decisions.holds.expired_every_seconds,
    run: () => releaseExpiredHolds(deps),
  }),
  {
    name: release_job,
    run: ({ app_id, until }) => releaseHoldsOfApp(deps, { app_id: String(app_id), until: new Date(String(until)) }),
  },
]

/** Pays the waiting rewards of people whom a process of 0.2 verified; 0.2 does not pay them (D-116). */
export const rewardJobs = (deps: { db: Database; clock: Clock }): Job[] => [
  { name: 'points.pay_waiting_rewards', cron: '*/10 * * * *', run: () => payForgottenRewards(deps) },
]

const purge_rows = 1_000

/** Purges the records of streams. */
export const pointStreamJobs = (deps: Pick<PointStreamsParts, 'db' | 'clock'>): Job[] => [
  { name: 'points.forget_changes', cron: '52 * * * *', run: () => purgePointChanges(deps, purge_rows) },
]

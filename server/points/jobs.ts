import type { Job } from '../jobs/runner.ts'
import { checkLedger, type LedgerCheckDeps } from './service.ts'

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

import type { AccountsDeps } from '../accounts/service.ts'
import type { Domain, Platform } from '../domain.ts'
import { leavingJobs } from './jobs.ts'
import { leavingRoutes } from './routes.ts'

/** The deletion and the export of an account, across all domains. */
export const leavingDomain = ({ db, clock }: Platform, accounts: AccountsDeps): Domain => ({
  mount: (http) => leavingRoutes(http, { accounts }),
  jobs: leavingJobs({ db, clock }),
})

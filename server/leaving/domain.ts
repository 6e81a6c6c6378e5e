import type { AccountsDeps } from '../accounts/service.ts'
import type { OAuthDeps } from '../oauth/service.ts'
import type { Domain, Platform } from '../domain.ts'
import { leavingJobs } from './jobs.ts'
import { leavingRoutes } from './routes.ts'

/** The deletion and the export of an account, across all domains. */
export const leavingDomain = ({ db, clock }: Platform, accounts: AccountsDeps, oauth: OAuthDeps): Domain => ({
  mount: (http) => leavingRoutes(http, { accounts, oauth }),
  jobs: leavingJobs({ db, clock }),
})

import type { Domain, Platform } from '../domain.ts'
import type { OAuthDeps } from '../oauth/service.ts'
import type { AccountsDeps } from '../accounts/service.ts'
import type { HoldsDeps } from '../points/holds.service.ts'
import type { PayoutsDeps } from '../points/payouts.service.ts'
import { operatorsJobs } from './jobs.ts'
import { paymentsRoutes } from './payments.routes.ts'
import { operatorsRoutes } from './routes.ts'

/** The analytics and payments of an app, for its owner. */
export function operatorsDomain(
  { db, clock, reads }: Platform,
  { accounts, oauth, points }: { accounts: AccountsDeps; oauth: OAuthDeps; points: HoldsDeps & PayoutsDeps },
): Domain {
  const deps = { db, clock, oauth, reads }
  return {
    mount(http) {
      operatorsRoutes(http, deps)
      paymentsRoutes(http, { ...points, accounts })
    },
    jobs: operatorsJobs(deps),
  }
}

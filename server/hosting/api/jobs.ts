import type { Job } from '../../jobs/runner.ts'
import { chargeDueCycles, type BillingDeps } from './billing.service.ts'
import { checkClaims, type DomainsDeps } from './domains.service.ts'

export const deploymentsJobs = (deps: BillingDeps & DomainsDeps): Job[] => [
  { name: 'deployments.charge_due_cycles', cron: '*/5 * * * *', run: () => chargeDueCycles(deps) },
  { name: 'deployments.check_claims', cron: '* * * * *', run: () => checkClaims(deps) },
]

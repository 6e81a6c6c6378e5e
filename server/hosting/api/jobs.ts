import type { Job } from '../../jobs/runner.ts'
import type { Mailer } from '../../platform/mail.ts'
import { chargeDueCycles, giveBackAllUnserved, type BillingDeps } from './billing.service.ts'
import { addUpHours, purgeMetrics } from './metrics.service.ts'
import { purgeOutput } from './output.service.ts'
import { mailOwner, watch_job, type WatchMail, type WatchMailDeps } from './watch-mail.service.ts'
import { watchDeployments } from './watch.service.ts'
import { checkClaims, type DomainsDeps } from './domains.service.ts'

export const deploymentsJobs = (deps: BillingDeps & DomainsDeps, mail: WatchMailDeps, mailer: Mailer): Job[] => [
  { name: 'deployments.charge_due_cycles', cron: '*/5 * * * *', run: () => chargeDueCycles(deps) },
  { name: 'deployments.give_back_unserved', cron: '*/5 * * * *', run: () => giveBackAllUnserved(deps) },
  { name: 'deployments.check_claims', cron: '* * * * *', run: () => checkClaims(deps) },
  { name: 'deployments.add_up_metrics', cron: '3,18 * * * *', run: () => addUpHours(deps) },
  { name: 'deployments.purge_metrics', cron: '*/10 * * * *', run: () => purgeMetrics(deps, { rows_max: 10_000 }) },
  { name: 'deployments.purge_output', cron: '24 * * * *', run: () => purgeOutput(deps, { rows_max: 1_000 }) },
  { name: 'deployments.watch', cron: '* * * * *', run: () => watchDeployments(deps) },
  {
    name: watch_job,
    run: (payload, job) => mailOwner(mail, mailer.inJob(job), payload as unknown as WatchMail),
  },
]

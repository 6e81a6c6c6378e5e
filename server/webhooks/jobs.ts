import type { Job } from '../jobs/runner.ts'
import type { Mailer } from '../platform/mail.ts'
import type { MailDeps } from '../oauth/review-mail.service.ts'
import { mailSwitchedOff, switched_off_job, type SwitchedOff } from './mail.service.ts'
import { purgeWebhooks } from './purge.service.ts'
import type { WebhooksDeps } from './service.ts'

export const webhooksJobs = (deps: WebhooksDeps, mail: MailDeps, mailer: Mailer): Job[] => [
  {
    name: switched_off_job,
    run: (payload, job) => mailSwitchedOff(mail, mailer.inJob(job), payload as unknown as SwitchedOff),
  },
  { name: 'webhooks.purge', cron: '*/10 * * * *', run: () => purgeWebhooks(deps, { rows_max: 1_000 }) },
]

import type { Job } from '../jobs/runner.ts'
import type { Mailer } from '../platform/mail.ts'
import { mailSwitchedOff, switched_off_job, type MailDeps } from './mail.service.ts'
import { purgeWebhooks } from './purge.service.ts'
import type { WebhooksDeps } from './service.ts'

export const webhooksJobs = (deps: WebhooksDeps, mail: MailDeps, mailer: Mailer): Job[] => [
  {
    name: switched_off_job,
    run: ({ webhook_id, is_gone }, job) =>
      mailSwitchedOff(mail, mailer.inJob(job), { webhook_id: String(webhook_id), is_gone: is_gone === true }),
  },
  { name: 'webhooks.purge', cron: '*/10 * * * *', run: () => purgeWebhooks(deps, { rows_max: 1_000 }) },
]

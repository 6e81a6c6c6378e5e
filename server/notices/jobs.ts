import type { GatheredKind } from '../../contract/kinds/notices.ts'
import type { Mailer } from '../platform/mail.ts'
import type { Job } from '../jobs/runner.ts'
import { mail_job, mailNotices, queueMails, type NoticesMailDeps } from './mails.service.ts'
import { purgeOldNotices } from './service.ts'

export const noticesJobs = (deps: NoticesMailDeps, mailer: Mailer): Job[] => [
  {
    name: mail_job,
    run: ({ user_id, kind }, job) =>
      mailNotices(deps, mailer.inJob(job), { user_id: String(user_id), kind: kind as GatheredKind }),
  },
  { name: 'notices.queue_mails', cron: '* * * * *', run: () => queueMails(deps, { rows_max: 200 }) },
  { name: 'notices.forget_old', cron: '47 * * * *', run: () => purgeOldNotices(deps, { rows_max: 5_000 }) },
]

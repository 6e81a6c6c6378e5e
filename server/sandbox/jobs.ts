import type { Job } from '../jobs/runner.ts'
import { purgeOldMails, type MailsDeps } from './mails.service.ts'

export const sandboxJobs = (deps: Pick<MailsDeps, 'db' | 'clock'>): Job[] => [
  { name: 'sandbox.forget_old_mails', cron: '43 * * * *', run: () => purgeOldMails(deps, { rows_max: 1_000 }) },
]

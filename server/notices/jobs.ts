import type { GatheredKind } from '../../contract/kinds/notices.ts'
import type { Mailer } from '../platform/mail.ts'
import type { Job } from '../jobs/runner.ts'
import { purgeEndedDevices, pushNotice, type DevicesDeps } from './devices.service.ts'
import { mail_job, mailNotices, queueMails } from './mails.service.ts'
import { purgeOldNotices, push_job } from './service.ts'

export const noticesJobs = (deps: DevicesDeps, mailer: Mailer): Job[] => [
  {
    name: mail_job,
    run: ({ user_id, kind }, job) =>
      mailNotices(deps, mailer.inJob(job), { user_id: String(user_id), kind: kind as GatheredKind }),
  },
  {
    name: push_job,
    run: ({ device_id, notice_id }) => pushNotice(deps, { device_id: String(device_id), notice_id: String(notice_id) }),
  },
  { name: 'notices.forget_devices', cron: '17 * * * *', run: () => purgeEndedDevices(deps, { rows_max: 1_000 }) },
  { name: 'notices.queue_mails', cron: '* * * * *', run: () => queueMails(deps, { rows_max: 200 }) },
  { name: 'notices.forget_old', cron: '47 * * * *', run: () => purgeOldNotices(deps, { rows_max: 5_000 }) },
]

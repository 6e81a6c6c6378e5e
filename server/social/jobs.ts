import { decisions } from '../../contract/decisions.ts'
import { oftenJob } from '../jobs/often.ts'
import type { Job } from '../jobs/runner.ts'
import type { Mailer } from '../platform/mail.ts'
import { maskChannelNames } from './chat.service.ts'
import { purgeOldEvents, type EventsDeps } from './events/service.ts'
import {
  mailModeration,
  mailReportOutcome,
  moderated_job,
  outcome_job,
  type ModerationMail,
  type ModerationMailDeps,
} from './moderation-mail.service.ts'
import { purgeModeration } from './moderation.service.ts'
import { gatherMessageNotices } from './notices.service.ts'
import { publishLapses, runLeaveJob, leave_job } from './presence.service.ts'
import type { SocialDeps } from './service.ts'

export const socialJobs = (
  deps: EventsDeps & ModerationMailDeps & Pick<SocialDeps, 'presence' | 'filter'>,
  mailer: Mailer,
): Job[] => [
  { name: leave_job, run: ({ user_id }) => runLeaveJob(deps, String(user_id)) },
  {
    name: 'social.forget_old_events',
    cron: '*/5 * * * *',
    run: () => purgeOldEvents(deps, { rows_max: 20_000 }),
  },
  { name: 'social.announce_lapses', cron: '* * * * *', run: () => publishLapses(deps) },
  oftenJob(deps.db, {
    name: 'social.gather_notices',
    every_seconds: decisions.notices.gather_seconds,
    run: () => gatherMessageNotices(deps),
  }),
  {
    name: 'social.mask_channel_names',
    cron: '37 * * * *',
    at_start: {},
    run: () => maskChannelNames(deps, { rows_max: 500 }),
  },
  { name: outcome_job, run: ({ report_id }, job) => mailReportOutcome(deps, mailer.inJob(job), String(report_id)) },
  {
    name: moderated_job,
    run: (payload, job) => mailModeration(deps, mailer.inJob(job), payload as unknown as ModerationMail),
  },
  { name: 'social.forget_moderation', cron: '27 * * * *', run: () => purgeModeration(deps, { rows_max: 1_000 }) },
]

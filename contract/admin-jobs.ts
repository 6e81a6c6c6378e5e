import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { endpoint, of_admins } from './endpoint.ts'
import {
  date_time,
  described,
  patterned_text,
  integer,
  nullable_text,
  nullable_uuid,
  page_of,
  page_query,
  text,
} from './schema.ts'

const { failed_jobs_kept_days } = decisions.admin_lists
const ours = { ...of_admins, admin_roles: ['administrator'], decision: 'D-81' } as const

export const failed_job = Type.Object({
  id: described('A number as text', text),
  job: described('The task, such as `accounts.mail_verification_code`', text),
  attempts: described('The number of attempts', integer),
  error: described('Why the last attempt failed; null if the process was killed', nullable_text),
  user_id: described('The person that it is about; null if there is none', nullable_uuid),
  app_id: described('The app that it is about; null if there is none', nullable_uuid),
  request_id: described('The scope request that it is about; null if there is none', nullable_uuid),
  inserted_at: described('When it was enqueued', date_time),
})

const id_param = Type.Object({
  id: described('The id of the job', patterned_text('^[1-9][0-9]{0,17}$', 'job_id')),
})

export const adminListJobs = endpoint('GET /api/admin/jobs', {
  ...ours,
  summary: 'Permanently failed jobs, such as mails that no server accepted, newest first',
  description:
    'Jobs are retried with growing delays until their attempts are used up; then they are listed here for ' +
    `${failed_jobs_kept_days} days. \`error\` is the reason of the last failure, null if the process was killed.`,
  query: page_query({}),
  response: Type.Object({
    ...page_of(failed_job).properties,
    total: described('The number of failed jobs, counted up to 10,000', integer),
  }),
})

export const retryJob = endpoint('POST /api/admin/jobs/{id}/retry', {
  ...ours,
  summary: 'Retry a permanently failed job, with all its attempts',
  description: 'It leaves the list immediately, and returns if it fails again.',
  params: id_param,
  response: failed_job,
  fails: ['not_found'],
})

export const discardJob = endpoint('POST /api/admin/jobs/{id}/discard', {
  ...ours,
  summary: 'Discard a permanently failed job',
  description: 'It leaves the list and never runs.',
  params: id_param,
  response: failed_job,
  fails: ['not_found'],
})

import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
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
const ours = {
  auth: 'admin',
  admin_roles: ['administrator'],
  origin: 'extension',
  decision: 'D-81',
  tag: 'Administration',
} as const

export const failed_job = Type.Object({
  id: described('A number as text', text),
  job: described('The task, such as `accounts.mail_verification_code`', text),
  attempts: described('How often it was tried', integer),
  error: described('Why the last attempt failed; null if the process was killed', nullable_text),
  user_id: described('The person whom it is about; null if it is about none', nullable_uuid),
  app_id: described('The app that it is about; null if it is about none', nullable_uuid),
  request_id: described('The scope request that it is about; null if it is about none', nullable_uuid),
  inserted_at: described('When it was asked for', date_time),
})

const id_param = Type.Object({
  id: described('The id of the job', patterned_text('^[1-9][0-9]{0,17}$', 'job_id')),
})

export const adminListJobs = endpoint({
  ...ours,
  method: 'GET',
  path: '/api/admin/jobs',
  summary: 'Jobs that failed for good, such as mails that no server took, newest first',
  description:
    'A job is tried again by itself, ever less often, until its attempts are used up; then it is listed here for ' +
    `${failed_jobs_kept_days} days. \`error\` is why the last attempt failed, null when the process was killed. ` +
    '`total` is how many there are, at most 10,000.',
  query: page_query({}),
  response: Type.Object({
    ...page_of(failed_job).properties,
    total: described('How many there are, at most 10,000', integer),
  }),
})

export const retryJob = endpoint({
  ...ours,
  method: 'POST',
  path: '/api/admin/jobs/{id}/retry',
  summary: 'Try a job again that failed for good, with all its attempts',
  description: 'It leaves the list at once, and comes back if it fails again.',
  params: id_param,
  response: failed_job,
  fails: ['not_found'],
})

export const discardJob = endpoint({
  ...ours,
  method: 'POST',
  path: '/api/admin/jobs/{id}/discard',
  summary: 'Give up a job that failed for good',
  description: 'It leaves the list; what it was to do is not done.',
  params: id_param,
  response: failed_job,
  fails: ['not_found'],
})

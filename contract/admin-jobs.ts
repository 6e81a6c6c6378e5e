import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import {
  date_time,
  patterned_text,
  integer,
  nullable_text,
  nullable_uuid,
  page_of,
  page_query,
  text,
} from './schema.ts'

const { failed_jobs_kept_days } = decisions['D-81'].value
const ours = { auth: 'admin', origin: 'extension', decision: 'D-81', tag: 'Administration' } as const

export const failed_job = Type.Object({
  id: text,
  job: text,
  attempts: integer,
  error: nullable_text,
  user_id: nullable_uuid,
  app_id: nullable_uuid,
  request_id: nullable_uuid,
  inserted_at: date_time,
})

const id_param = Type.Object({ id: patterned_text('^[1-9][0-9]{0,17}$', 'be the id of a job') })

export const adminListJobs = endpoint({
  ...ours,
  method: 'GET',
  path: '/api/admin/jobs',
  summary: 'Jobs that failed for good, such as mails that no server took, newest first',
  description:
    'A job is tried again by itself, ever less often, until its attempts are used up; then it stands here for ' +
    `${failed_jobs_kept_days} days. \`error\` is why the last attempt failed, null when the process was killed. ` +
    '`total` is how many there are, at most 10,000.',
  query: page_query({}),
  response: Type.Object({ ...page_of(failed_job).properties, total: integer }),
})

export const retryJob = endpoint({
  ...ours,
  method: 'POST',
  path: '/api/admin/jobs/{id}/retry',
  summary: 'Try a job again that failed for good, with all its attempts',
  params: id_param,
  response: failed_job,
  fails: ['not_found'],
})

export const discardJob = endpoint({
  ...ours,
  method: 'POST',
  path: '/api/admin/jobs/{id}/discard',
  summary: 'Give up a job that failed for good',
  params: id_param,
  response: failed_job,
  fails: ['not_found'],
})

import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { look_parts } from './kinds/reports.ts'
import * as fields from './moderation-fields.ts'
import { described, one_of, page_of, page_query, uuid } from './schema.ts'

const ours = { tag: 'Social', auth: 'user', origin: 'extension', decision: 'D-109' } as const

export const createReport = endpoint('POST /api/social/reports', {
  ...ours,
  summary: 'Report a message, a person, a display name or a picture to the admins',
  description:
    'Send exactly one of `message_id` and `user_id`, not your own; `part` goes with `user_id`. A new report gets 201; repeating it ' +
    'while it is open gets 200 with the same report. You get the outcome by mail. Reporters are never revealed to anyone but admins.',
  body: Type.Object({
    message_id: Type.Optional(described('The id of the message', uuid)),
    user_id: Type.Optional(described('The id of the person', uuid)),
    part: Type.Optional(described('Only this part of the profile; by default the person', one_of(look_parts))),
    reason: fields.report_reason,
    note: Type.Optional(fields.report_note),
  }),
  status: [200, 201],
  response: fields.report,
  fails: ['not_found', 'user_not_found', 'message_removed', 'report_decided', 'too_many_reports'],
  limit: { requests: 30, seconds: 3_600 },
})

export const listMyReports = endpoint('GET /api/social/reports', {
  ...ours,
  summary: 'Your reports and their outcomes, newest first',
  description: 'Only you and the admins see the list.',
  query: page_query({}),
  response: page_of(fields.report),
})

import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import * as fields from './notice-fields.ts'
import { boolean, described, page_of, page_query, partial } from './schema.ts'

const ours = { tag: 'Notices', auth: 'user', origin: 'extension', decision: 'D-119' } as const

export const listNotices = endpoint('GET /api/notices', {
  ...ours,
  summary: 'Your notices, newest first',
  description: 'Repeated unread events form one notice with a count. Notices are kept for some months.',
  query: page_query({
    kind: Type.Optional(described('Only notices of this kind', fields.notice_kind)),
    unread: Type.Optional(described('Only unread ones', boolean)),
  }),
  response: page_of(fields.notice),
})

export const listNoticeSettings = endpoint('GET /api/notices/settings', {
  ...ours,
  summary: 'The kinds of notices that you get in the console and by mail',
  description: 'One entry for each kind available to you; `review` is only for admins.',
  response: Type.Object({ settings: described('By kind', Type.Array(fields.notice_setting)) }),
})

export const changeNoticeSetting = endpoint('PATCH /api/notices/settings/{kind}', {
  ...ours,
  summary: 'Change whether a kind of notice is muted or mailed',
  description: 'Absent fields stay unchanged. The change applies to later events.',
  params: Type.Object({ kind: fields.notice_kind }),
  body: partial({ console: fields.in_console, mail: fields.by_mail }),
  response: fields.notice_setting,
  fails: ['not_found'],
})

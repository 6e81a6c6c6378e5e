import { Type } from 'typebox'
import { endpoint, of_admins } from './endpoint.ts'
import { user_id } from './fields.ts'
import * as fields from './moderation-fields.ts'
import { described, moment, page_of, page_query, uuid } from './schema.ts'

const ours = { ...of_admins, admin_roles: ['moderator'], decision: 'D-109' } as const
const case_param = Type.Object({ id: described('The id of the case', uuid) })

export const adminListCases = endpoint('GET /api/admin/cases', {
  ...ours,
  summary: 'Reported messages and people: the open queue (`status=open`) oldest first, otherwise newest first',
  description: 'All reports of one message or person form one case until it is decided.',
  query: page_query({
    status: Type.Optional(fields.case_status),
    user_id: Type.Optional(described('Only about this person', uuid)),
    reporter_id: Type.Optional(described('Only cases that this person reported', uuid)),
  }),
  response: page_of(fields.moderation_case),
})

export const adminGetCase = endpoint('GET /api/admin/cases/{id}', {
  ...ours,
  summary: 'A case with its reports, the surrounding messages, and facts about both sides',
  description: '`GET /api/admin/messages/{id}` returns the unmasked text and writes an audit entry.',
  params: case_param,
  response: fields.case_detail,
  fails: ['not_found'],
})

export const decideCase = endpoint('POST /api/admin/cases/{id}/decide', {
  ...ours,
  summary:
    'Decide a case, once: dismiss it, or remove the message, display name or picture, mute or suspend the person',
  description:
    'All parts of a decision are applied together or not at all. Reporters are notified whether action was taken, and the person is ' +
    'notified of the action and its reason. `muted_until` is required with `mute` and not allowed otherwise.',
  params: case_param,
  body: Type.Object({
    actions: fields.sent_actions,
    muted_until: Type.Optional(fields.mute_until),
    reason: fields.case_reason,
  }),
  response: fields.moderation_case,
  fails: ['not_found', 'user_not_found', 'case_decided', 'last_administrator'],
  failure_fields: { case_decided: { decision: described('The decision', fields.case_decision) } },
})

export const setChatMute = endpoint('POST /api/admin/users/{id}/mute', {
  ...ours,
  summary: 'Mute a person in chat until a time, or unmute them',
  description: 'The person is notified by mail and can still read.',
  params: Type.Object({ id: user_id }),
  body: Type.Object({
    muted_until: described(
      'The end of the mute, in the future; null ends it now',
      Type.Unsafe<string | null>({ ...moment, type: ['string', 'null'] }),
    ),
    reason: fields.case_reason,
  }),
  response: fields.chat_mute,
  fails: ['not_found'],
})

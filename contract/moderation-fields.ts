import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import * as fields from './fields.ts'
import { look_removals, report_kinds } from './kinds/reports.ts'
import {
  boolean,
  date_time,
  decided,
  described,
  display_text,
  integer,
  moment,
  nullable_date_time,
  nullable_text,
  text,
  nullable_uuid,
  one_of,
  uuid,
  read_text,
} from './schema.ts'
import { message_fields } from './social-fields.ts'

const { note_max } = decisions.moderation

export const report_reasons = [
  'spam',
  'harassment',
  'hate',
  'sexual',
  'violence',
  'scam',
  'impersonation',
  'other',
] as const
export const report_outcomes = ['open', 'acted', 'dismissed'] as const
export const case_statuses = ['open', 'decided'] as const
export const case_kinds = ['message', 'person'] as const
export const case_actions = ['dismiss', 'remove_message', ...Object.values(look_removals), 'mute', 'suspend'] as const
export type CaseAction = (typeof case_actions)[number]

// Requests of and answers to a person

export const report_reason = described('The reason for the report', one_of(report_reasons))
const kind = described(
  'The subject: the message, the person, or only the display name or picture',
  one_of(report_kinds),
)
export const report_note = described('A note for the admin', read_text(0, note_max))
const kept_note = described('The note; null if there is none', nullable_text)
const about_person = described('The id of the reported person', uuid)
const about_message = described('The id of the message; null if the report is about the person', nullable_uuid)

/** A report as its author sees it. */
export const report = Type.Object({
  id: fields.id,
  kind,
  message_id: about_message,
  user_id: about_person,
  username: fields.nullable_username,
  reported_text: described(
    'The message or the display name as you read it; null if it is about the person or the picture, or the author has left',
    nullable_text,
  ),
  reason: report_reason,
  note: kept_note,
  status: described('`open` until an admin decides; then whether action was taken', one_of(report_outcomes)),
  decided_at: fields.decided_at,
  inserted_at: described('When it was made', date_time),
})

// Answers to and requests of an admin

export const case_status = described('`open` until an admin decides; a case is decided once', one_of(case_statuses))
/** The reason for an action of an admin against a person. Never blank, so that the audit log always has one. */
export const required_reason = described('The reason, stored in the audit log', display_text(1000))
export const case_reason = described(
  'The reason, stored in the audit log, and shown to the person if action is taken',
  display_text(1000),
)
export const sent_actions = described(
  '`dismiss` alone, or what to do: `remove_message` only where a message was reported, `remove_display_name` and `remove_picture` only ' +
    'where the person has one',
  Type.Array(one_of(case_actions), { minItems: 1, maxItems: case_actions.length - 1, uniqueItems: true }),
)
export const mute_until = described('The end of the mute in chat: a time in the future', moment)
const taken_actions = described(
  'The actions of the decision; empty while the case is open',
  Type.Array(one_of(case_actions)),
)
const muted_until = described('The end of the mute in chat; null if the person was not muted', nullable_date_time)
const decided_by_username = described('The name of the admin who decided; null until then', nullable_text)

export const case_decision = Type.Object({
  actions: taken_actions,
  reason: fields.decision_reason,
  muted_until,
  decided_by_username,
  decided_at: fields.decided_at,
})

export const moderation_case = Type.Object({
  id: fields.id,
  kind: described('Whether a message or a person was reported', one_of(case_kinds)),
  status: case_status,
  person_id: described('The id of the person who wrote the message, or was reported', uuid),
  person_username: fields.nullable_username,
  person_display_name: fields.look.display_name,
  person_picture_url: fields.look.picture_url,
  message_id: described('The id of the message; null if the person was reported', nullable_uuid),
  text: described('The current text of the message, with words masked; null if the person was reported', nullable_text),
  reports: described('The number of people who reported it', integer),
  doubted_reports: described('The number of these people with many dismissed reports', integer),
  kinds: described('The subjects of the reports, each once', Type.Array(kind)),
  reasons: described('The reasons given, each once', Type.Array(report_reason)),
  ...case_decision.properties,
  inserted_at: described('When it was first reported', date_time),
  last_reported_at: described('When it was last reported', date_time),
})

const case_counts = {
  open: described('The number of open ones', integer),
  acted: described('The number of those with action taken', integer),
  dismissed: described('The number of dismissed ones', integer),
}

/** A report as admins see it, with facts about its author. */
export const case_report = Type.Object({
  id: fields.id,
  kind,
  reporter_id: described('The id of the reporter; null if they have left', nullable_uuid),
  reporter_username: fields.nullable_username,
  reporter_since: described('When the account of the reporter was created; null if they have left', nullable_date_time),
  reporter_counts: described('The outcomes of all reports by this reporter', Type.Object(case_counts)),
  doubted: described('Whether many of their reports had been dismissed at that time', boolean),
  reported_text: described(
    'The text of the message when it was reported, with words masked, or the display name then; null if the person or the picture was ' +
      'reported, or the person has left',
    nullable_text,
  ),
  reason: report_reason,
  note: kept_note,
  inserted_at: described('When it was made', date_time),
})

/** The person that a case is about. */
export const case_person = Type.Object({
  id: described('The id of the person', uuid),
  username: fields.nullable_username,
  inserted_at: described('When the account was made; null if it is gone', nullable_date_time),
  is_admin: described('Whether the person is an admin', boolean),
  suspended: described('Whether the account is suspended now', boolean),
  muted_until: described('The end of the mute in chat; null if not muted', nullable_date_time),
  counts: described('The outcomes of all cases about the person', Type.Object(case_counts)),
})

export const case_message = Type.Object({
  ...message_fields,
  reported: described('Whether it is the reported one', boolean),
})

export const case_detail = Type.Object({
  case: described('The case', moderation_case),
  reports: described('Its newest reports', Type.Array(case_report)),
  reported_pictures: decided(
    'D-165',
    described('The reported pictures, newest first, as `data:` URLs; empty once the case is decided', Type.Array(text)),
  ),
  channel_id: described('The channel of the message; null if the person was reported', nullable_uuid),
  messages: described(
    'The message and its neighbours, oldest first, with words masked; a direct message alone; empty if the person was reported',
    decided('D-109', Type.Array(case_message)),
  ),
  person: described('The person that it is about', case_person),
  earlier: described('Other cases about the person, newest first', Type.Array(moderation_case)),
})

/** The fields of a refusal to a muted person. */
export const while_muted = { muted: { muted_until: described('When you may write again', date_time) } }

export const chat_mute = Type.Object({
  muted_until: described('The end of the mute in chat; null if not muted', nullable_date_time),
})

import { Type } from 'typebox'
import { nullable_app_id } from './fields.ts'
import { notice_events, notice_kinds } from './kinds/notices.ts'
import { notice_id } from './notice-reads.ts'
import { boolean, date_time, described, nullable_integer, nullable_text, nullable_uuid, one_of } from './schema.ts'

export const notice_kind = described(
  'The subject: `apps` are decisions about your apps, and teams, `moderation` decisions about your reports and about you, `review` work that waits for an admin',
  one_of(notice_kinds),
)
export const notice = Type.Object({
  id: notice_id,
  kind: notice_kind,
  event: described('The event', one_of(notice_events)),
  count: described(
    'The number of occurrences since it was last read, or of waiting items; at least 1',
    Type.Integer({ minimum: 1 }),
  ),
  amount: described('For points, the total received since it was last read; otherwise null', nullable_integer),
  subject_id: described(
    'The id of the person, chat, app, team or deployment that it is about; null if there is none, and for the report of a person',
    nullable_uuid,
  ),
  subject_name: described('Its current name; null if it has none or no longer exists', nullable_text),
  app_id: nullable_app_id,
  reason: described('The admin’s reason; null if there is none', nullable_text),
  is_read: described('Whether it was read', boolean),
  happened_at: described('When it last happened', date_time),
})

export const in_console = described('Whether notices of the kind appear in the list and its count', boolean)
export const by_mail = described(
  'Whether they are mailed: immediately for apps, reports, deployments and webhooks, otherwise gathered',
  boolean,
)
export const notice_setting = Type.Object({ kind: notice_kind, console: in_console, mail: by_mail })

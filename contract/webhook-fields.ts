import { Type } from 'typebox'
import { app_event_types, type AppEventType } from './app-events.ts'
import { decisions } from './decisions.ts'
import { id, inserted_at, updated_at } from './fields.ts'
import {
  boolean,
  bounded_text,
  date_time,
  decided,
  described,
  integer,
  nullable_date_time,
  nullable_integer,
  nullable_text,
  one_of,
  text,
  uuid,
} from './schema.ts'

const { answer_kept_characters, answer_start_characters, rotation_hours, off_after_days } = decisions.webhooks

// Requests of an owner

export const url = described(
  'The https address of the receiver; must resolve only to public addresses, without user information and fragment',
  bounded_text(1, 2048),
)
const some_events = Type.Array(one_of(app_event_types), { minItems: 1, maxItems: 50, uniqueItems: true })
export const wanted_events = described(
  'The event types to send; by default all, including types added later',
  some_events,
)
export const changed_events = described(
  'The event types to send; null for all, including types added later',
  Type.Unsafe<AppEventType[] | null>({ ...some_events, type: ['array', 'null'] }),
)

// Webhooks

export const webhook_url = described('The address of the receiver', text)
export const failing_since = described(
  'The time since which no attempt has succeeded; null while attempts succeed',
  nullable_date_time,
)
export const webhook = Type.Object({
  id,
  purpose: decided(
    'D-155',
    described(
      'Whether it receives events, or logout tokens to the `backchannel_logout_uri` of the app',
      one_of(['events', 'logout']),
    ),
  ),
  url: webhook_url,
  events: described(
    'The event types that it sends; null for all',
    Type.Unsafe<AppEventType[] | null>({ type: ['array', 'null'], items: { type: 'string' } }),
  ),
  enabled: described('Whether it is switched on', boolean),
  disabled_reason: described(
    `Whether its owner switched it off, or Plaza after ${off_after_days} days of failures; null while it is on`,
    Type.Unsafe<'owner' | 'failures' | null>({ type: ['string', 'null'], enum: ['owner', 'failures', null] }),
  ),
  disabled_at: described('When it was switched off; null while it is on', nullable_date_time),
  failing_since,
  previous_secret_until: described(
    `The time until which the previous secret also signs, ${rotation_hours} hours after a rotation; null at other times`,
    nullable_date_time,
  ),
  inserted_at,
  updated_at,
})
export const webhook_secret = described(
  'The secret, `whsec_` and base64, as verifiers of Standard Webhooks take it; shown only here',
  text,
)

// Deliveries

export const delivery_statuses = ['pending', 'succeeded', 'failed'] as const
export const delivery_status = described(
  '`pending` until an attempt succeeds, or the last one has failed',
  one_of(delivery_statuses),
)
export const event_type = described('The type of the event', text)
export const attempts = described('The number of attempts', integer)
export const last_status_code = described(
  'The HTTP status of the last response; null if there was none',
  nullable_integer,
)

const attempt_fields = {
  started_at: described('The start of the attempt', date_time),
  duration_ms: described('Its duration in milliseconds', integer),
  status_code: described('The HTTP status of the response; null if there was none', nullable_integer),
  error: described('Why there was no response; null if there was one', nullable_text),
}
export const attempt = Type.Object({
  number: described('The number of the attempt, from 1', integer),
  ...attempt_fields,
  answer: described(
    `The first ${answer_kept_characters} characters of the response’s body; null if there was no response`,
    nullable_text,
  ),
})

const answer_start = described(
  `The first ${answer_start_characters} characters of the response’s body; null if there was no response`,
  nullable_text,
)
const last_attempt = described(
  'The last attempt; null before the first one',
  Type.Unsafe<{
    started_at: Date
    duration_ms: number
    status_code: number | null
    error: string | null
    answer: string | null
  } | null>({
    type: ['object', 'null'],
    properties: { ...attempt_fields, answer: answer_start },
    required: ['started_at', 'duration_ms', 'status_code', 'error', 'answer'],
  }),
)

const delivery_fields = {
  id,
  event_id: described('The id of the event, which is the `webhook-id` of each request', uuid),
  type: event_type,
  timestamp: described('When the event happened', date_time),
  status: delivery_status,
  attempts,
  next_attempt_at: described('When the next attempt is due; null if none is', nullable_date_time),
  last_attempt,
  inserted_at,
}
export const delivery = Type.Object(delivery_fields)

const sent_request = Type.Object({
  url: described('The current address of the receiver', text),
  body: described(
    'The body of each attempt, as JSON text; for `logout` the content of the token, which each attempt makes again',
    text,
  ),
})
export const logged_delivery = Type.Object({
  ...delivery_fields,
  request: described('The body and address of each attempt', sent_request),
  attempt_log: described('The attempts, newest first', Type.Array(attempt)),
})

import { Type, type TSchema } from 'typebox'
import { message_response } from './accounts.ts'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import {
  boolean,
  bounded_text,
  constant,
  date_time,
  integer,
  moment,
  nullable_date_time,
  nullable_integer,
  nullable_text,
  one_of,
  page_of,
  page_query,
  text,
  uuid,
} from './schema.ts'
import { deployment_statuses, release_reasons } from './states.ts'

const { kept_days, off_after_days, rotation_hours, timeout_seconds } = decisions['D-101'].value

// Events

const nullable_metadata = Type.Unsafe<Record<string, string> | null>({
  type: ['object', 'null'],
  additionalProperties: { type: 'string' },
})
const reference_fields = { reference: nullable_text, metadata: nullable_metadata }

const event = <const Name extends string, Data extends TSchema>(type: Name, summary: string, data: Data) => ({
  summary,
  payload: Type.Object({ id: uuid, type: constant(type), timestamp: date_time, data }),
})

/** Every event that an app gets, with its payload: the body of the request, and an entry of `GET /api/app/events`. */
export const app_events = {
  'connection.created': event(
    'connection.created',
    'A person connected the app, or did so again after a disconnect',
    Type.Object({ user_id: uuid, scopes: Type.Array(text) }),
  ),
  'connection.ended': event(
    'connection.ended',
    'A person disconnected the app, or lost all connections by a suspension',
    Type.Object({ user_id: uuid }),
  ),
  'points.spent': event(
    'points.spent',
    'A person spent points in the app, in one step; a captured hold is `hold.captured`',
    Type.Object({
      transfer_id: uuid,
      user_id: uuid,
      amount: integer,
      description: nullable_text,
      ...reference_fields,
    }),
  ),
  'points.refunded': event(
    'points.refunded',
    'The app returned points of a spend',
    Type.Object({
      transfer_id: uuid,
      refunded_transfer_id: uuid,
      user_id: uuid,
      amount: integer,
      reason: nullable_text,
      ...reference_fields,
    }),
  ),
  'points.awarded': event(
    'points.awarded',
    'A person got points for the app from the platform',
    Type.Object({ transfer_id: uuid, user_id: uuid, amount: integer, description: nullable_text }),
  ),
  'hold.captured': event(
    'hold.captured',
    'The app took held points: `amount` of `held_amount`; the rest was freed',
    Type.Object({
      hold_id: uuid,
      transfer_id: uuid,
      user_id: uuid,
      amount: integer,
      held_amount: integer,
      ...reference_fields,
    }),
  ),
  'hold.released': event(
    'hold.released',
    'Held points were freed without being taken',
    Type.Object({
      hold_id: uuid,
      user_id: uuid,
      amount: integer,
      reason: one_of(release_reasons),
      ...reference_fields,
    }),
  ),
  'deployment.changed': event(
    'deployment.changed',
    'The observed status or health of a deployment of the app changed',
    Type.Object({
      deployment_id: uuid,
      subdomain: text,
      status: one_of(deployment_statuses),
      previous_status: Type.Unsafe<(typeof deployment_statuses)[number] | null>({
        type: ['string', 'null'],
        enum: [...deployment_statuses, null],
      }),
      health_status: nullable_text,
    }),
  ),
} as const
export type AppEventType = keyof typeof app_events
export const app_event_types = Object.keys(app_events) as AppEventType[]

/** The event of `testWebhook`, which is in no list of events. */
export const test_event = event('webhook.test', 'The owner asked for a test', Type.Object({ webhook_id: uuid }))

/** What the body of a request of a webhook is. */
export const webhook_payloads = { ...app_events, 'webhook.test': test_event }

export const app_event = Type.Object({
  id: uuid,
  type: one_of(app_event_types),
  timestamp: date_time,
  data: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
})

// Endpoints

const of_owner = { auth: 'user', origin: 'extension', decision: 'D-101', tag: 'Webhooks' } as const
const app_param = Type.Object({ id: uuid })
const webhook_param = Type.Object({ id: uuid, webhook_id: uuid })
const delivery_param = Type.Object({ id: uuid, webhook_id: uuid, delivery_id: uuid })

const url = bounded_text(1, 2048)
const event_types = Type.Array(one_of(app_event_types), { minItems: 1, maxItems: 50, uniqueItems: true })

const webhook_fields = {
  id: uuid,
  url: text,
  events: Type.Unsafe<AppEventType[] | null>({ type: ['array', 'null'], items: { type: 'string' } }),
  enabled: boolean,
  disabled_reason: Type.Unsafe<'owner' | 'failures' | null>({
    type: ['string', 'null'],
    enum: ['owner', 'failures', null],
  }),
  disabled_at: nullable_date_time,
  failing_since: nullable_date_time,
  previous_secret_until: nullable_date_time,
  inserted_at: date_time,
  updated_at: date_time,
}
export const webhook = Type.Object(webhook_fields)

export const listWebhooks = endpoint({
  ...of_owner,
  method: 'GET',
  path: '/api/oauth/my-apps/{id}/webhooks',
  summary: 'The webhooks of an app of yours',
  params: app_param,
  response: Type.Object({ webhooks: Type.Array(webhook) }),
  fails: ['not_found'],
})

export const createWebhook = endpoint({
  ...of_owner,
  method: 'POST',
  path: '/api/oauth/my-apps/{id}/webhooks',
  summary: 'Register an address for events; its secret is shown this once',
  description:
    'Without `events` it gets all, those that are added later too. The body of each request is one of the payloads under ' +
    '`webhooks` of this document, signed as Standard Webhooks says: any of its verifiers takes the secret as it is.',
  limit: { requests: 30, seconds: 3600 },
  params: app_param,
  body: Type.Object({ url, events: Type.Optional(event_types) }),
  status: [201],
  response: Type.Object({ webhook, secret: text }),
  fails: ['not_found', 'too_many_webhooks'],
})

export const updateWebhook = endpoint({
  ...of_owner,
  method: 'PUT',
  path: '/api/oauth/my-apps/{id}/webhooks/{webhook_id}',
  summary: 'Change a webhook, switch it off or on',
  description:
    'What waits while a webhook is off is delivered when it is on again; for what happens meanwhile, no deliveries are made: ' +
    'see `GET /api/app/events`. `events: null` stands for all.',
  limit: { requests: 60, seconds: 3600 },
  params: webhook_param,
  body: Type.Object({
    url: Type.Optional(url),
    events: Type.Optional(Type.Unsafe<AppEventType[] | null>({ ...event_types, type: ['array', 'null'] })),
    enabled: Type.Optional(boolean),
  }),
  response: Type.Object({ webhook }),
  fails: ['not_found'],
})

export const deleteWebhook = endpoint({
  ...of_owner,
  method: 'DELETE',
  path: '/api/oauth/my-apps/{id}/webhooks/{webhook_id}',
  summary: 'Delete a webhook, with what waits and its log',
  params: webhook_param,
  response: message_response,
  fails: ['not_found'],
})

export const rotateWebhookSecret = endpoint({
  ...of_owner,
  method: 'POST',
  path: '/api/oauth/my-apps/{id}/webhooks/{webhook_id}/rotate-secret',
  summary: 'Replace the secret of a webhook; the new one is shown this once',
  description: `For ${rotation_hours} hours the previous secret signs too, so that the receiver can change without a gap.`,
  limit: { requests: 10, seconds: 3600 },
  params: webhook_param,
  response: Type.Object({ webhook, secret: text }),
  fails: ['not_found'],
})

export const delivery_statuses = ['pending', 'succeeded', 'failed'] as const

export const attempt = Type.Object({
  number: integer,
  started_at: date_time,
  duration_ms: integer,
  status_code: nullable_integer,
  error: nullable_text,
  answer: nullable_text,
})

const delivery_fields = {
  id: uuid,
  event_id: uuid,
  type: text,
  timestamp: date_time,
  status: one_of(delivery_statuses),
  attempts: integer,
  next_attempt_at: nullable_date_time,
  last_attempt: Type.Unsafe<{
    started_at: Date
    duration_ms: number
    status_code: number | null
    error: string | null
  } | null>({
    type: ['object', 'null'],
    properties: {
      started_at: date_time,
      duration_ms: integer,
      status_code: nullable_integer,
      error: nullable_text,
    },
    required: ['started_at', 'duration_ms', 'status_code', 'error'],
  }),
  inserted_at: date_time,
}
export const delivery = Type.Object(delivery_fields)

export const listDeliveries = endpoint({
  ...of_owner,
  method: 'GET',
  path: '/api/oauth/my-apps/{id}/webhooks/{webhook_id}/deliveries',
  summary: `The deliveries of a webhook in the last ${kept_days} days, newest first`,
  params: webhook_param,
  query: page_query({ status: Type.Optional(one_of(delivery_statuses)) }),
  response: page_of(delivery),
  fails: ['not_found'],
})

export const getDelivery = endpoint({
  ...of_owner,
  method: 'GET',
  path: '/api/oauth/my-apps/{id}/webhooks/{webhook_id}/deliveries/{delivery_id}',
  summary: 'One delivery: the request, and every attempt with its answer',
  description:
    'Every attempt sends this body, with its own time and signature, which are not kept. `answer` is the beginning of the ' +
    'body of the answer.',
  params: delivery_param,
  response: Type.Object({
    delivery: Type.Object({
      ...delivery_fields,
      request: Type.Object({ url: text, body: text }),
      attempt_log: Type.Array(attempt),
    }),
  }),
  fails: ['not_found'],
})

export const redeliver = endpoint({
  ...of_owner,
  method: 'POST',
  path: '/api/oauth/my-apps/{id}/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver',
  summary: 'Deliver once more, now, with all retries again',
  limit: { requests: 60, seconds: 60 },
  params: delivery_param,
  response: Type.Object({ delivery }),
  fails: ['not_found'],
})

export const redeliverFailed = endpoint({
  ...of_owner,
  method: 'POST',
  path: '/api/oauth/my-apps/{id}/webhooks/{webhook_id}/redeliver-failed',
  summary: 'Deliver everything once more that failed for good since a time',
  description: '`has_more` says that this was not all: call it again.',
  limit: { requests: 10, seconds: 60 },
  params: webhook_param,
  body: Type.Object({ since: moment }),
  response: Type.Object({ redelivered: integer, has_more: boolean }),
  fails: ['not_found'],
})

export const testWebhook = endpoint({
  ...of_owner,
  method: 'POST',
  path: '/api/oauth/my-apps/{id}/webhooks/{webhook_id}/test',
  summary: 'Send the event webhook.test to a webhook',
  limit: { requests: 10, seconds: 60 },
  params: webhook_param,
  status: [201],
  response: Type.Object({ delivery }),
  fails: ['not_found', 'not_allowed_now'],
})

export const listAppEvents = endpoint({
  auth: 'client',
  origin: 'extension',
  decision: 'D-101',
  tag: 'Webhooks',
  method: 'GET',
  path: '/api/app/events',
  changes: true,
  summary: `The app’s events of the last ${kept_days} days, oldest first`,
  description:
    'For an app that was down, or that polls. `next_cursor` is where the next call continues, also after the last event: ' +
    'keep it, and nothing is missed or read twice. Events are recorded while the app has a webhook, and for ' +
    `${kept_days} days after each call of this; \`recorded_since\` says since when.`,
  limit: { requests: 120, seconds: 60 },
  query: page_query({}),
  response: Type.Object({
    data: Type.Array(app_event),
    next_cursor: nullable_text,
    has_more: boolean,
    recorded_since: date_time,
  }),
})

/** The headers of each request to a webhook, which Standard Webhooks defines. */
export const webhook_headers = Type.Object({
  'webhook-id': Type.String({
    description: 'The id of the event: the same at each attempt, so that one is not counted twice',
  }),
  'webhook-timestamp': Type.String({ description: 'When the attempt was made, in seconds since 1970' }),
  'webhook-signature': Type.String({
    description: '`v1,` and a signature; during a rotation two, with a space between',
  }),
})

/** How a request to a webhook is made, for the document. */
export const webhook_delivery =
  `A POST to each address that listens, repeated until it is answered with 2xx within ${timeout_seconds} seconds. ` +
  `After ${off_after_days} days of failures only, the address is switched off.`

import { Type } from 'typebox'
import { message_response } from './accounts.ts'
import { app_event } from './app-events.ts'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import { app_id, delivery_id, webhook_id } from './fields.ts'
import { idempotency_headers, span_filters } from './point-fields.ts'
import {
  boolean,
  date_time,
  described,
  integer,
  moment,
  nullable_text,
  page_of,
  page_query,
  rows_of,
} from './schema.ts'
import * as fields from './webhook-fields.ts'

const { kept_days, rotation_hours } = decisions.webhooks

const of_owner = { auth: 'user', origin: 'extension', decision: 'D-101', tag: 'Webhooks' } as const
const app_param = Type.Object({ id: app_id })
const one = {
  ...of_owner,
  params: Type.Object({ id: app_id, webhook_id }),
  fails: ['not_found', 'webhook_of_logout'],
} as const
const changes = { ...one, team_role: 'developer' } as const
const delivery_param = Type.Object({ id: app_id, webhook_id, delivery_id })
const changed_delivery = described('The current delivery', fields.delivery)
const changed_webhook = described('The changed webhook', fields.webhook)

export const listWebhooks = endpoint('GET /api/oauth/my-apps/{id}/webhooks', {
  ...of_owner,
  team_role: 'viewer',
  summary: 'The webhooks of an app of yours',
  description: 'All of them, including those switched off. Secrets are never shown again.',
  params: app_param,
  response: Type.Object({ webhooks: described('All of them, oldest first', Type.Array(fields.webhook)) }),
  fails: ['not_found'],
})

export const createWebhook = endpoint('POST /api/oauth/my-apps/{id}/webhooks', {
  ...of_owner,
  team_role: 'admin',
  summary: 'Register an address for events; its secret is shown only once',
  description:
    'Without `events` it gets all events, including kinds that are added later. The body of each request is one of the payloads under ' +
    '`webhooks` of this document, signed as Standard Webhooks specifies: any of its libraries accepts the secret unchanged.',
  limit: { requests: 30, seconds: 3600 },
  headers: idempotency_headers,
  params: app_param,
  body: Type.Object({ url: fields.url, events: Type.Optional(fields.wanted_events) }),
  status: [201],
  response: Type.Object({ webhook: changed_webhook, secret: fields.webhook_secret }),
  fails: ['not_found', 'too_many_webhooks', 'idempotency_key_reused'],
})

export const updateWebhook = endpoint('PUT /api/oauth/my-apps/{id}/webhooks/{webhook_id}', {
  ...changes,
  summary: 'Change a webhook, switch it off or on',
  description:
    'Waiting deliveries of a webhook that is off are sent when it is switched on. Events in the meantime make no deliveries: see ' +
    '`GET /api/app/events`. `events: null` selects all.',
  limit: { requests: 60, seconds: 3600 },
  body: Type.Object({
    url: Type.Optional(fields.url),
    events: Type.Optional(fields.changed_events),
    enabled: Type.Optional(described('Whether it is switched on', boolean)),
  }),
  response: Type.Object({ webhook: changed_webhook }),
})

export const deleteWebhook = endpoint('DELETE /api/oauth/my-apps/{id}/webhooks/{webhook_id}', {
  ...changes,
  summary: 'Delete a webhook with its pending deliveries and log',
  description: 'Requests in progress are completed.',
  response: message_response,
})

export const rotateWebhookSecret = endpoint('POST /api/oauth/my-apps/{id}/webhooks/{webhook_id}/rotate-secret', {
  ...one,
  team_role: 'admin',
  summary: 'Replace the secret of a webhook; the new one is shown only once',
  description: `For ${rotation_hours} hours the previous secret also signs, so that the receiver can switch without downtime.`,
  limit: { requests: 10, seconds: 3600 },
  headers: idempotency_headers,
  response: Type.Object({ webhook: changed_webhook, secret: fields.webhook_secret }),
  fails: ['not_found', 'webhook_of_logout', 'idempotency_key_reused'],
})

export const listDeliveries = endpoint('GET /api/oauth/my-apps/{id}/webhooks/{webhook_id}/deliveries', {
  ...one,
  team_role: 'viewer',
  summary: `The deliveries of a webhook in the last ${kept_days} days, newest first`,
  description:
    'One delivery for each event, regardless of its number of attempts. `from` and `to` limit `inserted_at`.',
  query: page_query({ status: Type.Optional(fields.delivery_status), ...span_filters }),
  response: page_of(fields.delivery),
  fails: ['not_found'],
})

export const getDelivery = endpoint('GET /api/oauth/my-apps/{id}/webhooks/{webhook_id}/deliveries/{delivery_id}', {
  ...of_owner,
  team_role: 'viewer',
  summary: 'One delivery: the request, and every attempt with its response',
  description:
    'Every attempt sends this body, with a new time and signature, which are not stored. `answer` is the beginning of the response body.',
  params: delivery_param,
  response: Type.Object({ delivery: described('The delivery with its request and attempts', fields.logged_delivery) }),
  fails: ['not_found'],
})

export const redeliver = endpoint(
  'POST /api/oauth/my-apps/{id}/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver',
  {
    ...of_owner,
    team_role: 'developer',
    summary: 'Redeliver immediately, with all retries',
    description:
      'Also possible for a delivery that succeeded. The event keeps its id, so receivers recognise it. 409 while the webhook is ' +
      'switched off.',
    limit: { requests: 60, seconds: 60 },
    headers: idempotency_headers,
    params: delivery_param,
    response: Type.Object({ delivery: changed_delivery }),
    fails: ['not_found', 'webhook_off', 'idempotency_key_reused'],
  },
)

export const redeliverFailed = endpoint('POST /api/oauth/my-apps/{id}/webhooks/{webhook_id}/redeliver-failed', {
  ...changes,
  summary: 'Redeliver all permanently failed deliveries since a time',
  description: 'If `has_more` is true, call it again. 409 while the webhook is switched off.',
  limit: { requests: 10, seconds: 60 },
  headers: idempotency_headers,
  body: Type.Object({ since: described('Deliveries of events at or after this time', moment) }),
  response: Type.Object({
    redelivered: described('The number of deliveries that this call made pending', integer),
    has_more: described('Whether there are more; if so, call it again', boolean),
  }),
  fails: ['not_found', 'webhook_off', 'idempotency_key_reused'],
})

export const testWebhook = endpoint('POST /api/oauth/my-apps/{id}/webhooks/{webhook_id}/test', {
  ...changes,
  summary: 'Send the event webhook.test to a webhook',
  description:
    'It is delivered like any other event, but is not in the lists of events. 409 while the webhook is switched off.',
  limit: { requests: 10, seconds: 60 },
  headers: idempotency_headers,
  status: [201],
  response: Type.Object({ delivery: changed_delivery }),
  fails: ['not_found', 'webhook_of_logout', 'webhook_off', 'idempotency_key_reused'],
})

export const listAppEvents = endpoint('GET /api/app/events', {
  auth: 'client',
  secret_permission: 'webhooks',
  origin: 'extension',
  decision: 'D-101',
  tag: 'Webhooks',
  changes: true,
  summary: `The app’s events of the last ${kept_days} days, oldest first`,
  description:
    'For apps that were down or that poll. The next call continues at `next_cursor`, also after the last event: store it, and no ' +
    'event is missed or read twice. Events are recorded while the app has a webhook, and for ' +
    `${kept_days} days after each call of this; \`recorded_since\` says since when.`,
  limit: { requests: 120, seconds: 60 },
  query: page_query({}),
  response: Type.Object({
    data: rows_of(app_event),
    next_cursor: described('The `cursor` of the next call; null before the first event', nullable_text),
    has_more: described('Whether more events already exist', boolean),
    recorded_since: described('The time since which the app’s events are recorded without a gap', date_time),
  }),
})

import { Type, type TSchema } from 'typebox'
import { decisions } from './decisions.ts'
import { deployment_status, nullable_health_status, subdomain_of } from './deployment-fields.ts'
import { deployment_id, hold_id, user_id, webhook_id } from './fields.ts'
import { nullable_metadata, release_reason } from './payment-fields.ts'
import { kept_reference, moved_amount, transfer_description, transfer_id } from './point-fields.ts'
import { constant, date_time, described, integer, nullable_text, one_of, text, uuid } from './schema.ts'
import { deployment_statuses } from './states.ts'

const { off_after_days, timeout_seconds } = decisions.webhooks

const reference_fields = { reference: kept_reference, metadata: nullable_metadata }
const event_id = described('The id of the event: the same for each delivery, so that repetitions can be detected', uuid)
const timestamp = described('When it happened', date_time)

const event = <const Name extends string, Data extends TSchema>(type: Name, summary: string, data: Data) => ({
  summary,
  payload: Type.Object({
    id: event_id,
    type: described('The type of the event', constant(type)),
    timestamp,
    data: described('The event', data),
  }),
})

/**
 * Every event that an app receives, with its payload: the body of the request, and an entry of `GET /api/app/events`.
 */
export const app_events = {
  'connection.created': event(
    'connection.created',
    'A person connected the app, or did so again after a disconnect',
    Type.Object({ user_id, scopes: described('The scopes that the person granted', Type.Array(text)) }),
  ),
  'connection.ended': event(
    'connection.ended',
    'A person disconnected the app, or lost all connections by a suspension',
    Type.Object({ user_id }),
  ),
  'account.deleted': event(
    'account.deleted',
    'A person who ever connected the app has deleted their account: delete what you have about them',
    Type.Object({ user_id }),
  ),
  'points.spent': event(
    'points.spent',
    'A person spent points in the app, in one step; a captured hold is `hold.captured`',
    Type.Object({
      transfer_id,
      user_id,
      amount: moved_amount,
      description: transfer_description,
      ...reference_fields,
    }),
  ),
  'points.refunded': event(
    'points.refunded',
    'The app returned points of a spend',
    Type.Object({
      transfer_id,
      refunded_transfer_id: described('The id of the refunded spend', uuid),
      user_id,
      amount: moved_amount,
      reason: described('The app’s reason; null if it gave none', nullable_text),
      ...reference_fields,
    }),
  ),
  'points.paid_out': event(
    'points.paid_out',
    'The app paid points out to a person',
    Type.Object({ transfer_id, user_id, amount: moved_amount, description: transfer_description, ...reference_fields }),
  ),
  'points.awarded': event(
    'points.awarded',
    'A person got points for the app from the platform',
    Type.Object({ transfer_id, user_id, amount: moved_amount, description: transfer_description }),
  ),
  'hold.captured': event(
    'hold.captured',
    'The app took held points: `amount` of `held_amount`; the rest was freed',
    Type.Object({
      hold_id,
      transfer_id,
      user_id,
      amount: described('The number of captured points', integer),
      held_amount: described('The number of held points', integer),
      ...reference_fields,
    }),
  ),
  'hold.released': event(
    'hold.released',
    'Held points were freed without being taken',
    Type.Object({
      hold_id,
      user_id,
      amount: described('The number of released points', integer),
      reason: release_reason,
      ...reference_fields,
    }),
  ),
  'deployment.changed': event(
    'deployment.changed',
    'The observed status or health of a deployment of the app changed',
    Type.Object({
      deployment_id,
      subdomain: subdomain_of,
      status: deployment_status,
      previous_status: described(
        'The previous state; null for a new deployment',
        Type.Unsafe<(typeof deployment_statuses)[number] | null>({
          type: ['string', 'null'],
          enum: [...deployment_statuses, null],
        }),
      ),
      health_status: nullable_health_status,
    }),
  ),
} as const
export type AppEventType = keyof typeof app_events
export const app_event_types = Object.keys(app_events) as AppEventType[]

/** The event of `testWebhook`. No list of events contains it. */
export const test_event = event('webhook.test', 'The owner asked for a test', Type.Object({ webhook_id }))

/** The body of a webhook request. */
export const webhook_payloads = { ...app_events, 'webhook.test': test_event }

/** The payloads by their names in the document: `points.spent` has the payload `PointsSpent`. */
export const event_payloads = Object.fromEntries(
  Object.entries(webhook_payloads).map(([type, { payload }]): [string, TSchema] => [
    type.replace(/(?:^|\.)(\w)/g, (_, first: string) => first.toUpperCase()),
    payload,
  ]),
)

export const app_event_type = described('The type of the event', one_of(app_event_types))

/** Any event, in the list of an app's events. */
export const app_event = Type.Object({
  id: event_id,
  type: app_event_type,
  timestamp,
  data: described(
    'The event, with the fields that this type’s payload has under `webhooks`',
    Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  ),
})

/** The headers of each request to a webhook, which Standard Webhooks defines. */
export const webhook_headers = Type.Object({
  'webhook-id': Type.String({
    description: 'The id of the event: the same for each attempt, so that repetitions can be detected',
  }),
  'webhook-timestamp': Type.String({ description: 'The time of the attempt, in seconds since 1970' }),
  'webhook-signature': Type.String({
    description: '`v1,` and a signature; during a rotation two, separated by a space',
  }),
})

/** How a request to a webhook is made, for the document. */
export const webhook_delivery =
  `A POST to each address that listens, repeated until it is answered with 2xx within ${timeout_seconds} seconds. ` +
  `After ${off_after_days} days of failures only, the address is switched off.`

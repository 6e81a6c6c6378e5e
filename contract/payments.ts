import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import { hold_id, movement_id, user_id } from './fields.ts'
import * as fields from './payment-fields.ts'
import * as point_fields from './point-fields.ts'
import { described, page_of, page_query, patterned_text, text, uuid } from './schema.ts'

const { expires_in_default, expires_in_max } = decisions.holds
const { payouts_max, body_bytes_max: payouts_bytes_max } = decisions.payouts
const hold_param = Type.Object({ id: hold_id })
/** The refusal of a hold that is already settled. */
export const hold_settled_fields = { hold_settled: fields.settled_hold.properties }

const extension = { tag: 'Payments', origin: 'extension' } as const
const of_client = {
  ...extension,
  auth: 'client',
  decision: 'D-97',
  secret_permission: 'payments_read',
} as const

export const createHold = endpoint('POST /api/external/points/holds', {
  summary: 'Hold points of the user; the app captures or releases them later',
  description:
    'Held points still belong to the user, but are not available. The app captures all or part of them, or voids the hold; a hold ' +
    'that expires is released. With an `Idempotency-Key` the call may be repeated safely: it is applied once.',
  ...extension,
  auth: { scope: 'points:spend' },
  decision: 'D-97',
  headers: point_fields.idempotency_headers,
  body: Type.Object({
    amount: point_fields.amount,
    reference: Type.Optional(point_fields.reference),
    metadata: Type.Optional(point_fields.metadata),
    expires_in: Type.Optional(
      described(
        'The lifetime of the hold in seconds, at most seven days',
        Type.Integer({ minimum: 1, maximum: expires_in_max, default: expires_in_default }),
      ),
    ),
  }),
  status: [201],
  response: fields.made_hold,
  fails: ['insufficient_points', 'spending_limit_reached', ...point_fields.ledger_failures],
})

const holds_span = '`from` and `to` limit `inserted_at`.'

export const listHolds = endpoint('GET /api/app/holds', {
  summary: 'The app’s holds, newest first',
  description: `Includes settled holds. ${holds_span}`,
  ...of_client,
  query: page_query({
    status: Type.Optional(fields.hold_status),
    user_id: Type.Optional(user_id),
    reference: Type.Optional(point_fields.reference),
    ...point_fields.span_filters,
  }),
  response: page_of(fields.hold),
})

export const getHold = endpoint('GET /api/app/holds/{id}', {
  summary: 'One hold of the app',
  description: 'In its current state: an expired hold is released, even before the job has run.',
  ...of_client,
  params: hold_param,
  response: fields.settled_hold,
  fails: ['not_found'],
})

export const captureHold = endpoint('POST /api/app/holds/{id}/capture', {
  summary: 'Capture all or some of the held points; the rest is released',
  description:
    'A hold has one outcome: if calls run in parallel, one succeeds and the others get 409 `hold_settled` with the current hold.',
  ...of_client,
  secret_permission: 'payments',
  params: hold_param,
  headers: point_fields.idempotency_headers,
  body: Type.Object({
    amount: Type.Optional(described('The number of points to capture; by default all', point_fields.amount)),
    description: Type.Optional(point_fields.description),
  }),
  response: fields.settled_hold,
  fails: ['not_found', 'client_not_approved', 'hold_settled', 'points_limit_reached', ...point_fields.ledger_failures],
  failure_fields: hold_settled_fields,
})

export const voidHold = endpoint('POST /api/app/holds/{id}/void', {
  summary: 'Release held points',
  description:
    'Frees all held points, for an order that is not delivered. A settled hold gets 409 with its current state.',
  ...of_client,
  secret_permission: 'payments',
  params: hold_param,
  headers: point_fields.idempotency_headers,
  response: fields.settled_hold,
  fails: ['not_found', 'hold_settled', ...point_fields.ledger_failures],
  failure_fields: hold_settled_fields,
})

export const createRefund = endpoint('POST /api/app/refunds', {
  summary: 'Refund points of a spend to the person',
  description:
    'Refunds all or part of a spend; its refunds together never exceed it. Also possible after the person disconnected the app, and ' +
    'after the app lost its approval.',
  ...of_client,
  secret_permission: 'payments',
  decision: 'D-98',
  headers: point_fields.idempotency_headers,
  body: Type.Object({
    transfer_id: described('The spend, or the capture of a hold, to refund', uuid),
    amount: Type.Optional(
      described('The number of points to refund; by default all that are not refunded yet', point_fields.amount),
    ),
    reason: Type.Optional(described('The reason, shown to the person in the history', point_fields.description)),
  }),
  status: [201],
  response: fields.refund_result,
  fails: [
    'not_found',
    'refund_exceeds_spend',
    'insufficient_points',
    'points_limit_reached',
    ...point_fields.ledger_failures,
  ],
})

const payout = {
  to_user_id: described('The recipient: a person who is connected to the app', user_id),
  amount: point_fields.amount,
  description: Type.Optional(point_fields.description),
  reference: Type.Optional(point_fields.reference),
  metadata: Type.Optional(point_fields.metadata),
}

export const createPayout = endpoint('POST /api/app/payouts', {
  summary: 'Pay points of the app to a person',
  description:
    'Pays from the balance of the app, less `held_earnings`. A recipient who is not connected to the app gets the same 409 ' +
    '`recipient_not_connected` as an unknown one. The history of the person shows the name of the app and the description. With an ' +
    '`Idempotency-Key` the call may be repeated safely: it is applied once.',
  ...of_client,
  secret_permission: 'payouts',
  decision: 'D-130',
  headers: point_fields.idempotency_headers,
  body: Type.Object(payout),
  status: [201],
  response: fields.payout_result,
  fails: [...fields.payout_refusals, ...point_fields.ledger_failures],
})

export const createPayouts = endpoint('POST /api/app/payouts/batch', {
  summary: 'Pay points of the app to many people in one call',
  description:
    'Each item is paid or refused by itself, in the order given. With an `Idempotency-Key` the call may be repeated safely, also after a ' +
    'failure in the middle: decided items keep their outcome, including refusals, and the others are then decided. Without a key, a ' +
    'failure in the middle is `outcome_unknown`. A malformed item fails the whole call with 422, and nothing is paid.',
  ...of_client,
  secret_permission: 'payouts',
  decision: 'D-130',
  headers: point_fields.idempotency_headers,
  body: Type.Object({
    payouts: described(
      `The payouts, up to ${payouts_max}; a person may occur more than once`,
      Type.Array(Type.Object(payout), { minItems: 1, maxItems: payouts_max }),
    ),
  }),
  body_bytes_max: payouts_bytes_max,
  response: Type.Object({
    outcomes: described('One outcome for each item, in the same order', Type.Array(fields.payout_outcome)),
  }),
  fails: point_fields.ledger_failures,
})

export const getOwnBalance = endpoint('GET /api/app/balance', {
  summary: 'The balance of the app, and the points held for it',
  description: 'The current state. `points` is `total_earned` minus `total_spent`.',
  ...of_client,
  decision: 'D-99',
  response: fields.app_balance,
})

const transfer_filters = {
  user_id: Type.Optional(user_id),
  kind: Type.Optional(point_fields.transfer_kind),
  reference: Type.Optional(point_fields.reference),
  ...point_fields.span_filters,
}

export const listAppTransfers = endpoint('GET /api/app/transfers', {
  summary: 'Every movement of the app’s points, and every transfer it made, newest first',
  description: '`from` (inclusive) and `to` (exclusive) limit `inserted_at`.',
  ...of_client,
  decision: 'D-99',
  query: page_query(transfer_filters),
  response: page_of(fields.app_transfer),
})

export const getAppTransfer = endpoint('GET /api/app/transfers/{id}', {
  summary: 'One movement, with its refunds',
  description:
    'By the `transfer_id` of a spend, transfer or refund, or the `id` in a list. A movement of another app gets 404.',
  ...of_client,
  decision: 'D-99',
  params: Type.Object({ id: movement_id }),
  response: Type.Object({
    transfer: described('The movement', fields.app_transfer),
    refunded_amount: fields.refunded_amount,
    refunds: described('Its refunds, oldest first', Type.Array(fields.app_transfer)),
  }),
  fails: ['not_found'],
})

export const exportAppTransfers = endpoint('GET /api/app/transfers.csv', {
  summary: 'The same list as CSV (RFC 4180), newest first',
  description:
    'The complete list, streamed, without pages. A cell that a spreadsheet would read as a formula begins with an apostrophe.',
  ...of_client,
  decision: 'D-99',
  query: Type.Object(transfer_filters),
  response: text,
  download: 'text/csv',
})

export const listMyHolds = endpoint('GET /api/points/holds', {
  summary: 'Points of yours that apps hold, newest first',
  description: `Includes settled holds. Held points are not a movement until the app captures them. ${holds_span}`,
  ...extension,
  auth: 'user',
  decision: 'D-97',
  query: page_query({ status: Type.Optional(fields.hold_status), ...point_fields.span_filters }),
  response: page_of(fields.own_hold),
})

const change_id = described(
  'The id of the last event read; the stream continues after it',
  patterned_text('^(?:[0-9]{1,16}-[0-9]{1,16})?$', 'event_id'),
)

export const readPointEvents = endpoint('GET /api/external/events', {
  summary: 'Follow the user’s balance and your holds as they change',
  description:
    'An endless stream of server-sent events. It begins with a `balance`. Each change sends another one, and each change of a hold ' +
    'of this app sends a `hold`. To resume a broken stream, send the id of the last event as ' +
    '`Last-Event-ID` or `last_event_id`, within a day. After `reset`, read the holds again: the events in between are no longer ' +
    'stored. `session_ended` means that the access token is no longer valid: refresh it and reconnect. `connection_ended` means that ' +
    'the user has disconnected the app.',
  ...extension,
  auth: { scope: 'points:read' },
  decision: 'D-111',
  query: Type.Object({ last_event_id: Type.Optional(change_id) }),
  headers: Type.Object({ 'last-event-id': Type.Optional(change_id) }),
  response: text,
  events: {
    balance: point_fields.points_balance,
    hold: fields.hold,
    reset: Type.Object({}),
    session_ended: Type.Object({}),
    connection_ended: Type.Object({}),
  },
  fails: ['rate_limited'],
})

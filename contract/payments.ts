import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import { amount, description, idempotency_headers, metadata, reference, transfer_kinds } from './points.ts'
import {
  date_time,
  decided,
  integer,
  moment,
  nullable_date_time,
  nullable_integer,
  nullable_text,
  nullable_uuid,
  one_of,
  page_of,
  page_query,
  text,
  uuid,
} from './schema.ts'
import { hold_statuses, release_reasons } from './states.ts'

const { expires_in_default, expires_in_max } = decisions['D-97'].value
const id_param = Type.Object({ id: uuid })
const nullable_metadata = Type.Unsafe<Record<string, string> | null>({
  type: ['object', 'null'],
  additionalProperties: { type: 'string' },
})

/** A hold as its app sees it. */
export const hold_fields = {
  id: uuid,
  app_id: uuid,
  user_id: uuid,
  amount: integer,
  status: one_of(hold_statuses),
  captured_amount: nullable_integer,
  release_reason: Type.Unsafe<(typeof release_reasons)[number] | null>({
    type: ['string', 'null'],
    enum: [...release_reasons, null],
  }),
  transfer_id: nullable_uuid,
  reference: nullable_text,
  metadata: nullable_metadata,
  inserted_at: date_time,
  expires_at: date_time,
  settled_at: nullable_date_time,
}
export const hold = Type.Object(hold_fields)

const extension = { tag: 'Payments', origin: 'extension' } as const
const of_client = { ...extension, auth: 'client' } as const

export const createHold = endpoint({
  method: 'POST',
  path: '/api/external/points/holds',
  summary: 'Set points of the user aside; the app captures or frees them later',
  description:
    'Held points are still the user’s, but not available. The app captures all or part of them, or voids the hold; a hold ' +
    'that expires is freed. With an `Idempotency-Key` the call may be repeated safely: it is applied once.',
  ...extension,
  auth: { scope: 'points:spend' },
  decision: 'D-97',
  headers: idempotency_headers,
  body: Type.Object({
    amount,
    reference: Type.Optional(reference),
    metadata: Type.Optional(metadata),
    expires_in: Type.Optional(Type.Integer({ minimum: 1, maximum: expires_in_max, default: expires_in_default })),
  }),
  status: [201],
  response: Type.Object({ hold, points: integer, held: integer }),
  fails: [
    'insufficient_points',
    'spending_limit_reached',
    'idempotency_key_reused',
    'outcome_unknown',
    'outcome_unknown_keyed',
    'overloaded',
  ],
})

export const listHolds = endpoint({
  method: 'GET',
  path: '/api/app/holds',
  summary: 'The app’s holds, newest first',
  ...of_client,
  decision: 'D-97',
  query: page_query({
    status: Type.Optional(one_of(hold_statuses)),
    user_id: Type.Optional(uuid),
    reference: Type.Optional(reference),
  }),
  response: page_of(hold),
})

export const getHold = endpoint({
  method: 'GET',
  path: '/api/app/holds/{id}',
  summary: 'One hold of the app',
  ...of_client,
  decision: 'D-97',
  params: id_param,
  response: Type.Object({ hold }),
  fails: ['not_found'],
})

export const captureHold = endpoint({
  method: 'POST',
  path: '/api/app/holds/{id}/capture',
  summary: 'Take held points, all or a part; the rest is freed',
  description:
    'A hold has one outcome: of parallel calls one wins, the others get 409 `hold_settled` with the hold as it is.',
  ...of_client,
  decision: 'D-97',
  params: id_param,
  headers: idempotency_headers,
  body: Type.Object({ amount: Type.Optional(amount), description: Type.Optional(description) }),
  response: Type.Object({ hold }),
  fails: [
    'not_found',
    'client_not_approved',
    'hold_settled',
    'points_limit_reached',
    'idempotency_key_reused',
    'outcome_unknown',
    'outcome_unknown_keyed',
    'overloaded',
  ],
})

export const voidHold = endpoint({
  method: 'POST',
  path: '/api/app/holds/{id}/void',
  summary: 'Free held points',
  ...of_client,
  decision: 'D-97',
  params: id_param,
  headers: idempotency_headers,
  response: Type.Object({ hold }),
  fails: [
    'not_found',
    'hold_settled',
    'idempotency_key_reused',
    'outcome_unknown',
    'outcome_unknown_keyed',
    'overloaded',
  ],
})

/** A movement of an app's account, as the app sees it. */
export const app_transfer = Type.Object({
  id: uuid,
  kind: one_of(transfer_kinds),
  direction: one_of(['in', 'out']),
  amount: integer,
  points_after: integer,
  user_id: nullable_uuid,
  description: nullable_text,
  reference: nullable_text,
  metadata: nullable_metadata,
  hold_id: nullable_uuid,
  refunded_transfer_id: nullable_uuid,
  inserted_at: date_time,
})

export const createRefund = endpoint({
  method: 'POST',
  path: '/api/app/refunds',
  summary: 'Return points of a spend to the person who spent them',
  description:
    'All of it, or a part; all refunds of a spend together never exceed it. Possible after the person disconnected the app ' +
    'and after the app lost its approval, too.',
  ...of_client,
  decision: 'D-98',
  headers: idempotency_headers,
  body: Type.Object({ transfer_id: uuid, amount: Type.Optional(amount), reason: Type.Optional(description) }),
  status: [201],
  response: Type.Object({ refund: app_transfer, points: integer }),
  fails: [
    'not_found',
    'refund_exceeds_spend',
    'insufficient_points',
    'points_limit_reached',
    'idempotency_key_reused',
    'outcome_unknown',
    'outcome_unknown_keyed',
    'overloaded',
  ],
})

export const getOwnBalance = endpoint({
  method: 'GET',
  path: '/api/app/balance',
  summary: 'What the app has, and what is held for it',
  ...of_client,
  decision: 'D-99',
  response: Type.Object({
    points: integer,
    total_earned: integer,
    total_spent: integer,
    held_for_app: decided('D-97', integer),
  }),
})

const transfer_filters = {
  user_id: Type.Optional(uuid),
  kind: Type.Optional(one_of(transfer_kinds)),
  reference: Type.Optional(reference),
  from: Type.Optional(moment),
  to: Type.Optional(moment),
}

export const listAppTransfers = endpoint({
  method: 'GET',
  path: '/api/app/transfers',
  summary: 'Every movement of the app’s points, newest first',
  description: '`from` and `to` bound `inserted_at`: from that moment on, and before that moment.',
  ...of_client,
  decision: 'D-99',
  query: page_query(transfer_filters),
  response: page_of(app_transfer),
})

export const getAppTransfer = endpoint({
  method: 'GET',
  path: '/api/app/transfers/{id}',
  summary: 'One movement, with its refunds',
  ...of_client,
  decision: 'D-99',
  params: id_param,
  response: Type.Object({ transfer: app_transfer, refunded_amount: integer, refunds: Type.Array(app_transfer) }),
  fails: ['not_found'],
})

export const exportAppTransfers = endpoint({
  method: 'GET',
  path: '/api/app/transfers.csv',
  summary: 'The same list as CSV (RFC 4180), oldest of the page last',
  ...of_client,
  decision: 'D-99',
  query: Type.Object(transfer_filters),
  response: text,
})

export const listMyHolds = endpoint({
  method: 'GET',
  path: '/api/points/holds',
  summary: 'Points of yours that apps hold, newest first',
  ...extension,
  auth: 'user',
  decision: 'D-97',
  query: page_query({ status: Type.Optional(one_of(hold_statuses)) }),
  response: page_of(
    Type.Object({
      id: uuid,
      app_id: uuid,
      app_name: nullable_text,
      amount: integer,
      status: one_of(hold_statuses),
      captured_amount: nullable_integer,
      reference: nullable_text,
      inserted_at: date_time,
      expires_at: date_time,
      settled_at: nullable_date_time,
    }),
  ),
})

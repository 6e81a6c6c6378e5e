import { Type, type Static } from 'typebox'
import { endpoint } from './endpoint.ts'
import {
  app_transfer,
  createRefund,
  exportAppTransfers,
  hold,
  hold_fields,
  listAppTransfers,
  listHolds,
} from './payments.ts'
import { idempotency_headers } from './points.ts'
import {
  date_time,
  integer,
  nullable_integer,
  nullable_text,
  one_of,
  page_of,
  patterned_text,
  text,
  uuid,
} from './schema.ts'
import { delivery_statuses } from './webhooks.ts'

// What an app reads and does by itself (D-97, D-98, D-99), for its owner in the console.

const of_owner = { auth: 'user', origin: 'extension', tag: 'Payments' } as const
const app_param = Type.Object({ id: uuid })
const transfer_param = Type.Object({ id: uuid, transfer_id: uuid })
const hold_param = Type.Object({ id: uuid, hold_id: uuid })

/** A movement with the name of the person, who may be gone. */
export const owner_transfer = Type.Object({ ...app_transfer.properties, username: nullable_text })
const nullable_hold = Type.Unsafe<Static<typeof hold> | null>({ ...hold, type: ['object', 'null'] })
export const owner_hold = Type.Object({ ...hold_fields, username: nullable_text })

/** The exact name of a person, in any case, instead of the id. */
const username = Type.Optional(text)

export const getBalanceOfMyApp = endpoint({
  ...of_owner,
  method: 'GET',
  path: '/api/oauth/my-apps/{id}/balance',
  summary: 'What an app of yours has, and what is held for it',
  decision: 'D-99',
  params: app_param,
  response: Type.Object({ points: integer, total_earned: integer, total_spent: integer, held_for_app: integer }),
  fails: ['not_found'],
})

const day = patterned_text('^\\d{4}-\\d{2}-\\d{2}$', 'be a day such as 2026-01-31')

/** The periods that sums are made for: days and months of UTC. */
export const series_units = ['day', 'month'] as const
const series_query = Type.Object({
  unit: Type.Optional(
    Type.Unsafe<(typeof series_units)[number]>({ type: 'string', enum: [...series_units], default: 'day' }),
  ),
  from: Type.Optional(day),
  to: Type.Optional(day),
})
export const series = Type.Object({
  unit: one_of(series_units),
  periods: Type.Array(
    Type.Object({ starts_on: day, earned: integer, spent: integer, transfers: integer, balance: integer }),
  ),
})
const series_description =
  'One row for each day or month of UTC, the oldest first, those without movements too. `from` is the first day, and `to` the ' +
  'first that is left out; without them, the last 30 days, or 12 months. `spent` is what was refunded, and `balance` what ' +
  'the app had when the period ended.'

export const getSeriesOfMyApp = endpoint({
  ...of_owner,
  method: 'GET',
  path: '/api/oauth/my-apps/{id}/balance/series',
  summary: 'What an app of yours earned, returned and had, by day or month',
  description: series_description,
  decision: 'D-99',
  params: app_param,
  query: series_query,
  response: series,
  fails: ['not_found'],
})

export const getAppSeries = endpoint({
  method: 'GET',
  path: '/api/app/balance/series',
  tag: 'Payments',
  summary: 'What the app earned, returned and had, by day or month',
  description: series_description,
  auth: 'client',
  origin: 'extension',
  decision: 'D-99',
  query: series_query,
  response: series,
})

export const listTransfersOfMyApp = endpoint({
  ...of_owner,
  method: 'GET',
  path: '/api/oauth/my-apps/{id}/transfers',
  summary: 'Every movement of the points of an app of yours, newest first',
  description: listAppTransfers.description,
  decision: 'D-99',
  params: app_param,
  query: Type.Object({ ...listAppTransfers.query.properties, username }),
  response: page_of(owner_transfer),
  fails: ['not_found'],
})

export const exportTransfersOfMyApp = endpoint({
  ...of_owner,
  method: 'GET',
  path: '/api/oauth/my-apps/{id}/transfers.csv',
  summary: 'The same list as CSV (RFC 4180), newest first',
  decision: 'D-99',
  params: app_param,
  query: Type.Object({ ...exportAppTransfers.query.properties, username }),
  response: text,
  fails: ['not_found'],
})

export const getTransferOfMyApp = endpoint({
  ...of_owner,
  method: 'GET',
  path: '/api/oauth/my-apps/{id}/transfers/{transfer_id}',
  summary: 'One movement, with its hold, its refunds, and what webhooks were told about them',
  description: '`refundable_amount` is what can still be returned of a spend.',
  decision: 'D-99',
  params: transfer_param,
  response: Type.Object({
    transfer: owner_transfer,
    hold: nullable_hold,
    refunds: Type.Array(app_transfer),
    refunded_amount: integer,
    refundable_amount: integer,
    deliveries: Type.Array(
      Type.Object({
        id: uuid,
        webhook_id: uuid,
        url: text,
        type: text,
        status: one_of(delivery_statuses),
        attempts: integer,
        status_code: nullable_integer,
        inserted_at: date_time,
      }),
    ),
  }),
  fails: ['not_found'],
})

export const refundOfMyApp = endpoint({
  ...of_owner,
  method: 'POST',
  path: '/api/oauth/my-apps/{id}/refunds',
  summary: 'Return points of a spend to the person who spent them',
  description: createRefund.description,
  decision: 'D-98',
  params: app_param,
  headers: idempotency_headers,
  body: createRefund.body,
  status: [201],
  response: createRefund.response,
  fails: createRefund.fails,
})

export const listHoldsOfMyApp = endpoint({
  ...of_owner,
  method: 'GET',
  path: '/api/oauth/my-apps/{id}/holds',
  summary: 'The holds of an app of yours, newest first',
  decision: 'D-97',
  params: app_param,
  query: Type.Object({ ...listHolds.query.properties, username }),
  response: page_of(owner_hold),
  fails: ['not_found'],
})

export const getHoldOfMyApp = endpoint({
  ...of_owner,
  method: 'GET',
  path: '/api/oauth/my-apps/{id}/holds/{hold_id}',
  summary: 'One hold of an app of yours',
  decision: 'D-97',
  params: hold_param,
  response: Type.Object({ hold: owner_hold }),
  fails: ['not_found'],
})

export const voidHoldOfMyApp = endpoint({
  ...of_owner,
  method: 'POST',
  path: '/api/oauth/my-apps/{id}/holds/{hold_id}/void',
  summary: 'Free points that an app of yours holds',
  decision: 'D-97',
  params: hold_param,
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

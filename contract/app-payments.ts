import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { deployment_status, container_image, subdomain_of } from './deployment-fields.ts'
import {
  app_id,
  app_name,
  delivery_id,
  deployment_id,
  hold_id,
  inserted_at,
  movement_id,
  webhook_id,
} from './fields.ts'
import * as payment_fields from './payment-fields.ts'
import { identity_proof, proof_failures } from './passkey-fields.ts'
import { createRefund, exportAppTransfers, hold_settled_fields, listAppTransfers, listHolds } from './payments.ts'
import { amount, earned, idempotency_headers, ledger_failures } from './point-fields.ts'
import { bounded_text, described, integer, one_of, page_of, patterned_text, text } from './schema.ts'
import { attempts, delivery_status, event_type, last_status_code, webhook_url } from './webhook-fields.ts'

// The calls of an app for itself (D-97, D-98, D-99), as the owner makes them in the console.

const of_owner = { auth: 'user', origin: 'extension', tag: 'Payments' } as const
const of_app = { ...of_owner, params: Type.Object({ id: app_id }), fails: ['not_found'] } as const
const seen = { ...of_app, team_role: 'viewer', decision: 'D-99' } as const
const transfer_param = Type.Object({ id: app_id, transfer_id: movement_id })
const hold_param = Type.Object({ id: app_id, hold_id })

export const username_filter = described('The exact name of a person, ignoring case, instead of `user_id`', text)
const username = Type.Optional(username_filter)

export const getBalanceOfMyApp = endpoint('GET /api/oauth/my-apps/{id}/balance', {
  ...seen,
  summary: 'The balance of an app of yours, and the points held for it',
  description: 'The same figures as at `/api/app/balance`.',
  response: payment_fields.app_balance,
})

export const searchMyApps = endpoint('GET /api/search', {
  ...of_owner,
  summary: 'Search your deployments by name, and your apps by the reference of a payment',
  description: 'For a global search: the newest few of each.',
  decision: 'D-99',
  query: Type.Object({
    q: described('A part of a deployment’s name, or the full reference of a payment', bounded_text(2, 64)),
  }),
  response: Type.Object({
    deployments: described(
      'Deployments with this name that are not destroyed',
      Type.Array(
        Type.Object({
          id: deployment_id,
          app_id,
          app_name,
          subdomain: subdomain_of,
          container_image,
          status: deployment_status,
        }),
      ),
    ),
    payments: described('Apps with movements with this reference', Type.Array(Type.Object({ app_id, app_name }))),
  }),
})

const day = patterned_text('^\\d{4}-\\d{2}-\\d{2}$', 'day_text')
const unit = described('The period of a row: a day or a month, in UTC', one_of(['day', 'month']))

/** Days and months are those of UTC. */
export const series_query = Type.Object({
  unit: Type.Optional({ ...unit, default: 'day' }),
  from: Type.Optional(described('The first day, as in 2026-01-31', day)),
  to: Type.Optional(described('The first day after the range', day)),
})
export const series = Type.Object({
  unit,
  periods: described(
    'One row for each day or month, oldest first',
    Type.Array(
      Type.Object({
        starts_on: described('The first day of the row, in UTC', day),
        earned,
        spent: described('Points that were refunded, paid out or withdrawn', integer),
        transfers: described('The number of movements', integer),
        balance: described('The balance of the app at the end of the period', integer),
      }),
    ),
  ),
})
const series_description =
  'One row for each day or month in UTC, oldest first, including those without movements. `from` is the first day; `to` is ' +
  'exclusive. Without them, the last 30 days or 12 months. `spent` contains refunds, payouts and withdrawals; `balance` is the ' +
  'balance at the end of the period.'

export const getSeriesOfMyApp = endpoint('GET /api/oauth/my-apps/{id}/balance/series', {
  ...seen,
  summary: 'Points that an app of yours earned and refunded, and its balance, by day or month',
  description: series_description,
  query: series_query,
  response: series,
})

export const getAppSeries = endpoint('GET /api/app/balance/series', {
  tag: 'Payments',
  summary: 'Points that the app earned and refunded, and its balance, by day or month',
  description: series_description,
  auth: 'client',
  secret_permission: 'payments_read',
  origin: 'extension',
  decision: 'D-99',
  query: series_query,
  response: series,
})

export const listTransfersOfMyApp = endpoint('GET /api/oauth/my-apps/{id}/transfers', {
  ...seen,
  summary: 'Every movement of the points of an app of yours, and every transfer it made, newest first',
  description: listAppTransfers.description,
  query: Type.Object({ ...listAppTransfers.query.properties, username }),
  response: page_of(payment_fields.owner_transfer),
})

export const exportTransfersOfMyApp = endpoint('GET /api/oauth/my-apps/{id}/transfers.csv', {
  ...seen,
  summary: 'The same list as CSV (RFC 4180), newest first',
  description: exportAppTransfers.description,
  query: Type.Object({ ...exportAppTransfers.query.properties, username }),
  response: text,
  download: 'text/csv',
})

export const getTransferOfMyApp = endpoint('GET /api/oauth/my-apps/{id}/transfers/{transfer_id}', {
  ...of_owner,
  team_role: 'viewer',
  summary: 'One movement with its hold, refunds and webhook deliveries',
  description: '`refundable_amount` is the part of a spend that can still be refunded.',
  decision: 'D-99',
  params: transfer_param,
  response: Type.Object({
    transfer: described('The movement', payment_fields.owner_transfer),
    hold: payment_fields.nullable_hold,
    refunds: described('Its refunds, oldest first', Type.Array(payment_fields.app_transfer)),
    refunded_amount: payment_fields.refunded_amount,
    refundable_amount: described('The points that can still be refunded; 0 if it is not a spend', integer),
    deliveries: described(
      'The webhook deliveries about it',
      Type.Array(
        Type.Object({
          id: delivery_id,
          webhook_id,
          url: webhook_url,
          type: event_type,
          status: delivery_status,
          attempts,
          status_code: last_status_code,
          inserted_at,
        }),
      ),
    ),
  }),
  fails: ['not_found'],
})

export const refundOfMyApp = endpoint('POST /api/oauth/my-apps/{id}/refunds', {
  ...of_app,
  team_role: 'admin',
  summary: 'Refund points of a spend to the person',
  description: createRefund.description,
  decision: 'D-98',
  headers: idempotency_headers,
  body: createRefund.body,
  status: [201],
  response: createRefund.response,
  fails: createRefund.fails,
})

export const withdrawFromMyApp = endpoint('POST /api/oauth/my-apps/{id}/withdrawals', {
  ...of_app,
  team_role: 'owner',
  summary: 'Move points of an app of yours to your own account',
  description:
    'Paid from the balance of the app, less `held_earnings`. Takes the fields of a proof, unless the session has one. With an ' +
    '`Idempotency-Key` the call may be repeated safely: it is applied once.',
  decision: 'D-131',
  headers: idempotency_headers,
  proof: 'asked',
  body: Type.Object({ amount, ...identity_proof }),
  status: [201],
  response: payment_fields.withdrawal_result,
  fails: [
    'not_found',
    'insufficient_points',
    'earnings_held',
    'points_limit_reached',
    ...ledger_failures,
    ...proof_failures,
  ],
})

export const listHoldsOfMyApp = endpoint('GET /api/oauth/my-apps/{id}/holds', {
  ...seen,
  summary: 'The holds of an app of yours, newest first',
  description: listHolds.description,
  decision: 'D-97',
  query: Type.Object({ ...listHolds.query.properties, username }),
  response: page_of(payment_fields.owner_hold),
})

export const getHoldOfMyApp = endpoint('GET /api/oauth/my-apps/{id}/holds/{hold_id}', {
  ...of_owner,
  team_role: 'viewer',
  summary: 'One hold of an app of yours',
  description: 'With the name of the person.',
  decision: 'D-97',
  params: hold_param,
  response: Type.Object({ hold: described('The current hold', payment_fields.owner_hold) }),
  fails: ['not_found'],
})

export const voidHoldOfMyApp = endpoint('POST /api/oauth/my-apps/{id}/holds/{hold_id}/void', {
  ...of_owner,
  team_role: 'admin',
  summary: 'Release points that an app of yours holds',
  description: 'The same as the app’s call `/api/app/holds/{id}/void`.',
  decision: 'D-97',
  params: hold_param,
  headers: idempotency_headers,
  response: payment_fields.settled_hold,
  fails: ['not_found', 'hold_settled', ...ledger_failures],
  failure_fields: hold_settled_fields,
})

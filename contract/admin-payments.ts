import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { endpoint, of_admins } from './endpoint.ts'
import { app_id, app_name, id, movement_id, user_id } from './fields.ts'
import { admin_hold, admin_transfer, hold_status, refunded_amount } from './payment-fields.ts'
import { reference, span_filters, whole_points } from './point-fields.ts'
import { date_time, described, nullable_date_time, page_of, page_query, sorted_by, text, uuid } from './schema.ts'
import { webhook_url } from './webhook-fields.ts'

const ours = { ...of_admins, decision: 'D-81' } as const

/** A webhook as an admin sees it: its failures, without the content of its deliveries. */
export const failing_webhook = Type.Object({
  id,
  url: webhook_url,
  app_id,
  app_name,
  owner_id: described('The id of the owner of the app', uuid),
  owner_username: described('The name of the owner of the app', text),
  failing_since: described('The time since which no attempt has succeeded', date_time),
  disabled_at: described('When it was switched off because of failures; null while it is on', nullable_date_time),
})

export const adminGetTransfer = endpoint('GET /api/admin/transfers/{id}', {
  ...ours,
  admin_roles: ['finance'],
  summary: 'Any movement of points by its id, with its two accounts and its refunds',
  description: 'The private notes of the app (`metadata`) are not shown.',
  params: Type.Object({ id: movement_id }),
  response: Type.Object({
    transfer: described('The movement', admin_transfer),
    refunds: described('Its refunds, oldest first', Type.Array(admin_transfer)),
    refunded_amount,
  }),
  fails: ['not_found'],
})

export const transfer_orders = ['-inserted_at', 'inserted_at'] as const

export const adminListTransfers = endpoint('GET /api/admin/transfers', {
  ...ours,
  admin_roles: ['finance'],
  summary: 'Movements of points of all people and apps, newest first',
  description:
    'With an app and a person, movements between the two. `from` and `to` limit `inserted_at`. A search by amount, without a person, ' +
    `looks at the last ${decisions.admin_lists.amount_days} days unless \`from\` is given.`,
  query: page_query({
    app_id: Type.Optional(described('Only movements of the balance of this app', app_id)),
    user_id: Type.Optional(described('Only movements of the balance of this person', user_id)),
    amount_min: Type.Optional(described('The minimum number of points moved', whole_points)),
    amount_max: Type.Optional(described('The maximum number of points moved', whole_points)),
    ...span_filters,
    sort: sorted_by(transfer_orders),
  }),
  response: page_of(admin_transfer),
})

export const adminListHolds = endpoint('GET /api/admin/holds', {
  ...ours,
  admin_roles: ['finance'],
  summary: 'Holds of all apps, newest first',
  description: 'Includes settled ones. The app’s private `metadata` is not shown. `from` and `to` limit `inserted_at`.',
  query: page_query({
    status: Type.Optional(hold_status),
    app_id: Type.Optional(app_id),
    user_id: Type.Optional(user_id),
    reference: Type.Optional(reference),
    ...span_filters,
  }),
  response: page_of(admin_hold),
})

export const adminListWebhooks = endpoint('GET /api/admin/webhooks', {
  ...ours,
  admin_roles: ['finance', 'reviewer'],
  summary: 'Failing webhooks, and those switched off for failures, newest first',
  description: 'Plaza mails the owners when it switches a webhook off; they switch it on again themselves.',
  query: page_query({}),
  response: page_of(failing_webhook),
})

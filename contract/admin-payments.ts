import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { hold_fields } from './payments.ts'
import { reference, transfer_kinds } from './points.ts'
import {
  date_time,
  integer,
  nullable_date_time,
  nullable_text,
  nullable_uuid,
  one_of,
  page_of,
  page_query,
  text,
  uuid,
} from './schema.ts'
import { hold_statuses } from './states.ts'

const ours = { auth: 'admin', origin: 'extension', decision: 'D-81', tag: 'Administration' } as const

/** An account of the ledger: of a person, of an app, or one of the ledger's own. */
export const account = Type.Object({ id: uuid, kind: one_of(['user', 'app', 'system']), name: nullable_text })

export const admin_transfer = Type.Object({
  id: uuid,
  kind: one_of(transfer_kinds),
  amount: integer,
  from: account,
  to: account,
  app_id: nullable_uuid,
  app_name: nullable_text,
  description: nullable_text,
  reference: nullable_text,
  hold_id: nullable_uuid,
  refunded_transfer_id: nullable_uuid,
  inserted_at: date_time,
})

const { metadata: _, ...hold_without_metadata } = hold_fields
export const admin_hold = Type.Object({ ...hold_without_metadata, username: nullable_text, app_name: nullable_text })

export const adminGetTransfer = endpoint({
  ...ours,
  method: 'GET',
  path: '/api/admin/transfers/{id}',
  summary: 'Any movement of points by its id, with its two accounts and its refunds',
  description: 'What the app wrote with it for itself alone (`metadata`) is not shown.',
  params: Type.Object({ id: uuid }),
  response: Type.Object({ transfer: admin_transfer, refunds: Type.Array(admin_transfer), refunded_amount: integer }),
  fails: ['not_found'],
})

export const adminListHolds = endpoint({
  ...ours,
  method: 'GET',
  path: '/api/admin/holds',
  summary: 'Holds of all apps, newest first',
  query: page_query({
    status: Type.Optional(one_of(hold_statuses)),
    app_id: Type.Optional(uuid),
    user_id: Type.Optional(uuid),
    reference: Type.Optional(reference),
  }),
  response: page_of(admin_hold),
})

export const adminListWebhooks = endpoint({
  ...ours,
  method: 'GET',
  path: '/api/admin/webhooks',
  summary: 'Webhooks that fail, and those that were switched off for it, newest first',
  query: page_query({}),
  response: page_of(
    Type.Object({
      id: uuid,
      url: text,
      app_id: uuid,
      app_name: text,
      owner_id: uuid,
      owner_username: text,
      failing_since: date_time,
      disabled_at: nullable_date_time,
    }),
  ),
})

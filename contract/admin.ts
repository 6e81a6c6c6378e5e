import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { app_fields, app_review, app_statuses } from './oauth-apps.ts'
import { amount, description, idempotency_headers } from './points.ts'
import {
  boolean,
  bounded_text,
  date_time,
  decided,
  email,
  integer,
  nullable_date_time,
  nullable_text,
  nullable_uuid,
  one_of,
  page_of,
  page_query,
  partial,
  text,
  uuid,
} from './schema.ts'

const ours = { auth: 'admin', origin: 'extension', decision: 'D-81' } as const
const id_param = Type.Object({ id: uuid })
const reason = Type.Object({ reason: Type.Optional(bounded_text(0, 1000)) })

export const scope_request_statuses = ['pending', 'approved', 'denied'] as const

export const admin_app = Type.Object({
  ...app_fields,
  status: one_of(app_statuses),
  owner_id: uuid,
  owner_username: text,
  decision_reason: nullable_text,
  review: app_review,
})

export const adminListApps = endpoint({
  ...ours,
  method: 'GET',
  path: '/api/admin/apps',
  tag: 'Administration',
  summary: 'Apps, newest first',
  query: page_query({ status: Type.Optional(one_of(app_statuses)) }),
  response: page_of(admin_app),
})

export const approveApp = endpoint({
  ...ours,
  method: 'POST',
  path: '/api/admin/apps/{id}/approve',
  tag: 'Administration',
  summary: 'Approve an app, and list it in the directory or not',
  params: id_param,
  body: partial({ listed: boolean }),
  response: admin_app,
  fails: ['not_found'],
})

export const rejectApp = endpoint({
  ...ours,
  method: 'POST',
  path: '/api/admin/apps/{id}/reject',
  tag: 'Administration',
  summary: 'Reject an app, or withdraw its approval: all its codes, tokens and sessions stop at once',
  params: id_param,
  body: reason,
  response: admin_app,
  fails: ['not_found'],
})

export const admin_scope_request = Type.Object({
  id: uuid,
  app_id: uuid,
  app_name: text,
  status: one_of(scope_request_statuses),
  requested_scopes: Type.Array(text),
  decision_reason: nullable_text,
  inserted_at: date_time,
  decided_at: nullable_date_time,
})

export const adminListScopeRequests = endpoint({
  ...ours,
  method: 'GET',
  path: '/api/admin/scope-requests',
  tag: 'Administration',
  summary: 'Scope requests, newest first',
  query: page_query({ status: Type.Optional(one_of(scope_request_statuses)) }),
  response: page_of(admin_scope_request),
})

export const approveScopeRequest = endpoint({
  ...ours,
  method: 'POST',
  path: '/api/admin/scope-requests/{id}/approve',
  tag: 'Administration',
  summary: 'Grant a scope request: its scopes join the app’s allowed_scopes',
  params: id_param,
  response: admin_scope_request,
  fails: ['not_found', 'already_decided'],
})

export const denyScopeRequest = endpoint({
  ...ours,
  method: 'POST',
  path: '/api/admin/scope-requests/{id}/deny',
  tag: 'Administration',
  summary: 'Deny a scope request',
  params: id_param,
  body: reason,
  response: admin_scope_request,
  fails: ['not_found', 'already_decided'],
})

export const admin_user = Type.Object({
  id: uuid,
  email,
  username: text,
  tier: text,
  signup_multiplier: integer,
  is_admin: boolean,
  email_verified: boolean,
  totp_enabled: boolean,
  suspended: boolean,
  points: integer,
  registration_number: integer,
  inserted_at: date_time,
})

export const adminListUsers = endpoint({
  ...ours,
  method: 'GET',
  path: '/api/admin/users',
  tag: 'Administration',
  summary: 'Users, newest first; `q` is the beginning of a username or e-mail address, or an id',
  query: page_query({ q: Type.Optional(bounded_text(1, 254)) }),
  response: page_of(admin_user),
})

export const updateUser = endpoint({
  ...ours,
  method: 'PUT',
  path: '/api/admin/users/{id}',
  tag: 'Administration',
  summary: 'Set a user’s tier, multiplier, admin right or suspension',
  params: id_param,
  body: partial({
    tier: bounded_text(1, 50),
    signup_multiplier: Type.Integer({ minimum: 1, maximum: 1000 }),
    is_admin: boolean,
    suspended: boolean,
  }),
  response: admin_user,
  fails: ['not_found', 'last_admin'],
})

export const awardPoints = endpoint({
  ...ours,
  method: 'POST',
  path: '/api/admin/points/award',
  decision: 'D-47',
  tag: 'Administration',
  summary: 'Award points to a user, on behalf of an app or of the platform',
  description: 'With an `Idempotency-Key` the call may be repeated safely: it is applied once.',
  headers: idempotency_headers,
  body: Type.Object({
    user_id: uuid,
    amount,
    description: Type.Optional(description),
    app_id: Type.Optional(uuid),
  }),
  response: Type.Object({ transfer_id: uuid, points: integer }),
  fails: [
    'user_not_found',
    'not_found',
    'points_limit_reached',
    'idempotency_key_reused',
    'outcome_unknown',
    'outcome_unknown_keyed',
  ],
})

export const adminGetMessage = endpoint({
  ...ours,
  method: 'GET',
  path: '/api/admin/messages/{id}',
  tag: 'Administration',
  summary: 'A chat message as it was really typed; that you looked at it is noted in the audit log',
  params: id_param,
  response: Type.Object({
    id: uuid,
    channel_id: uuid,
    sender_id: uuid,
    sender_username: nullable_text,
    body: decided('D-74', text),
    filtered_body: text,
    sent_at: date_time,
  }),
  fails: ['not_found'],
})

export const checkLedger = endpoint({
  ...ours,
  method: 'GET',
  path: '/api/admin/ledger/check',
  tag: 'Administration',
  summary: 'Check the ledger: debits equal credits, and every balance equals its transfers',
  description: 'Reads every transfer in one snapshot. Sums are decimal text: they may exceed what a JSON number holds.',
  response: Type.Object({
    balanced: boolean,
    accounts: integer,
    transfers: integer,
    total_debited: text,
    total_credited: text,
    total_transferred: text,
    faults: Type.Array(Type.Object({ account_id: nullable_uuid, fault: text })),
  }),
})

export const listAudit = endpoint({
  ...ours,
  method: 'GET',
  path: '/api/admin/audit',
  tag: 'Administration',
  summary:
    'Who changed what, newest first; `target_name` is what the target is called now, if it is there and has a name',
  query: page_query({
    action: Type.Optional(bounded_text(1, 100)),
    actor_id: Type.Optional(uuid),
    target_id: Type.Optional(uuid),
  }),
  response: page_of(
    Type.Object({
      id: uuid,
      actor_id: nullable_uuid,
      actor_username: nullable_text,
      action: text,
      target_id: nullable_uuid,
      target_name: nullable_text,
      details: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
      inserted_at: date_time,
    }),
  ),
})

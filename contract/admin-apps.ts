import { Type } from 'typebox'
import * as app_fields from './app-fields.ts'
import { endpoint, of_admins } from './endpoint.ts'
import { app_id, scope_request_id } from './fields.ts'
import { required_reason } from './moderation-fields.ts'
import { waiting_review } from './review-fields.ts'
import {
  boolean,
  bounded_text,
  decided,
  described,
  integer,
  moment,
  page_of,
  page_query,
  partial,
  uuid,
  read_text,
  sorted_by,
} from './schema.ts'

const ours = { ...of_admins, decision: 'D-81' } as const
const of_reviewers = { ...ours, admin_roles: ['reviewer'] } as const
const one_app = { params: Type.Object({ id: app_id }), fails: ['not_found'] } as const
const decided_request = {
  ...of_reviewers,
  params: Type.Object({ id: scope_request_id }),
  fails: ['not_found', 'already_decided'],
} as const
const reason = Type.Object({
  reason: Type.Optional(described('The reason, shown to the owner of the app', read_text(0, 1000))),
})

const app_with_points = Type.Object({
  ...app_fields.admin_app.properties,
  points: described('Its points', integer),
})

export const app_orders = ['-inserted_at', 'inserted_at', 'app_name', '-app_name', 'points', '-points'] as const
export type AppOrder = (typeof app_orders)[number]

export const adminListApps = endpoint('GET /api/admin/apps', {
  ...ours,
  admin_roles: ['reviewer', 'finance', 'hosting', 'support'],
  summary: 'Apps, newest first',
  description: 'Of all owners. `status=pending` is the review queue.',
  query: page_query({
    status: Type.Optional(app_fields.app_status),
    owner_id: Type.Optional(described('Only apps of this person', uuid)),
    q: Type.Optional(described('The prefix of the name, ignoring case, or an id', bounded_text(1, 100))),
    changed: Type.Optional(
      decided(
        'D-110',
        described('Only apps whose name, logo, website or redirect URIs changed since approval', boolean),
      ),
    ),
    sort: sorted_by(app_orders),
  }),
  response: page_of(app_with_points),
})

export const adminGetApp = endpoint('GET /api/admin/apps/{id}', {
  ...ours,
  ...one_app,
  admin_roles: ['reviewer', 'finance', 'hosting', 'support'],
  summary: 'An app with the number of its people and the last use of its secrets',
  description: 'The secrets themselves are not stored.',
  response: Type.Object({
    app: described('The app', app_with_points),
    total_users: app_fields.total_users,
    secrets: described('Its client secrets, newest first', Type.Array(app_fields.secret)),
  }),
})

export const approveApp = endpoint('POST /api/admin/apps/{id}/approve', {
  ...of_reviewers,
  ...one_app,
  summary: 'Approve an app, and list it in the directory or not',
  description: 'People can authorize it from now on. Approving again changes the listing only.',
  body: partial({ listed: described('Whether the public directory lists it; unchanged if absent', app_fields.listed) }),
  response: app_fields.admin_app,
})

export const rejectApp = endpoint('POST /api/admin/apps/{id}/reject', {
  ...of_reviewers,
  ...one_app,
  summary: 'Reject an app, or withdraw its approval: all its codes, tokens and sessions stop working immediately',
  description: 'Its open holds are released. Its owner can resubmit it.',
  body: reason,
  response: app_fields.admin_app,
})

export const setPayoutLimit = endpoint('PUT /api/admin/apps/{id}/payout-limit', {
  ...ours,
  ...one_app,
  admin_roles: ['finance'],
  decision: 'D-132',
  summary: 'Set how many points an app may pay out in 24 hours',
  description:
    'Applies from the next payout on, instead of `PAYOUT_DAILY_LIMIT`. Withdrawals of the owner do not count. A limit above ' +
    '`REVIEW_AMOUNT` waits for a second person.',
  body: Type.Object({
    payout_limit: app_fields.payout_limit,
    reason: Type.Optional(described('The reason, for the audit log', read_text(0, 1000))),
  }),
  response: app_fields.admin_app,
  accepted: waiting_review,
})

export const markAppSeen = endpoint('POST /api/admin/apps/{id}/seen', {
  ...of_reviewers,
  ...one_app,
  decision: 'D-110',
  summary: 'Mark the changes of an app since its approval as seen: its current state counts as approved',
  description: 'Refused if its owner has changed it again in the meantime. To withdraw the approval, reject the app.',
  body: Type.Object({
    updated_at: described('The `updated_at` of the app as you saw it', moment),
    reason: required_reason,
  }),
  response: app_fields.admin_app,
  fails: ['not_found', 'app_not_changed', 'app_changed_again'],
})

export const adminListScopeRequests = endpoint('GET /api/admin/scope-requests', {
  ...of_reviewers,
  summary: 'Scope requests, newest first',
  description: 'Of all apps. `status=pending` is the queue of open requests.',
  query: page_query({ status: Type.Optional(app_fields.scope_request_status) }),
  response: page_of(app_fields.admin_scope_request),
})

export const approveScopeRequest = endpoint('POST /api/admin/scope-requests/{id}/approve', {
  ...decided_request,
  summary: 'Grant a scope request: its scopes are added to the app’s allowed_scopes',
  description: 'People must consent to them at the next authorization. A request is decided once.',
  response: app_fields.admin_scope_request,
})

export const denyScopeRequest = endpoint('POST /api/admin/scope-requests/{id}/deny', {
  ...decided_request,
  summary: 'Deny a scope request',
  description: 'The app keeps its scopes. A request is decided once.',
  body: reason,
  response: app_fields.admin_scope_request,
})

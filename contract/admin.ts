import { Type } from 'typebox'
import {
  admin_role_list,
  email_verified,
  is_admin,
  registration_number,
  signup_multiplier,
  totp_enabled,
} from './account-fields.ts'
import * as app_fields from './app-fields.ts'
import { endpoint, of_admins } from './endpoint.ts'
import { admin_roles } from './kinds/admin-roles.ts'
import {
  app_id,
  channel_id,
  email,
  id,
  look,
  nullable_username,
  scope_request_id,
  user_id,
  username,
} from './fields.ts'
import { required_reason } from './moderation-fields.ts'
import { identity_proof, proof_failures } from './passkey-fields.ts'
import {
  amount,
  available_points,
  description,
  idempotency_headers,
  span_filters,
  transfer_id,
} from './point-fields.ts'
import { waiting_review } from './review-fields.ts'
import {
  boolean,
  bounded_text,
  date_time,
  decided,
  described,
  integer,
  moment,
  nullable_date_time,
  nullable_integer,
  nullable_text,
  nullable_uuid,
  one_of,
  page_of,
  page_query,
  partial,
  text,
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

const waiting = (what: string) => described(`The number of ${what}; counted up to 100`, integer)

export const countPending = endpoint('GET /api/admin/pending', {
  ...ours,
  admin_roles: admin_roles,
  decision: 'D-110',
  summary: 'The numbers of pending decisions',
  description: 'For badges: each is counted only up to 100. The lists contain everything.',
  response: Type.Object({
    apps: waiting('apps are pending'),
    changed_apps: waiting('apps changed since their approval'),
    scope_requests: waiting('scope requests are pending'),
    cases: waiting('cases of reports are open'),
    reviews: decided('D-136', waiting('awards and payout limits wait for a second person')),
  }),
})

const figure = (what: string) => described(what, integer)
const counted_figure = (what: string) => described(`${what}; null for a day that was not counted`, nullable_integer)

export const getFigures = endpoint('GET /api/admin/figures', {
  ...ours,
  admin_roles: admin_roles,
  summary: 'People, points and open work of the installation, by day of UTC',
  description:
    'The last 30 days, today included. Spent points are counted within minutes; active people, failed jobs and open decisions every ' +
    'ten minutes.',
  response: Type.Object({
    registrations: figure('How many people ever registered'),
    in_circulation: figure('The points that people and apps have now'),
    days: described(
      'The days, oldest first',
      Type.Array(
        Type.Object({
          day: described('The day, such as `2026-11-27`', text),
          signups: figure('How many people registered'),
          active_people: counted_figure('How many people signed in, went on using the console or used an app'),
          issued: figure('The points that were awarded and rewarded'),
          spent: figure('The points that people spent in apps'),
          in_circulation: figure('The points that people and apps had at its end'),
          failed_jobs: counted_figure('The jobs that had failed for good, at its end'),
          open_decisions: counted_figure(
            'The apps, changes, scope requests and reports that waited for an admin, at its end',
          ),
        }),
      ),
    ),
  }),
})

const suspended = described('Whether the account is suspended and so cannot do anything', boolean)
export const admin_user = Type.Object({
  id,
  email,
  username,
  ...look,
  tier: described('The rank of the person', text),
  signup_multiplier,
  is_admin,
  admin_roles: admin_role_list,
  email_verified,
  totp_enabled,
  suspended,
  points: described('The spendable points: the balance minus the held points', integer),
  registration_number,
  inserted_at: described('When the account was created', date_time),
})

export const user_states = ['admin', 'muted', 'suspended', 'unverified'] as const
export type UserState = (typeof user_states)[number]

export const user_orders = ['-inserted_at', 'inserted_at', 'username', '-username', 'points', '-points'] as const
export type UserOrder = (typeof user_orders)[number]

export const adminListUsers = endpoint('GET /api/admin/users', {
  ...ours,
  admin_roles: ['support', 'moderator', 'finance'],
  summary: 'Users, newest first; `q` is the prefix of a username or e-mail address, or an id',
  description: 'Includes suspended ones.',
  query: page_query({
    state: Type.Optional(described('Only people in this state', one_of(user_states))),
    role: Type.Optional(decided('D-135', described('Only admins with this role', one_of(admin_roles)))),
    q: Type.Optional(described('The prefix of a username or address, ignoring case, or an id', bounded_text(1, 254))),
    sort: sorted_by(user_orders),
  }),
  response: page_of(admin_user),
})

export const updateUser = endpoint('PUT /api/admin/users/{id}', {
  ...ours,
  admin_roles: ['administrator'],
  summary: 'Set a user’s tier, multiplier, admin right or suspension',
  description:
    'Absent fields stay unchanged. A suspension ends all sessions and tokens of the user at once, and withdraws the apps that the ' +
    'user owns. The user gets a mail when a suspension begins and when it ends, with the reason if there is one. `is_admin` needs a ' +
    'proof or a sign-in of the last minutes.',
  proof: { recent_with: 'is_admin' },
  params: Type.Object({ id: user_id }),
  body: partial({
    tier: described('One of the ranks of this installation', bounded_text(1, 50)),
    signup_multiplier: described('The factor for referral points', Type.Integer({ minimum: 1, maximum: 1000 })),
    is_admin,
    suspended,
    reason: decided('D-110', required_reason),
  }),
  response: admin_user,
  fails: ['not_found', 'own_roles', 'last_administrator', 'proof_required'],
})

export const setAdminRoles = endpoint('PUT /api/admin/users/{id}/roles', {
  ...ours,
  decision: 'D-135',
  admin_roles: ['administrator'],
  summary: 'Give a person exactly these admin roles; none removes all rights',
  description:
    'Takes effect at the next call, also for open streams. Needs a proof or a sign-in of the last minutes. Nobody can change their ' +
    'own roles, and the last administrator cannot lose that role.',
  proof: 'recent',
  params: Type.Object({ id: user_id }),
  body: Type.Object({
    roles: described('The roles', Type.Array(one_of(admin_roles), { uniqueItems: true, maxItems: admin_roles.length })),
    reason: required_reason,
    ...identity_proof,
  }),
  response: admin_user,
  fails: ['not_found', 'own_roles', 'last_administrator', 'proof_required', ...proof_failures],
})

export const awardPoints = endpoint('POST /api/admin/points/award', {
  ...ours,
  admin_roles: ['finance'],
  decision: 'D-47',
  summary: 'Award points to a user, on behalf of an app or of the platform',
  description:
    'With an `Idempotency-Key` the call may be repeated safely: it is applied once. Above `REVIEW_AMOUNT` it waits for a second person.',
  headers: idempotency_headers,
  body: Type.Object({
    user_id,
    amount,
    description: Type.Optional(description),
    app_id: Type.Optional(described('The app on whose behalf the points are awarded; by default the platform', app_id)),
    reason: Type.Optional(decided('D-110', required_reason)),
  }),
  response: Type.Object({ transfer_id, points: available_points }),
  accepted: waiting_review,
  fails: [
    'user_not_found',
    'not_found',
    'points_limit_reached',
    'idempotency_key_reused',
    'outcome_unknown',
    'outcome_unknown_keyed',
  ],
})

export const raw_message = Type.Object({
  id,
  channel_id,
  sender_id: described('The id of the sender', uuid),
  sender_username: nullable_username,
  body: described('The original text', decided('D-74', text)),
  filtered_body: described('The text that everybody else reads, with words masked', text),
  sent_at: described('When it was posted', date_time),
  removed_at: decided('D-109', described('When its text was removed; null if never', nullable_date_time)),
})

export const adminGetMessage = endpoint('GET /api/admin/messages/{id}', {
  ...ours,
  admin_roles: ['moderator'],
  summary: 'The unmasked text of a chat message; the audit log records your access',
  description:
    'For moderation: only this call returns `body`. It is kept for a while after a message is removed; afterwards it is the text ' +
    'that others read.',
  params: Type.Object({ id: described('The id of the message', uuid) }),
  response: raw_message,
  fails: ['not_found'],
})

const sum = (of: string) => described(`The sum of ${of}, as decimal text`, text)
export const ledger_check = Type.Object({
  balanced: described('Whether the three sums are equal and there is no fault', boolean),
  accounts: described('The number of accounts', integer),
  transfers: described('The number of movements', integer),
  total_debited: sum('what accounts gave'),
  total_credited: sum('what accounts got'),
  total_transferred: sum('all movements'),
  faults: described(
    'The faults found, at most 100',
    Type.Array(
      Type.Object({
        account_id: described('The account; null if the fault concerns no single one', nullable_uuid),
        fault: described('The fault', text),
      }),
    ),
  ),
})

export const checkLedger = endpoint('GET /api/admin/ledger/check', {
  ...ours,
  admin_roles: ['finance'],
  summary: 'Check the ledger: debits equal credits, and every balance equals its transfers',
  description:
    'Reads every transfer in one snapshot. Sums are decimal text, because they may exceed the range of JSON numbers.',
  response: ledger_check,
})

export const audit_entry = Type.Object({
  id,
  actor_id: described('The id of the admin; null for a command on the machine', nullable_uuid),
  actor_username: described('The name of the admin; null for a command, or if the account is gone', nullable_text),
  action: described('The action, such as `app.approve`', text),
  target_id: described('The id of its target; null if there is none', nullable_uuid),
  target_name: described('Its current name; null if it no longer exists or has no name', nullable_text),
  details: described(
    'The fields of the call and its circumstances; they depend on `action`',
    Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  ),
  inserted_at: described('The time of the action', date_time),
})

const audit_filters = {
  action: Type.Optional(described('The action, such as `app.approve`', bounded_text(1, 100))),
  actor_id: Type.Optional(described('The id of the admin who did it', uuid)),
  target_id: Type.Optional(described('The id of its target', uuid)),
  actor: Type.Optional(
    decided('D-110', described('The full name of the admin who did it, ignoring case', bounded_text(1, 100))),
  ),
  target: Type.Optional(
    decided(
      'D-110',
      described(
        'The full name of the target (person, app, campaign, tier or deployment), ignoring case',
        bounded_text(1, 100),
      ),
    ),
  ),
  ...span_filters,
}

export const listAudit = endpoint('GET /api/admin/audit', {
  ...ours,
  admin_roles: ['administrator'],
  summary: 'The audit log, newest first; `target_name` is the current name of the target, if it exists and has one',
  query: page_query(audit_filters),
  description: 'Entries are never changed or deleted.',
  response: page_of(audit_entry),
})

export const exportAudit = endpoint('GET /api/admin/audit.csv', {
  ...ours,
  admin_roles: ['administrator'],
  decision: 'D-110',
  summary: 'The audit log as a CSV file, newest first, of any length',
  description:
    'With the filters of the list. `details` is JSON. A cell that a spreadsheet would take for a formula begins with an apostrophe.',
  query: Type.Object(audit_filters),
  response: text,
  download: 'text/csv',
})

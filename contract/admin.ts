import { Type } from 'typebox'
import {
  admin_role_list,
  email_verified,
  is_admin,
  registration_number,
  signup_multiplier,
  totp_enabled,
} from './account-fields.ts'
import { endpoint, of_admins } from './endpoint.ts'
import { admin_roles } from './kinds/admin-roles.ts'
import { app_id, channel_id, email, id, look, nullable_username, user_id, username } from './fields.ts'
import { required_reason } from './moderation-fields.ts'
import { identity_proof, proof_failures } from './passkey-fields.ts'
import { amount, available_points, description, idempotency_headers, transfer_id } from './point-fields.ts'
import { waiting_review } from './review-fields.ts'
import {
  boolean,
  bounded_text,
  date_time,
  decided,
  described,
  integer,
  nullable_date_time,
  nullable_integer,
  nullable_uuid,
  one_of,
  page_of,
  page_query,
  partial,
  text,
  uuid,
  sorted_by,
} from './schema.ts'

const ours = { ...of_admins, decision: 'D-81' } as const
const waiting = (what: string) => described(`The number of ${what}; counted up to 100`, integer)

export const countPending = endpoint('GET /api/admin/pending', {
  ...ours,
  admin_roles: admin_roles,
  decision: 'D-110',
  summary: 'The numbers of pending decisions',
  description: 'For badges: each is counted only up to 100. The lists contain everything.',
  response: Type.Object({
    apps: waiting('pending apps'),
    changed_apps: waiting('apps changed since their approval'),
    scope_requests: waiting('pending scope requests'),
    cases: waiting('open cases of reports'),
    reviews: decided(
      'D-136',
      waiting('awards and payout limits that others asked for and that wait for a second person'),
    ),
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

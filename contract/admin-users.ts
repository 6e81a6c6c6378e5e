import { Type } from 'typebox'
import { done, login_session, mailed_code } from './account-fields.ts'
import { admin_user } from './admin.ts'
import { decisions } from './decisions.ts'
import { endpoint, of_admins } from './endpoint.ts'
import { user_id } from './fields.ts'
import { required_reason } from './moderation-fields.ts'
import { connected_app } from './oauth-fields.ts'
import { direction, from, history_entry, held_points, reference, to, transfer_kind } from './point-fields.ts'
import { boolean, described, integer, nullable_date_time, one_of, page_of, page_query, uuid } from './schema.ts'

const ours = { ...of_admins, decision: 'D-110' } as const
const one = { ...ours, params: Type.Object({ id: user_id }), fails: ['not_found'] } as const
const support = { ...one, admin_roles: ['support'] } as const
const because = Type.Object({ reason: required_reason })
const { digits } = decisions.admin_support

export const proof_states = ['none', 'mailed', 'confirmed'] as const
const second_factor_proof = described(
  'Whether the person has proved the address, so that a lost second factor can be removed',
  Type.Object({
    state: described('`mailed` until the code is entered or the link opened', one_of(proof_states)),
    expires_at: described('When the proof expires; null if there is none', nullable_date_time),
  }),
)

export const admin_person = Type.Object({
  ...admin_user.properties,
  held: held_points,
  total_earned: described('All points ever received', integer),
  total_spent: described('All points ever spent', integer),
  owned_apps: described('The number of apps that the person has registered', integer),
  connected_apps: described('The number of connected apps', integer),
  deployments: described('The number of the person’s deployments that are not destroyed', integer),
  muted_until: described('The end of the person’s mute in chat; null if not muted', nullable_date_time),
  open_cases: described('The number of open reports about the person', integer),
  has_second_factor: described(
    'Whether signing in with the password needs a second factor: an authenticator app or a passkey',
    boolean,
  ),
  second_factor_proof,
})

export const adminGetUser = endpoint('GET /api/admin/users/{id}', {
  ...one,
  admin_roles: ['support', 'moderator', 'finance'],
  summary: 'A person’s account with related counts',
  description: 'To find apps, holds, deployments, reports and audit entries, filter the list of each by the person.',
  response: admin_person,
})

const { current: _, ...session_fields } = login_session.properties
export const admin_session = Type.Object(session_fields)

export const adminListSessions = endpoint('GET /api/admin/users/{id}/sessions', {
  ...support,
  summary: 'The login sessions of a person, newest first',
  description: 'Sessions of the console; those of apps end with their connection.',
  response: Type.Object({ sessions: described('The active sessions', Type.Array(admin_session)) }),
})

export const adminEndSessions = endpoint('POST /api/admin/users/{id}/sessions/end', {
  ...support,
  summary: 'Sign a person out, everywhere or from one session',
  description: 'Takes effect immediately, in every process. The person can sign in again.',
  body: Type.Object({
    session_id: Type.Optional(described('The session to end; without it, all', uuid)),
    reason: required_reason,
  }),
  response: Type.Object({ ended: described('The number of ended sessions', integer) }),
})

export const adminListConnections = endpoint('GET /api/admin/users/{id}/connections', {
  ...support,
  summary: 'The apps that a person has connected, newest connection first',
  description: 'Only those that are currently connected.',
  response: Type.Object({ connections: described('The connected apps', Type.Array(connected_app)) }),
})

export const adminListMovements = endpoint('GET /api/admin/users/{id}/movements', {
  ...one,
  admin_roles: ['support', 'finance'],
  summary: 'The movements of a person’s points, newest first',
  description: 'As the person sees them, with the same filters.',
  query: page_query({
    kind: Type.Optional(transfer_kind),
    direction: Type.Optional(direction),
    reference: Type.Optional(reference),
    from: Type.Optional(from),
    to: Type.Optional(to),
  }),
  response: page_of(history_entry),
})

export const adminSendVerification = endpoint('POST /api/admin/users/{id}/verification', {
  ...support,
  summary: 'Mail a person the code that verifies the address again',
  description: 'This voids an earlier code.',
  body: because,
  response: Type.Object({ message: done }),
  fails: ['not_found', 'already_verified'],
})

export const startSecondFactorProof = endpoint('POST /api/admin/users/{id}/second-factor/proof', {
  ...support,
  summary: 'Mail a person who lost the second factor a code that proves the address',
  description: 'The person reads you the code, or opens the link in the mail. Earlier codes become invalid.',
  body: because,
  response: Type.Object({ message: done }),
  fails: ['not_found', 'totp_not_enabled'],
})

export const confirmSecondFactorProof = endpoint('POST /api/admin/users/{id}/second-factor/confirm', {
  ...support,
  summary: 'Enter the code that the person read out',
  description: `${digits} digits; after a few wrong attempts, another code must be mailed.`,
  body: Type.Object({ code: described('The code in the mail', mailed_code), reason: required_reason }),
  response: Type.Object({ message: done }),
  fails: ['not_found', 'invalid_code'],
})

export const removeSecondFactor = endpoint('POST /api/admin/users/{id}/second-factor/remove', {
  ...support,
  summary: 'Remove the second factor of a person who proved the address',
  description:
    'Also removes the recovery codes and ends all sessions. The person is notified by mail, and signs in with the password alone.',
  body: because,
  response: Type.Object({ message: done }),
  fails: ['not_found', 'totp_not_enabled', 'address_not_proved'],
})

export const confirmAddress = endpoint('POST /api/auth/second-factor/proof', {
  tag: 'Accounts',
  auth: 'none',
  origin: 'extension',
  decision: 'D-110',
  summary: 'Prove with the link of a mail that the address is yours, so that an admin can remove a lost second factor',
  description: 'Can be repeated while the proof is valid. Does not remove the second factor.',
  body: Type.Object({ code: described('The code in the mail’s link', mailed_code) }),
  response: Type.Object({ message: done }),
  fails: ['invalid_code'],
  limit: { requests: 30, seconds: 600 },
})

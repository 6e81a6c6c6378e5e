import { Type } from 'typebox'
import { message_response } from './accounts.ts'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import * as fields from './fields.ts'
import { identity_proof, proof_failures } from './passkey-fields.ts'
import { described, email, nullable_date_time, page_of, page_query, partial, uuid } from './schema.ts'
import * as team_fields from './team-fields.ts'

const { invitation_days, invitations_per_day, members_max, teams_max } = decisions.teams

const of_person = { auth: 'user', origin: 'extension', decision: 'D-134', tag: 'Teams' } as const
const one = { ...of_person, params: Type.Object({ id: team_fields.team_id }) } as const
const seen = { ...one, team_role: 'viewer' } as const
const administered = { ...one, team_role: 'admin' } as const
const member_param = Type.Object({ id: team_fields.team_id, user_id: fields.user_id })
const answers = { ...of_person, limit: { requests: 60, seconds: 3600 } } as const
const code_param = Type.Object({ code: team_fields.invitation_code })
const changed_team = Type.Object({ team: described('The team, as you see it', team_fields.team) })
const needs_proof = ['proof_required', ...proof_failures] as const

export const createTeam = endpoint('POST /api/teams', {
  ...of_person,
  summary: 'Create a team with you as the owner',
  description: `Needs a verified address. A person can be in at most ${teams_max} teams.`,
  limit: { requests: 10, seconds: 3600 },
  body: Type.Object({ name: team_fields.team_name }),
  status: [201],
  response: changed_team,
  fails: ['email_not_verified', 'too_many_teams'],
})

export const listTeams = endpoint('GET /api/teams', {
  ...of_person,
  summary: 'The teams that you are in, with your role',
  description: 'All of them, by name.',
  response: Type.Object({ teams: described('The teams', Type.Array(team_fields.team)) }),
})

export const getTeam = endpoint('GET /api/teams/{id}', {
  ...seen,
  summary: 'A team of yours and its members',
  description: 'Members in the order in which they joined.',
  response: Type.Object({
    team: described('The team', team_fields.team),
    members: described('All members', Type.Array(team_fields.member)),
  }),
})

export const updateTeam = endpoint('PATCH /api/teams/{id}', {
  ...administered,
  summary: 'Rename a team, or make it require a second factor',
  description:
    'To require a second factor you need one yourself. Members without one lose access until they set one up.',
  body: partial({ name: team_fields.team_name, require_second_factor: team_fields.require_second_factor }),
  response: changed_team,
})

export const deleteTeam = endpoint('DELETE /api/teams/{id}', {
  ...one,
  team_role: 'owner',
  summary: 'Delete a team that owns no app',
  description: 'This also deletes its members, invitations and log.',
  response: message_response,
  fails: ['team_has_apps'],
})

export const updateMember = endpoint('PATCH /api/teams/{id}/members/{user_id}', {
  ...of_person,
  team_role: 'admin',
  summary: 'Change the role of a member',
  description:
    'Only owners can change the role of owners and make others owners. Takes the fields of a proof, unless the session has one or ' +
    'began in the last minutes.',
  params: member_param,
  proof: 'recent',
  body: Type.Object({ role: team_fields.member_role, ...identity_proof }),
  response: Type.Object({ member: described('The changed member', team_fields.member) }),
  fails: ['last_owner', ...needs_proof],
})

export const removeMember = endpoint('DELETE /api/teams/{id}/members/{user_id}', {
  ...of_person,
  team_role: 'viewer',
  allows_one_factor: true,
  summary: 'Leave a team, or remove another member',
  description:
    'Removing another member needs the role `admin`, and removing an owner the role `owner`. The last owner cannot leave.',
  params: member_param,
  response: message_response,
  fails: ['last_owner'],
})

export const listInvitations = endpoint('GET /api/teams/{id}/invitations', {
  ...administered,
  summary: 'The open invitations of a team',
  description: 'Newest first, without expired ones.',
  response: Type.Object({ invitations: described('The invitations', Type.Array(team_fields.invitation)) }),
})

export const inviteMember = endpoint('POST /api/teams/{id}/invitations', {
  ...administered,
  summary: 'Invite somebody into a team by mail',
  description:
    `The invitation is valid for ${invitation_days} days, for the person with this verified address. Inviting an address again ` +
    'replaces its invitation. An invitation as `admin` or `owner` takes the fields of a proof, unless the session has one or began ' +
    `in the last minutes; only owners can invite owners. A team has at most ${members_max} members and open invitations.`,
  limit: { requests: invitations_per_day, seconds: 86_400 },
  proof: { recent_with: 'role', values: ['admin', 'owner'] },
  body: Type.Object({
    email: described('The address of the person', email),
    role: team_fields.member_role,
    ...identity_proof,
  }),
  status: [201],
  response: Type.Object({ invitation: described('The invitation', team_fields.invitation) }),
  fails: ['team_full', 'already_member', ...needs_proof],
})

export const withdrawInvitation = endpoint('DELETE /api/teams/{id}/invitations/{invitation_id}', {
  ...of_person,
  team_role: 'admin',
  summary: 'Withdraw an invitation',
  description: 'It can no longer be accepted.',
  params: Type.Object({ id: team_fields.team_id, invitation_id: described('The id of the invitation', uuid) }),
  response: message_response,
})

export const listTeamLog = endpoint('GET /api/teams/{id}/log', {
  ...seen,
  summary: 'Every change of a team, newest first',
  description: 'Changes of members, invitations, settings and apps. Entries are never changed.',
  query: page_query({}),
  response: page_of(team_fields.team_log_entry),
})

export const listOwnInvitations = endpoint('GET /api/invitations', {
  ...of_person,
  summary: 'The team invitations and app offers to you',
  description: 'Invitations to your address, once you have verified it.',
  response: Type.Object({
    invitations: described('Invitations that you can accept, newest first', Type.Array(team_fields.own_invitation)),
    apps: described('Apps that you can accept, newest first', Type.Array(team_fields.offered_app)),
  }),
})

export const acceptInvitation = endpoint('POST /api/invitations/{code}/accept', {
  ...answers,
  summary: 'Join a team that invites you',
  description:
    'Works once, for the person whose verified address was invited, while the member who invited still has a role that may invite. ' +
    'Otherwise the response is 404.',
  params: code_param,
  response: changed_team,
  fails: ['not_found', 'email_not_verified', 'team_full', 'too_many_teams', 'already_member'],
})

export const declineInvitation = endpoint('POST /api/invitations/{code}/decline', {
  ...answers,
  summary: 'Decline an invitation',
  description: 'It can no longer be accepted.',
  params: code_param,
  response: message_response,
  fails: ['not_found', 'email_not_verified'],
})

export const moveApp = endpoint('POST /api/oauth/my-apps/{id}/owner', {
  ...of_person,
  team_role: 'owner',
  summary: 'Move an app to a team, or offer it to a person',
  description:
    'A move to a team needs the role `admin` there and takes effect immediately. A person has to accept the offer within the days ' +
    'below; another call replaces the offer. Your own id as the target moves the app out of the team immediately. Takes the fields ' +
    'of a proof, unless the session has one or began in the last minutes. Secrets, tokens, points and deployments of the app do not ' +
    'change. The balance of the app pays its hosting if a team owns it; otherwise the owner pays.',
  limit: { requests: 30, seconds: 3600 },
  params: Type.Object({ id: fields.app_id }),
  proof: 'recent',
  body: Type.Object({
    team_id: Type.Optional(described('The team to move the app to', team_fields.team_id)),
    user_id: Type.Optional(described('The person to offer the app to; instead of `team_id`', fields.user_id)),
    ...identity_proof,
  }),
  response: Type.Object({
    team_id: described(
      'The team that owns the app now; null if a person does',
      Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid' }),
    ),
    offer_expires_at: described('When the offer expires; null if the app has moved', nullable_date_time),
  }),
  fails: ['user_not_found', ...needs_proof],
})

export const acceptApp = endpoint('POST /api/oauth/my-apps/{id}/owner/accept', {
  ...answers,
  summary: 'Accept an app that is offered to you',
  description:
    'You own it from then on. 404 if the offer to you has ended, or if the person who made it no longer owns the app.',
  params: Type.Object({ id: fields.app_id }),
  response: message_response,
  fails: ['not_found', 'email_not_verified'],
})

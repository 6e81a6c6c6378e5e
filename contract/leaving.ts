import { Type } from 'typebox'
import { message_response } from './accounts.ts'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import * as fields from './fields.ts'
import { identity_proof, proof_failures } from './passkey-fields.ts'
import { team_id, team_name } from './team-fields.ts'
import { boolean, date_time, decided, described, integer, text } from './schema.ts'

const of_leaver = { tag: 'Accounts', auth: 'user', origin: 'extension', decision: 'D-106' } as const

const { export_limit, name_reserved_days } = decisions.leaving

const lost_app = Type.Object({
  id: fields.app_id,
  app_name: fields.app_name,
  people: described('The number of other connected people', integer),
  points: described('Its earned points that were not refunded', integer),
})

const lost_deployment = Type.Object({
  id: fields.deployment_id,
  app_id: fields.app_id,
  subdomain: described('Its public name', text),
})

export const getLeaving = endpoint('GET /api/auth/account/leaving', {
  ...of_leaver,
  summary: 'Preview what you lose by deleting your account',
  description: 'For a page that asks before it deletes the account. Changes nothing.',
  response: Type.Object({
    points: described('The balance of the account, held points included', integer),
    held: described('The points that apps hold', integer),
    apps: described('Your apps, which are withdrawn', Type.Array(lost_app)),
    deployments: described('Your deployments, which are destroyed', Type.Array(lost_deployment)),
    connected_apps: described('The number of connected apps', integer),
    friends: described('The number of friends', integer),
    last_owner_of: described(
      'Teams with you as the last owner: make another member an owner, or delete the team, before you leave',
      decided('D-134', Type.Array(Type.Object({ id: team_id, name: team_name }))),
    ),
    is_last_admin: described('Whether you are the only admin, who cannot leave', boolean),
  }),
})

export const export_lists = {
  account: 'The account, one row, with the language of your mails and whether a passkey follows the password',
  sign_ins: 'Login sessions of the last weeks',
  sign_in_addresses: 'Network addresses that you signed in from',
  passkeys: 'Your passkeys, without their keys',
  notices: 'Notices: what happened, about what, when, and when it was read',
  notice_settings: 'Which kinds of notices are muted or mailed, where you chose',
  notice_devices: 'Devices that get notices as push messages',
  movements: 'Points that came and went, newest first',
  holds: 'Points that apps held',
  point_requests: 'Requests for points, to and by the person, newest first',
  waiting_rewards: 'Rewards that wait for a verified address',
  spending_limits: 'The limits that you set for apps, for 24 hours each',
  connected_apps: 'Apps that you connected, ended ones too',
  consents: 'The consents that you gave',
  apps: 'Your apps',
  app_secrets: 'Secrets of your apps and those that you made, without the secrets themselves',
  scope_requests: 'Scopes that you asked for',
  teams: 'The teams that you are in',
  team_changes: 'Your changes of teams',
  team_invitations: 'Open invitations into teams, to your address and by you',
  app_offers: 'Apps that you were offered or that you offered',
  webhooks: 'Webhooks of your apps',
  ads: 'Ads that apps showed you',
  learning_path: 'The path that you chose, if any',
  learning_steps: 'Steps that you completed',
  learning_days: 'Days on which you completed steps',
  friendships: 'Friends and requests, ended ones too',
  blocked: 'People whom you blocked',
  presence: 'Where you were last seen, if anywhere',
  messages: 'Your messages in chat and to friends',
  reactions: 'Your reactions to messages',
  read_positions: 'Up to when you have read which conversation',
  reports: 'Your reports',
  moderation_cases: 'Reports about you, and the decisions',
  deployments: 'Your deployments',
  releases: 'Their releases',
  audit_log: 'The actions of admins that concern you, and yours as an admin',
} as const

export const exportAccount = endpoint('GET /api/auth/account/export', {
  ...of_leaver,
  summary: 'Everything about you, as one JSON document',
  description:
    'Streamed, of any length. It contains no secrets: no password, code, token or key, no client secret, and no value of an ' +
    'environment variable. A broken connection leaves an incomplete document. Needs a proof or a sign-in of the last minutes.',
  proof: 'recent',
  fails: ['proof_required'],
  limit: export_limit,
  download: 'application/json',
  response: Type.Object({
    made_at: described('When it was made', date_time),
    account: described(
      `The account as one row, followed by the lists ${Object.keys(export_lists).slice(1).join(', ')}`,
      Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object' })),
    ),
  }),
})

export const deleteAccount = endpoint('POST /api/auth/account/delete', {
  ...of_leaver,
  summary: 'Delete your account',
  description:
    'Permanent. Sessions, connections, secrets, address and name are deleted immediately; your apps are withdrawn, their deployments ' +
    'are destroyed, and your remaining points are lost. Movements stay under the id, without texts; chats keep the places of your ' +
    `messages, without your name and text. Nobody else can take your name for ${name_reserved_days} days. Backups contain the ` +
    'account until they are replaced.',
  proof: 'asked',
  body: Type.Object(identity_proof),
  limit: { ...decisions.rate_limits.login, setting: 'login' },
  response: message_response,
  fails: ['last_administrator_leaves', 'last_owner', ...proof_failures],
})

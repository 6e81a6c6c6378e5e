import { Type } from 'typebox'
import { picture_body, picture_body_bytes_max } from './account-fields.ts'
import { message_response } from './accounts.ts'
import * as app_fields from './app-fields.ts'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import { app_id } from './fields.ts'
import { identity_proof, proof_failures } from './passkey-fields.ts'
import { bounded_text, decided, described, partial, read_text, uuid } from './schema.ts'

const of_user = { tag: 'OAuth apps', auth: 'user' } as const
const one = { ...of_user, params: Type.Object({ id: app_id }), fails: ['not_found'] } as const
const of_developers = { ...one, team_role: 'developer' } as const
const of_secrets = { ...one, team_role: 'admin', origin: 'extension', decision: 'D-39' } as const

export const createApp = endpoint('POST /api/oauth/apps', {
  ...of_user,
  summary: 'Register an app; its secret is shown only once',
  description:
    'Needs a verified address. People can authorize the app once an admin has approved it. It starts with the requested scopes, without ' +
    'deploy:manage, which becomes a scope request.',
  limit: { requests: 3, seconds: 3600 },
  body: Type.Object({
    app_name: app_fields.app_name,
    redirect_uris: app_fields.redirect_uris,
    app_description: Type.Optional(app_fields.app_description),
    logo_url: Type.Optional(app_fields.logo_url),
    website_url: Type.Optional(app_fields.website_url),
    requested_scopes: Type.Optional(
      described('The scopes that the app needs; profile:read by default', decided('D-31', app_fields.requested_scopes)),
    ),
    require_pkce: Type.Optional(app_fields.require_pkce),
  }),
  status: [201],
  response: Type.Object({ app: described('The new app, with its secret', app_fields.new_app) }),
  fails: ['email_not_verified'],
})

export const getPublicApp = endpoint('GET /api/oauth/apps/{client_id}', {
  tag: 'OAuth apps',
  summary: 'The public fields of an app',
  description: 'Also for apps without approval. Does not return the secret, the scopes or the owner.',
  auth: 'none',
  cors: 'any_origin',
  params: Type.Object({ client_id: described('The `client_id` of the app', bounded_text(1, 200)) }),
  response: app_fields.public_app,
  fails: ['not_found'],
})

export const listMyApps = endpoint('GET /api/oauth/my-apps', {
  ...of_user,
  summary: 'The apps that you own',
  description: 'All of them, newest first, with the state of their review. Secrets are never shown again.',
  response: Type.Array(app_fields.app_with_users),
})

export const updateMyApp = endpoint('PUT /api/oauth/my-apps/{id}', {
  ...of_developers,
  summary: 'Change an app of yours',
  description: 'Absent fields stay unchanged. A removed scope stops working immediately, also in issued tokens.',
  decision: 'D-31',
  body: partial({
    allowed_scopes: app_fields.narrowed_scopes,
    app_description: app_fields.changed_description,
    app_name: app_fields.app_name,
    logo_url: app_fields.changed_logo_url,
    redirect_uris: app_fields.redirect_uris,
    website_url: app_fields.changed_website_url,
    require_pkce: app_fields.require_pkce,
    require_par: app_fields.require_par,
    backchannel_logout_uri: app_fields.changed_logout_uri,
    require_dpop: app_fields.require_dpop,
  }),
  response: app_fields.operator_app,
  fails: ['not_found', 'scope_not_allowed'],
})

export const setLogo = endpoint('PUT /api/oauth/my-apps/{id}/logo', {
  ...of_developers,
  summary: 'Upload the logo of an app of yours',
  description:
    `Scales the picture to fit a square of ${decisions.profiles.side} pixels and removes its metadata. \`logo_url\` becomes an address ` +
    'of this server; each picture has a new one. A change of `logo_url` deletes the picture.',
  origin: 'extension',
  decision: 'D-165',
  limit: decisions.profiles.changes,
  body_bytes_max: picture_body_bytes_max,
  body: picture_body,
  response: app_fields.operator_app,
})

export const removeLogo = endpoint('DELETE /api/oauth/my-apps/{id}/logo', {
  ...of_developers,
  summary: 'Remove the logo of an app of yours',
  description: 'Clears `logo_url`, also if it is the address of another server. Does nothing if the app has no logo.',
  origin: 'extension',
  decision: 'D-165',
  response: app_fields.operator_app,
})

export const submitMyApp = endpoint('POST /api/oauth/my-apps/{id}/submit', {
  ...of_developers,
  summary: 'Submit a rejected app of yours for review again',
  description:
    'The app becomes pending. The admin’s reason stays readable until the next decision. The reviewer sees the note beside the ' +
    'changes since the last decision.',
  origin: 'extension',
  decision: 'D-81',
  limit: { requests: 5, seconds: 3600 },
  body: partial({
    note: described('A note to the reviewer, such as the changes since the decision', read_text(1, 1000)),
  }),
  response: app_fields.operator_app,
  fails: ['not_found', 'app_not_rejected'],
})

export const requestScopes = endpoint('POST /api/oauth/my-apps/{id}/scope-request', {
  ...of_developers,
  summary: 'Ask an admin for more scopes',
  description: 'Poll the list for the decision. points:award cannot be requested.',
  body: Type.Object({ requested_scopes: app_fields.requested_scopes }),
  status: [201],
  response: app_fields.scope_request,
})

export const listScopeRequests = endpoint('GET /api/oauth/my-apps/{id}/scope-requests', {
  team_role: 'viewer',
  ...one,
  summary: 'Your scope requests for an app, newest first',
  description: 'Poll it for the decision. Approved scopes are added to the app’s `allowed_scopes`.',
  decision: 'D-32',
  response: Type.Array(app_fields.scope_request),
})

export const createSecret = endpoint('POST /api/oauth/my-apps/{id}/secrets', {
  ...of_secrets,
  summary: 'Add a client secret; it is shown only once',
  description:
    'The others stay valid, so that a secret can be replaced without a gap: add one, deploy it, delete the old one. Takes the fields ' +
    'of a proof, unless the session has one or began in the last minutes. `permissions`, `expires_at` and `allowed_addresses` ' +
    'restrict its use: without them it can make every call of the app, from anywhere, until it is deleted. It stays valid when the ' +
    'person who made it leaves.',
  proof: 'recent',
  body: Type.Object({ ...identity_proof, ...app_fields.secret_request }),
  status: [201],
  response: app_fields.new_secret,
  fails: ['not_found', 'too_many_secrets', 'proof_required', ...proof_failures],
})

export const listSecrets = endpoint('GET /api/oauth/my-apps/{id}/secrets', {
  ...of_secrets,
  summary: 'The client secrets of an app: last characters, restrictions and last use',
  description: 'The secrets themselves are not stored. The last use shows which of them can be deleted.',
  response: Type.Object({ secrets: described('All of them, newest first', Type.Array(app_fields.secret)) }),
})

export const deleteSecret = endpoint('DELETE /api/oauth/my-apps/{id}/secrets/{secret_id}', {
  ...of_secrets,
  summary: 'Delete a client secret; it stops working immediately',
  description: 'Tokens issued with it stay valid.',
  params: Type.Object({ id: app_id, secret_id: described('The id of the secret', uuid) }),
  response: message_response,
})

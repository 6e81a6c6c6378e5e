import { Type } from 'typebox'
import { message_response } from './accounts.ts'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import { app_id } from './fields.ts'
import * as fields from './oauth-fields.ts'
import { bounded_text, described } from './schema.ts'

const limits = decisions.rate_limits
const of_anybody = { tag: 'OAuth', auth: 'none', cors: 'any_origin' } as const
const of_clients = {
  ...of_anybody,
  secret_permission: 'token',
  accepts: 'form',
  errors: 'oauth',
  limit: { ...limits.token, setting: 'token' },
} as const
const client_refusals = [
  'invalid_client',
  'invalid_request',
  'parameter_repeated',
  'too_many_parameters',
  'client_credentials_twice',
] as const

const app_param = Type.Object({ app_id })

const authorize_fails = [
  'invalid_request_uri',
  'pushed_request_required',
  'request_not_supported',
  'request_uri_not_supported',
  'registration_not_supported',
  'response_mode_not_supported',
  'unsupported_response_type',
  'unsupported_challenge_method',
  'unknown_client',
  'client_document_unusable',
  'rate_limited',
  'app_not_approved',
  'redirect_uri_not_registered',
  'invalid_scope',
  'prompt_not_known',
  'invalid_target',
  'login_required',
  'consent_required',
] as const

export const authorize = endpoint('GET /api/oauth/authorize', {
  changes: true,
  answers_secret: true,
  tag: 'OAuth',
  summary: 'Grant an app access and get an authorization code',
  description: 'Called with the JWT of the user who grants. A browser without one is redirected to the consent page.',
  auth: 'user',
  cors: 'none',
  decision: 'D-29',
  query: fields.authorize_query,
  empty_is_absent: true,
  response: fields.authorization,
  fails: authorize_fails,
})

export const describeAuthorization = endpoint('GET /api/oauth/authorize/request', {
  tag: 'OAuth',
  summary: 'The content of the consent page for an authorization request; grants nothing',
  description:
    'Has the same parameters and refusals as `GET /api/oauth/authorize`, so that a page can ask before it grants.',
  auth: 'user',
  cors: 'none',
  origin: 'extension',
  decision: 'D-30',
  query: fields.authorize_query,
  empty_is_absent: true,
  response: fields.authorization_request,
  fails: authorize_fails,
})

export const pushAuthorization = endpoint('POST /api/oauth/par', {
  ...of_clients,
  summary: 'Push an authorization request (RFC 9126)',
  description:
    'Takes the parameters of an authorization request, and authenticates the client as the token endpoint does. Then send the person ' +
    'to `/oauth/authorize` with `client_id` and `request_uri`, once. The browser cannot change the parameters.',
  origin: 'extension',
  decision: 'D-151',
  takes_proof: true,
  body: fields.pushed_parameters,
  status: [201],
  response: fields.pushed_request,
  fails: [
    ...client_refusals,
    'request_not_supported',
    'request_uri_not_supported',
    'registration_not_supported',
    'response_mode_not_supported',
    'unsupported_response_type',
    'unsupported_challenge_method',
    'app_not_approved',
    'redirect_uri_not_registered',
    'invalid_scope',
    'prompt_not_known',
    'invalid_target',
  ],
})

export const openPushedAuthorization = endpoint('POST /api/oauth/par/open', {
  tag: 'OAuth',
  summary: 'The parameters of a pushed request, for the page that the app redirected the person to; once',
  description: 'For the consent page. The request is then kept for the duration of a sign-in.',
  auth: 'none',
  origin: 'extension',
  decision: 'D-151',
  limit: { ...limits.token, setting: 'token' },
  body: fields.pushed_reference,
  response: fields.opened_request,
  fails: ['invalid_request_uri'],
})

export const describeReturn = endpoint('GET /api/oauth/authorize/return', {
  tag: 'OAuth',
  summary: 'The address to return a refused authorization request to; grants nothing',
  description:
    'For the consent page. If the client is known and the redirect URI is registered, the error is returned to the app (RFC 6749 ' +
    '§4.1.2.1); otherwise nobody may be redirected.',
  auth: 'none',
  origin: 'extension',
  decision: 'D-30',
  query: fields.return_query,
  empty_is_absent: true,
  response: fields.authorization_return,
  fails: ['unknown_client', 'redirect_uri_not_registered'],
})

export const token = endpoint('POST /api/oauth/token', {
  ...of_clients,
  summary: 'Exchange a code, or refresh',
  description:
    'The body has one schema for each grant. A JSON body contains the client’s credentials; with a form, HTTP Basic is possible too. ' +
    'A code needs its verifier, the secret of the app, or both. A refresh needs the secret, and replaces the refresh token. With a ' +
    'proof in the header `DPoP` (RFC 9449) the tokens are bound to its key; a refresh token that was issued without a secret needs a ' +
    'proof of its key instead of the secret.',
  decision: 'D-22',
  takes_proof: true,
  body: fields.token_parameters,
  documented_bodies: { json: [fields.code_grant, fields.refresh_grant], form: [fields.code_form, fields.refresh_form] },
  response: fields.token_response,
  fails: [
    'invalid_client',
    'invalid_grant',
    'invalid_request',
    'parameter_repeated',
    'too_many_parameters',
    'client_credentials_twice',
    'verifier_missing',
    'code_or_redirect_missing',
    'secret_missing',
    'dpop_required',
    'dpop_key_mismatch',
    'unsupported_grant_type',
    'invalid_scope',
    'invalid_target',
  ],
})

export const revoke = endpoint('POST /api/oauth/revoke', {
  ...of_clients,
  summary: 'Revoke an access, refresh or session token (RFC 7009)',
  description:
    'A refresh token also revokes all tokens of its grant; a session token ends its session. The response is the same for unknown tokens.',
  origin: 'extension',
  decision: 'D-36',
  body: fields.revocation_parameters,
  response: Type.Object({}),
  fails: [...client_refusals, 'unsupported_token_type'],
})

export const verifyToken = endpoint('POST /api/oauth/token/verify', {
  ...of_anybody,
  summary: 'Introspect an access token',
  description: 'The status is always 200, for any kind of token and without one: read `active`.',
  accepts: 'form',
  accepts_any_body: true,
  decision: 'D-37',
  limit: { ...limits.token_verify, setting: 'token_verify' },
  body: Type.Object({
    token: described('Any text; only access tokens can be active', Type.String({ minLength: 1 })),
  }),
  response: fields.introspection,
  fails: ['parameter_repeated', 'too_many_parameters'],
})

export const refreshSession = endpoint('POST /api/auth/session/refresh', {
  ...of_anybody,
  summary: 'Renew the session token of an app session, which also counts as its heartbeat',
  description: 'For a page of the app that has no other token. Does not renew the access token.',
  decision: 'D-10',
  body: Type.Object({
    token: described('The session token of the code exchange, or of the last refresh', bounded_text(1, 200)),
  }),
  response: fields.renewed_session,
  fails: ['invalid_token'],
})

export const listConnectedApps = endpoint('GET /api/user/connected-apps', {
  tag: 'Connected apps',
  summary: 'The apps that you have connected',
  description: 'With the permissions and last activity of each.',
  auth: 'user',
  response: Type.Object({
    connected_apps: described('All of them, newest first', Type.Array(fields.connected_app)),
  }),
})

export const setDailyLimit = endpoint('PUT /api/user/connected-apps/{app_id}/limit', {
  tag: 'Connected apps',
  summary: 'Limit what an app may spend of your points in 24 hours; null removes the limit',
  description:
    'Spends, transfers and holds of the last 24 hours and all open holds count. The limit can be set before the app is connected, ' +
    'and is kept when the app is disconnected.',
  auth: 'user',
  origin: 'extension',
  decision: 'D-100',
  params: app_param,
  body: Type.Object({ daily_limit: fields.daily_limit }),
  response: fields.connection_limit,
  fails: ['not_found'],
})

export const disconnectApp = endpoint('DELETE /api/user/connected-apps/{app_id}', {
  tag: 'Connected apps',
  summary: 'Disconnect an app: all its tokens for you stop working immediately',
  description: 'Its holds are released. The app must ask for your consent again.',
  auth: 'user',
  params: app_param,
  response: message_response,
  fails: ['not_found'],
})

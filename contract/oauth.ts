import { Type } from 'typebox'
import { message_response } from './accounts.ts'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import {
  boolean,
  bounded_text,
  constant,
  date_time,
  decided,
  patterned_text,
  integer,
  nullable_date_time,
  nullable_integer,
  nullable_text,
  text,
  uuid,
} from './schema.ts'

const limits = decisions['D-06'].value

/** Fixed by the specification (Limits). */
export const authorization_code_seconds = 600
export const code_verifier_pattern = '^[A-Za-z0-9._~-]{43,128}$'

const authorize_query = Type.Object({
  client_id: bounded_text(1, 200),
  response_type: bounded_text(1, 100),
  code_challenge: patterned_text('^[A-Za-z0-9_-]{43}$', 'be a SHA-256 in base64url: 43 characters'),
  code_challenge_method: bounded_text(1, 20),
  redirect_uri: Type.Optional(bounded_text(1, 2048)),
  state: Type.Optional(Type.String()),
  scope: Type.Optional(decided('D-27', Type.String())),
  nonce: Type.Optional(decided('D-103', Type.String({ maxLength: 1_000 }))),
  prompt: Type.Optional(decided('D-103', Type.String({ maxLength: 200 }))),
  max_age: Type.Optional(decided('D-103', Type.Integer({ minimum: 0, maximum: 2_147_483_647 }))),
})
/** Points that an app may spend in 24 hours (D-100). */
const daily_limit = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  minimum: 0,
  maximum: decisions['D-45'].value.amount_max,
})

const authorize_fails = [
  'unsupported_response_type',
  'unsupported_challenge_method',
  'unknown_client',
  'app_not_approved',
  'redirect_uri_not_registered',
  'invalid_scope',
  'prompt_not_known',
  'login_required',
  'consent_required',
] as const

export const authorize = endpoint({
  method: 'GET',
  path: '/api/oauth/authorize',
  changes: true,
  tag: 'OAuth',
  summary: 'Grant an app access and get an authorization code',
  description:
    'Called with the JWT of the user who grants. A browser that comes here without one is sent to the consent page.',
  auth: 'user',
  cors: 'none',
  decision: 'D-29',
  query: authorize_query,
  empty_is_absent: true,
  response: Type.Object({
    code: text,
    expires_in: Type.Integer({ const: authorization_code_seconds }),
    redirect_uri: text,
    state: Type.Optional(decided('D-30', text)),
    iss: decided('D-30', text),
  }),
  fails: authorize_fails,
})

export const describeAuthorization = endpoint({
  method: 'GET',
  path: '/api/oauth/authorize/request',
  tag: 'OAuth',
  summary: 'What the consent page shows for an authorization request; grants nothing',
  auth: 'user',
  cors: 'none',
  origin: 'extension',
  decision: 'D-30',
  query: authorize_query,
  empty_is_absent: true,
  response: Type.Object({
    app: Type.Object({
      client_id: text,
      app_name: text,
      app_description: nullable_text,
      logo_url: nullable_text,
      website_url: nullable_text,
      owner_username: text,
      inserted_at: date_time,
    }),
    redirect_uri: text,
    redirect_host: text,
    scopes: Type.Array(Type.Object({ scope: text, grants: text })),
    app_id: uuid,
    daily_limit: decided('D-100', nullable_integer),
    consent_needed: decided('D-86', boolean),
    login_needed: decided('D-103', boolean),
    iss: text,
  }),
  fails: authorize_fails,
})

export const describeReturn = endpoint({
  method: 'GET',
  path: '/api/oauth/authorize/return',
  tag: 'OAuth',
  summary: 'Where the person may take a refused authorization request back to; grants nothing',
  description:
    'For the consent page: once the client is known and the redirect URI is one of its own, the app may be told why it was ' +
    'refused (RFC 6749 §4.1.2.1). In every other case nobody may be sent there.',
  auth: 'none',
  origin: 'extension',
  decision: 'D-30',
  query: Type.Object({
    client_id: bounded_text(1, 200),
    redirect_uri: Type.Optional(bounded_text(1, 2048)),
  }),
  empty_is_absent: true,
  response: Type.Object({ app_name: text, redirect_uri: text, redirect_host: text, iss: text }),
  fails: ['unknown_client', 'redirect_uri_not_registered'],
})

export const token = endpoint({
  method: 'POST',
  path: '/api/oauth/token',
  tag: 'OAuth',
  summary: 'Exchange a code, or refresh',
  description:
    'JSON or form body. The client authenticates in the body or with HTTP Basic. ' +
    'Grant `authorization_code` takes code, redirect_uri and code_verifier and/or client_secret; ' +
    'grant `refresh_token` takes refresh_token and client_secret, and optionally a narrower scope.',
  auth: 'none',
  accepts: 'form',
  cors: 'any_origin',
  errors: 'oauth',
  decision: 'D-22',
  limit: { ...limits.token, setting: 'token' },
  body: Type.Object({
    grant_type: text,
    client_id: text,
    code: Type.Optional(decided('D-25', text)),
    redirect_uri: Type.Optional(text),
    code_verifier: Type.Optional(text),
    client_secret: Type.Optional(decided('D-23', text)),
    refresh_token: Type.Optional(decided('D-26', text)),
    scope: Type.Optional(decided('D-26', text)),
  }),
  response: Type.Object({
    access_token: decided('D-20', text),
    token_type: constant('Bearer'),
    expires_in: decided('D-21', integer),
    refresh_token: text,
    scope: decided('D-36', text),
    id_token: Type.Optional(decided('D-103', text)),
    session_token: Type.Optional(text),
    session_token_expires_at: Type.Optional(date_time),
  }),
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
    'unsupported_grant_type',
    'invalid_scope',
  ],
})

export const revoke = endpoint({
  method: 'POST',
  path: '/api/oauth/revoke',
  tag: 'OAuth',
  summary: 'Revoke an access, refresh or session token (RFC 7009)',
  description:
    'A refresh token takes its whole grant with it, a session token ends its session. Unknown tokens answer alike.',
  auth: 'none',
  accepts: 'form',
  cors: 'any_origin',
  errors: 'oauth',
  origin: 'extension',
  decision: 'D-36',
  limit: { ...limits.token, setting: 'token' },
  body: Type.Object({
    token: decided('D-85', text),
    token_type_hint: Type.Optional(text),
    client_id: Type.Optional(text),
    client_secret: Type.Optional(text),
  }),
  response: Type.Object({}),
  fails: [
    'invalid_client',
    'invalid_request',
    'parameter_repeated',
    'too_many_parameters',
    'client_credentials_twice',
    'unsupported_token_type',
  ],
})

export const verifyToken = endpoint({
  method: 'POST',
  path: '/api/oauth/token/verify',
  tag: 'OAuth',
  summary: 'Is this access token good, and for what?',
  description: 'Always 200 for a token of any kind, and for none: read `active`.',
  auth: 'none',
  accepts: 'form',
  accepts_any_body: true,
  cors: 'any_origin',
  decision: 'D-37',
  limit: { ...limits.token_verify, setting: 'token_verify' },
  body: Type.Object({ token: Type.String({ minLength: 1 }) }),
  response: Type.Object({
    active: boolean,
    user_id: Type.Optional(uuid),
    app_id: Type.Optional(uuid),
    scopes: Type.Optional(Type.Array(text)),
    expires_at: Type.Optional(date_time),
    reason: Type.Optional(decided('D-84', text)),
    scope: Type.Optional(decided('D-37', text)),
    client_id: Type.Optional(decided('D-37', text)),
    sub: Type.Optional(decided('D-37', text)),
    exp: Type.Optional(decided('D-37', integer)),
    iat: Type.Optional(decided('D-37', integer)),
    token_type: Type.Optional(decided('D-37', text)),
  }),
  fails: ['parameter_repeated', 'too_many_parameters'],
})

export const refreshSession = endpoint({
  method: 'POST',
  path: '/api/auth/session/refresh',
  tag: 'OAuth',
  summary: 'Renew the session token of an app session, which also counts as its heartbeat',
  auth: 'none',
  cors: 'any_origin',
  decision: 'D-10',
  body: Type.Object({ token: bounded_text(1, 200) }),
  response: Type.Object({ session_token: text, expires_at: date_time }),
  fails: ['invalid_token'],
})

export const listConnectedApps = endpoint({
  method: 'GET',
  path: '/api/user/connected-apps',
  tag: 'Connected apps',
  summary: 'The apps that you have let act for you',
  auth: 'user',
  response: Type.Object({
    connected_apps: Type.Array(
      Type.Object({
        app_id: uuid,
        app_name: text,
        scopes: Type.Array(text),
        connected_at: date_time,
        app_description: nullable_text,
        logo_url: nullable_text,
        last_used: nullable_date_time,
        daily_limit: decided('D-100', nullable_integer),
      }),
    ),
  }),
})

export const setDailyLimit = endpoint({
  method: 'PUT',
  path: '/api/user/connected-apps/{app_id}/limit',
  tag: 'Connected apps',
  summary: 'Bound what an app may spend of yours in 24 hours; null removes the bound',
  description:
    'Spends, transfers and holds of the last 24 hours count, and open holds. It can be set before the app is connected, and it ' +
    'stays when the app is disconnected.',
  auth: 'user',
  origin: 'extension',
  decision: 'D-100',
  params: Type.Object({ app_id: uuid }),
  body: Type.Object({ daily_limit }),
  response: Type.Object({ app_id: uuid, daily_limit: nullable_integer }),
  fails: ['not_found'],
})

export const disconnectApp = endpoint({
  method: 'DELETE',
  path: '/api/user/connected-apps/{app_id}',
  tag: 'Connected apps',
  summary: 'Disconnect an app: all its tokens for you stop working at once',
  auth: 'user',
  params: Type.Object({ app_id: uuid }),
  response: message_response,
  fails: ['not_found'],
})

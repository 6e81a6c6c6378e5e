import { Type, type TOptional, type TString } from 'typebox'
import { reviewed } from './app-fields.ts'
import { decisions } from './decisions.ts'
import * as fields from './fields.ts'
import {
  boolean,
  bounded_text,
  constant,
  date_time,
  decided,
  described,
  integer,
  nullable_date_time,
  nullable_integer,
  patterned_text,
  text,
  uuid,
} from './schema.ts'

const { access_token_seconds, refresh_token_seconds, session_token_seconds } = decisions.app_tokens
const { amount_max } = decisions.amounts

/** Fixed by the specification (Limits). */
export const authorization_code_seconds = 600
export const code_verifier_pattern = '^[A-Za-z0-9._~-]{43,128}$'

// Authorization requests

export const client_id = described('The `client_id` of the app', bounded_text(1, 200))
const redirect_uri = described(
  'The address for the response: exactly a registered one; by default the first registered one',
  bounded_text(1, 2048),
)
export const code_challenge = described(
  'The SHA-256 of the code verifier, in base64url without padding',
  patterned_text('^[A-Za-z0-9_-]{43}$', 'challenge'),
)
export const authorize_query = Type.Object({
  client_id,
  response_type: described('Always `code`', bounded_text(1, 100)),
  code_challenge,
  code_challenge_method: described('Always `S256`', bounded_text(1, 20)),
  redirect_uri: Type.Optional(redirect_uri),
  state: Type.Optional(
    described('Returned unchanged: ties the response to the browser that made the request', Type.String()),
  ),
  scope: Type.Optional(
    described('Scopes separated by spaces; by default all allowed_scopes of the app', decided('D-27', Type.String())),
  ),
  nonce: Type.Optional(
    described('Returned in the identity token', decided('D-103', Type.String({ maxLength: 1_000 }))),
  ),
  resource: Type.Optional(
    described(
      'The resource that the token is for (RFC 8707): the API’s address, which is the default, or `/mcp` below it',
      decided('D-156', bounded_text(1, 2_048)),
    ),
  ),
  prompt: Type.Optional(
    described(
      '`none` to show the person no page, or any of `login`, `consent` and `select_account`',
      decided('D-103', Type.String({ maxLength: 200 })),
    ),
  ),
  max_age: Type.Optional(
    described(
      'The maximum age of the person’s sign-in, in seconds',
      decided('D-103', Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
    ),
  ),
  id_token_hint: Type.Optional(
    described(
      'An identity token, expired or not, of the person whom the app expects',
      decided('D-128', bounded_text(1, 4_096)),
    ),
  ),
  response_mode: Type.Optional(described('Only `query`', decided('D-128', bounded_text(1, 100)))),
  after_sign_in: Type.Optional(
    described('Whether the person has signed in for this request', decided('D-128', boolean)),
  ),
  dpop_jkt: Type.Optional(
    described(
      'The SHA-256 thumbprint of the DPoP key that the code is bound to (RFC 9449)',
      decided('D-152', patterned_text('^[A-Za-z0-9_-]{43}$', 'challenge')),
    ),
  ),
  request_uri: Type.Optional(
    described(
      'The reference to a pushed request, instead of all parameters except `client_id`',
      decided('D-151', bounded_text(1, 500)),
    ),
  ),
  shown: Type.Optional(
    described(
      'The `shown` of the request that the person allows: if the page would now show something else, they are asked again',
      decided('D-117', bounded_text(1, 100)),
    ),
  ),
})
const pushed_names = [
  'response_type',
  'code_challenge',
  'code_challenge_method',
  'redirect_uri',
  'state',
  'scope',
  'nonce',
  'resource',
  'prompt',
  'max_age',
  'id_token_hint',
  'response_mode',
  'dpop_jkt',
] as const satisfies (keyof typeof authorize_query.properties)[]
/** As texts, because forms send them so. */
const pushed_texts = Object.fromEntries(
  pushed_names.map((name) => {
    const { description } = authorize_query.properties[name] as { description?: string }
    return [name, Type.Optional(described(description ?? name, text))]
  }),
) as Record<(typeof pushed_names)[number], TOptional<TString>>
const { request_seconds } = decisions.pushed_requests

const refused_parameter = Type.Optional(described('Refused, as in the address of an authorization request', text))
export const pushed_parameters = Type.Object({
  ...pushed_texts,
  client_id: described('The `client_id` of the app; a form may send it by HTTP Basic instead', text),
  client_secret: Type.Optional(described('The secret of the app, unless it is sent by HTTP Basic', text)),
  request: refused_parameter,
  request_uri: refused_parameter,
  registration: refused_parameter,
})
export const pushed_request = Type.Object({
  request_uri: described('The reference to the request, for one visit to `/oauth/authorize`', text),
  expires_in: described('Its lifetime in seconds', Type.Integer({ const: request_seconds })),
})
export const pushed_reference = Type.Object({
  client_id,
  request_uri: described('The `request_uri`', bounded_text(1, 200)),
})
export const opened_request = Type.Object({
  parameters: described('The parameters sent by the app', Type.Record(Type.String(), text)),
})

export const return_query = Type.Object({ client_id, redirect_uri: Type.Optional(redirect_uri) })

const sent_to = described('The address to redirect the browser to', text)
const redirect_host = described('The host of that address, for display', text)
const iss = described('The issuer of the response (RFC 9207): compare it with the expected one', text)

/** Whether a person may be redirected to an address of an app without a click (D-123). */
export const is_approved = described(
  'Whether the app is approved, so that the person may be redirected without a click',
  boolean,
)

export const authorization = Type.Object({
  code: described('The authorization code, for one exchange', text),
  expires_in: described('Its lifetime in seconds', Type.Integer({ const: authorization_code_seconds })),
  redirect_uri: sent_to,
  state: Type.Optional(described('The `state` of the request; absent if none was sent', decided('D-30', text))),
  iss: decided('D-30', iss),
})

/** Points that an app may spend in 24 hours (D-100). */
export const daily_limit = described(
  'The maximum points that the app may spend, transfer and hold in 24 hours; null for no limit',
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0, maximum: amount_max }),
)
const kept_daily_limit = described(
  'The maximum points that the app may spend, transfer and hold in 24 hours; null for no limit',
  nullable_integer,
)

export const authorization_request = Type.Object({
  app: described(
    'The requesting app',
    Type.Object({
      client_id: fields.client_id,
      app_name: fields.app_name,
      app_description: fields.app_description,
      logo_url: fields.logo_url,
      website_url: fields.website_url,
      owner_username: described('The name of its owner', text),
      inserted_at: described('When the app was registered', date_time),
      reviewed,
    }),
  ),
  redirect_uri: sent_to,
  redirect_host,
  scopes: described(
    'The requested scopes',
    Type.Array(
      Type.Object({
        scope: described('The scope', text),
        grants: described('The permission, described for people', text),
      }),
    ),
  ),
  app_id: fields.app_id,
  daily_limit: decided('D-100', kept_daily_limit),
  consent_needed: described('Whether the person must be asked', decided('D-86', boolean)),
  for_agent: described(
    'Whether the request comes from an agent, which calls the tools at `/mcp`',
    decided('D-156', boolean),
  ),
  login_needed: described('Whether the person must sign in again first', decided('D-103', boolean)),
  shown: described('A hash of the app, its scopes and its address as they are now', decided('D-117', text)),
  iss,
})

export const authorization_return = Type.Object({
  app_name: fields.app_name,
  redirect_uri: sent_to,
  redirect_host,
  is_approved: decided('D-123', is_approved),
  iss,
})

// Token requests

const sent_client_id = described('The `client_id` of the app; a form may send it by HTTP Basic instead', text)
const sent_secret = described(
  'The secret of the app, unless it is sent by HTTP Basic; an app without one sends the verifier',
  decided('D-23', text),
)
const code = described('The code of the authorization', decided('D-25', text))
const sent_redirect_uri = described('The same as in the authorization request', text)
const code_verifier = described('The verifier of the challenge; an app without a secret must send it', text)
const sent_refresh_token = described('The newest refresh token; the response replaces it', decided('D-26', text))
const same_resource = described('The `resource` of the authorization request, if any', decided('D-156', text))
const narrower_scope = described('A subset of the granted scopes, separated by spaces', decided('D-26', text))

const code_fields = {
  grant_type: described('The grant type', constant('authorization_code')),
  code,
  redirect_uri: sent_redirect_uri,
  code_verifier: Type.Optional(code_verifier),
  client_secret: Type.Optional(sent_secret),
  resource: Type.Optional(same_resource),
}
const refresh_fields = {
  grant_type: described('The grant type', constant('refresh_token')),
  refresh_token: sent_refresh_token,
  scope: Type.Optional(narrower_scope),
  resource: Type.Optional(same_resource),
}
export const code_grant = Type.Object({ client_id: sent_client_id, ...code_fields })
const refresh_secret = described(
  'The secret of the app, unless it is sent by HTTP Basic; not needed for a token bound to a DPoP key',
  decided('D-152', text),
)
export const refresh_grant = Type.Object({
  client_id: sent_client_id,
  client_secret: Type.Optional(refresh_secret),
  ...refresh_fields,
})
/** In a form, the client may be named only in the Authorization header, as OAuth libraries do. */
export const code_form = Type.Object({ client_id: Type.Optional(sent_client_id), ...code_fields })
export const refresh_form = Type.Object({
  client_id: Type.Optional(sent_client_id),
  client_secret: Type.Optional(refresh_secret),
  ...refresh_fields,
})

/** Every parameter of the token endpoint, for both grants. */
export const token_parameters = Type.Object({
  grant_type: text,
  client_id: sent_client_id,
  code: Type.Optional(code),
  redirect_uri: Type.Optional(sent_redirect_uri),
  code_verifier: Type.Optional(code_verifier),
  client_secret: Type.Optional(sent_secret),
  refresh_token: Type.Optional(sent_refresh_token),
  scope: Type.Optional(narrower_scope),
  resource: Type.Optional(same_resource),
})

export const token_response = Type.Object({
  access_token: described('For `Authorization: Bearer` at `/api/external` and similar paths', decided('D-20', text)),
  token_type: described(
    'The scheme of the access token: `DPoP` if the request had a proof',
    // The specification's schema allows one word; the other is for requests that it does not describe.
    decided('D-152', Type.Union([constant('Bearer'), Type.String({ pattern: '^DPoP$' })])),
  ),
  expires_in: described(
    `The lifetime of the access token in seconds, ${access_token_seconds} by default`,
    decided('D-21', integer),
  ),
  refresh_token: described(
    `For the next token, within ${refresh_token_seconds / 86_400} days by default; each works once`,
    text,
  ),
  refresh_token_expires_in: described(
    `The lifetime of the refresh token in seconds: ${refresh_token_seconds} by default, and less towards the end of the grant`,
    decided('D-150', integer),
  ),
  scope: described('The granted scopes, separated by spaces', decided('D-36', text)),
  id_token: Type.Optional(
    described(
      'The signed-in person, as a JWT signed with RS256; only if `openid` was requested',
      decided('D-103', text),
    ),
  ),
  session_token: Type.Optional(
    described('Keeps the session in the app alive; only from a code exchange, never from a refresh', text),
  ),
  session_token_expires_at: Type.Optional(
    described(`When the session token expires, after ${session_token_seconds} seconds by default`, date_time),
  ),
})

export const revocation_parameters = Type.Object({
  token: described('An access, refresh or session token of the app', decided('D-85', text)),
  token_type_hint: Type.Optional(described('Ignored: the token itself shows its kind', text)),
  client_id: Type.Optional(described('The `client_id` of the app, unless it is sent by HTTP Basic', text)),
  client_secret: Type.Optional(sent_secret),
})

const active_only = (what: string) => `${what}; only of an active token`
export const introspection = Type.Object({
  active: described('Whether it is a valid access token', boolean),
  user_id: Type.Optional(described(active_only('The person for whom it acts'), uuid)),
  app_id: Type.Optional(described(active_only('The app that it was issued to'), uuid)),
  scopes: Type.Optional(described(active_only('The scopes of the token'), Type.Array(text))),
  expires_at: Type.Optional(described(active_only('When it ends'), date_time)),
  reason: Type.Optional(
    described('Why it is not active: `expired`, `revoked`, `unknown` or `malformed`', decided('D-84', text)),
  ),
  scope: Type.Optional(described(active_only('`scopes` with spaces between'), decided('D-37', text))),
  client_id: Type.Optional(described(active_only('The `client_id` of the app'), decided('D-37', text))),
  sub: Type.Optional(described(active_only('The same as `user_id`'), decided('D-37', text))),
  exp: Type.Optional(described(active_only('When it ends, in seconds since 1970'), decided('D-37', integer))),
  iat: Type.Optional(described(active_only('When it was issued, in seconds since 1970'), decided('D-37', integer))),
  token_type: Type.Optional(
    described(active_only('`Bearer`, or `DPoP` for a token that is bound to a key'), decided('D-37', text)),
  ),
  cnf: Type.Optional(
    described(
      'The key that the token is bound to; absent for a Bearer token',
      decided('D-152', Type.Object({ jkt: described('The SHA-256 thumbprint of the key (RFC 7638)', text) })),
    ),
  ),
  aud: Type.Optional(
    described(
      active_only('The address for which it is good: that of the API, or `/mcp` below it'),
      decided('D-156', text),
    ),
  ),
})

export const renewed_session = Type.Object({
  session_token: described('The new session token; the previous one stays valid until it expires', text),
  expires_at: described('When it expires', date_time),
})

// Connected apps

export const connected_app = Type.Object({
  app_id: fields.app_id,
  app_name: fields.app_name,
  scopes: described('The scopes that you granted', Type.Array(text)),
  connected_at: described('When you connected it', date_time),
  app_description: fields.app_description,
  logo_url: fields.logo_url,
  website_url: fields.website_url,
  reviewed,
  last_used: described('When it last made a call for you, accurate to some seconds; null if never', nullable_date_time),
  daily_limit: decided('D-100', kept_daily_limit),
  daily_limit_used: decided(
    'D-100',
    described(
      'The points that currently count towards the limit: those of the last 24 hours and held ones; null without a limit',
      nullable_integer,
    ),
  ),
  bound_to_key: described(
    'Whether its newest access token works with a key of the app alone',
    decided('D-152', boolean),
  ),
  acts_as_agent: described('Whether it has access to the tools at `/mcp`', decided('D-156', boolean)),
})
export const connection_limit = Type.Object({ app_id: fields.app_id, daily_limit: kept_daily_limit })

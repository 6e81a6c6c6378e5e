import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { getExternalUser } from './external.ts'
import { is_approved } from './oauth-fields.ts'
import { bounded_text, constant, decided, described, nullable_text, nullable_uuid, text, uuid } from './schema.ts'

/** The values of `prompt` (OpenID Connect Core §3.1.2.1). */
export const prompts = ['none', 'login', 'consent', 'select_account'] as const

/**
 * Parameters of OpenID Connect that change the meaning of a request and so cannot be ignored, each with its refusal
 * (D-128).
 */
const unsupported_parameters = {
  request: 'request_not_supported',
  request_uri: 'request_uri_not_supported',
  registration: 'registration_not_supported',
} as const
export type UnsupportedParameter =
  | (typeof unsupported_parameters)[keyof typeof unsupported_parameters]
  | 'response_mode_not_supported'

/** The prefix of a reference to a pushed request (RFC 9126 §2.2). */
export const request_uri_prefix = 'urn:ietf:params:oauth:request_uri:plz_'
const isPushed = (request_uri: unknown) => typeof request_uri === 'string' && request_uri.startsWith(request_uri_prefix)

/**
 * The unsupported parameter that invalidates a request, whatever its other parameters; undefined if there is none
 * (D-128).
 */
export function unsupportedParameter(query: Readonly<Record<string, unknown>>): UnsupportedParameter | undefined {
  const names = Object.keys(unsupported_parameters) as (keyof typeof unsupported_parameters)[]
  const name = names.find((one) => query[one] !== undefined && !(one === 'request_uri' && isPushed(query[one])))
  if (name !== undefined) return unsupported_parameters[name]
  return query.response_mode === undefined || query.response_mode === 'query'
    ? undefined
    : 'response_mode_not_supported'
}

export const public_key = Type.Object({
  kty: described('The kind of key', constant('RSA')),
  use: described('The use of the key: signatures', constant('sig')),
  alg: described('The algorithm of the signatures', constant('RS256')),
  kid: described('Its id, named in a token’s header', uuid),
  n: described('The modulus, in base64url', text),
  e: described('The exponent, in base64url', text),
})

export const listPublicKeys = endpoint('GET /.well-known/jwks.json', {
  revalidates: true,
  tag: 'Infrastructure',
  summary: 'The public keys that verify identity tokens (RFC 7517)',
  description:
    'A new key is listed a day before it signs, an old key until its last token has expired. Cache the response as `Cache-Control` ' +
    'says, and read it again when a token has an unknown `kid`.',
  auth: 'none',
  cors: 'any_origin',
  origin: 'extension',
  decision: 'D-103',
  response: Type.Object({
    keys: described('The keys, in the order of use', Type.Array(public_key)),
  }),
})

/** OpenID Connect Core §5.3.1 requires both methods. */
export const postUserinfo = endpoint('POST /api/external/user', {
  ...getExternalUser,
  tool: undefined,
  summary: 'The same by POST, for OpenID Connect clients that use it',
  description: 'The token is sent in the Authorization header; a form or JSON body is ignored.',
  accepts: 'form',
  origin: 'extension',
  decision: 'D-103',
})

export const describeLogout = endpoint('GET /api/oauth/logout/request', {
  tag: 'OAuth',
  summary: 'The content of the page at the end_session_endpoint; ends nothing',
  description:
    'Applies the checks of OpenID Connect RP-Initiated Logout and returns the app, the person and the address to return to. The ' +
    'identity token of the hint may have expired.',
  auth: 'none',
  origin: 'extension',
  decision: 'D-103',
  query: Type.Object({
    id_token_hint: Type.Optional(
      described('An identity token of the person for this app, expired or not', bounded_text(1, 4_096)),
    ),
    client_id: Type.Optional(described('The `client_id` of the app, if no token names it', bounded_text(1, 200))),
    post_logout_redirect_uri: Type.Optional(
      described('The address to continue to: one with the origin of a redirect URI', bounded_text(1, 2_048)),
    ),
    state: Type.Optional(described('Added to that address unchanged', Type.String())),
  }),
  empty_is_absent: true,
  response: Type.Object({
    app_name: described('The name of the requesting app; null if none is named', nullable_text),
    redirect_uri: described('The address to continue to, with the state; null for none', nullable_text),
    user_id: described('The person that the hint names; null without a hint', nullable_uuid),
    is_approved: decided('D-123', is_approved),
  }),
  fails: ['unknown_client', 'id_token_hint_not_ours', 'logout_uri_not_registered'],
})

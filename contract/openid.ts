import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { bounded_text, constant, nullable_text, nullable_uuid, text, uuid } from './schema.ts'

/** What `prompt` may ask for (OpenID Connect Core §3.1.2.1). */
export const prompts = ['none', 'login', 'consent', 'select_account'] as const

export const listPublicKeys = endpoint({
  method: 'GET',
  path: '/.well-known/jwks.json',
  tag: 'Infrastructure',
  summary: 'The public keys that verify identity tokens (RFC 7517)',
  description:
    'The next key is listed a day before it signs, and an old one until its last token has expired. Keep the answer for as ' +
    'long as `Cache-Control` says, and read it again when a token names a `kid` that you do not know.',
  auth: 'none',
  cors: 'any_origin',
  origin: 'extension',
  decision: 'D-103',
  response: Type.Object({
    keys: Type.Array(
      Type.Object({
        kty: constant('RSA'),
        use: constant('sig'),
        alg: constant('RS256'),
        kid: uuid,
        n: text,
        e: text,
      }),
    ),
  }),
})

export const describeLogout = endpoint({
  method: 'GET',
  path: '/api/oauth/logout/request',
  tag: 'OAuth',
  summary: 'What the page at the end_session_endpoint shows; ends nothing',
  description:
    'The checks of OpenID Connect RP-Initiated Logout: who asks, for whom, and where the person goes afterwards. An expired ' +
    'identity token is good as a hint.',
  auth: 'none',
  origin: 'extension',
  decision: 'D-103',
  query: Type.Object({
    id_token_hint: Type.Optional(bounded_text(1, 4_096)),
    client_id: Type.Optional(bounded_text(1, 200)),
    post_logout_redirect_uri: Type.Optional(bounded_text(1, 2_048)),
    state: Type.Optional(Type.String()),
  }),
  empty_is_absent: true,
  response: Type.Object({
    app_name: nullable_text,
    /** Where the person goes afterwards, with the state. */
    redirect_uri: nullable_text,
    /** The person that the hint names. */
    user_id: nullable_uuid,
  }),
  fails: ['unknown_client', 'id_token_hint_not_ours', 'logout_uri_not_registered'],
})

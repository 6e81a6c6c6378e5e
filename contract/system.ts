import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { boolean, decided, described, nullable_text, one_of, text } from './schema.ts'

const of_anybody = { tag: 'Infrastructure', auth: 'none', cors: 'any_origin' } as const

const uri = Type.String({ format: 'uri' })
const words = Type.Array(text)
const at = (what: string) => described(what, uri)
const listOf = (what: string) => described(what, words)

export const health = endpoint('GET /health', {
  ...of_anybody,
  summary: 'Is the service up, and can it reach its database?',
  description:
    'The same as `/readyz`: 200, or 503 with another `status` while the database cannot be written to or the process is stopping.',
  response: Type.Object({
    status: described('`ok`, or the failed check, such as `database_unavailable`, or `stopping`', text),
    version: described('The version of the service and its API', text),
    sandbox: Type.Optional(
      decided(
        'D-102',
        described('True in a sandbox, whose points and people are for trials; otherwise absent', boolean),
      ),
    ),
  }),
  unready_has_body: true,
})

export const livez = endpoint('GET /livez', {
  ...of_anybody,
  summary: 'Does the process run?',
  description: 'Checks nothing else, so a process is not restarted because its database is unavailable.',
  origin: 'extension',
  decision: 'D-93',
  response: Type.Object({ status: described('A constant', one_of(['ok'])) }),
})

const readiness_check = Type.Object({
  name: described('The subject of the check, such as `database`', text),
  status: described(
    '`degraded` if a part does not work, `failed` if nothing does',
    one_of(['ok', 'degraded', 'failed']),
  ),
  reason: described('Always null: the process’s log has the reason', nullable_text),
})

export const readyz = endpoint('GET /readyz', {
  ...of_anybody,
  summary: 'Does this process accept work?',
  description:
    'For load balancers. 503 with the same body while any check has failed: the database cannot be written to, or the ' +
    'process is stopping. A `degraded` check means that a part does not work.',
  origin: 'extension',
  decision: 'D-93',
  response: Type.Object({
    status: described('Whether it accepts work', one_of(['ready', 'not_ready'])),
    checks: described('Each check', Type.Array(readiness_check)),
  }),
  unready_has_body: true,
})

export const protectedResource = endpoint('GET /.well-known/oauth-protected-resource', {
  ...of_anybody,
  revalidates: true,
  summary: 'Discovery of this API as an OAuth resource (RFC 9728)',
  description: 'Every 401 names this address in `WWW-Authenticate`.',
  response: Type.Object({
    resource: at('The address of this API'),
    authorization_servers: listOf('Who issues tokens for it'),
    scopes_supported: listOf('The scopes that any person can grant'),
    bearer_methods_supported: listOf('How a token is sent: in the Authorization header'),
  }),
})

/** The metadata of RFC 8414 and of OpenID Connect Discovery: one document at two addresses. */
export const server_metadata = Type.Object({
  issuer: at('The `iss` of its tokens and answers, and the address that a library is given'),
  authorization_endpoint: at('The page to which an app sends a person'),
  token_endpoint: at('Where codes and refresh tokens are exchanged'),
  pushed_authorization_request_endpoint: decided(
    'D-151',
    at('Where an app sends an authorization request beforehand (RFC 9126)'),
  ),
  require_pushed_authorization_requests: decided('D-151', described('Whether every app has to', boolean)),
  dpop_signing_alg_values_supported: decided('D-152', listOf('How DPoP proofs may be signed (RFC 9449)')),
  revocation_endpoint: at('Where tokens are revoked (RFC 7009)'),
  introspection_endpoint: at('Where a token is looked up (RFC 7662)'),
  userinfo_endpoint: at('Where the claims of the person are read, with profile:read'),
  response_types_supported: listOf('The `response_type` of a request: `code` only'),
  response_modes_supported: listOf('How the answer comes back: in the query'),
  grant_types_supported: listOf('The `grant_type` of the token endpoint'),
  scopes_supported: listOf('All scopes that an app may ask for, if it is allowed them'),
  code_challenge_methods_supported: listOf('How a code verifier is turned into its challenge: S256 only'),
  token_endpoint_auth_methods_supported: listOf('How a client shows who it is; `none` with a code verifier'),
  revocation_endpoint_auth_methods_supported: listOf('The same at the revocation'),
  authorization_response_iss_parameter_supported: described('Whether the response contains `iss` (RFC 9207)', boolean),
  service_documentation: at('The reference for people'),
  jwks_uri: decided('D-103', at('The keys that verify identity tokens')),
  end_session_endpoint: decided('D-103', at('The page that signs a person out of Plaza')),
  backchannel_logout_supported: decided(
    'D-155',
    described('Whether apps are sent logout tokens (Back-Channel Logout 1.0)', boolean),
  ),
  backchannel_logout_session_supported: decided('D-155', described('Whether these contain a `sid`', boolean)),
  subject_types_supported: decided('D-103', listOf('Whether `sub` is the same for every app: it is')),
  id_token_signing_alg_values_supported: decided('D-103', listOf('How identity tokens are signed')),
  claims_supported: decided('D-103', listOf('The claims of identity tokens and userinfo')),
  prompt_values_supported: decided('D-103', listOf('The words that `prompt` may have')),
  claims_parameter_supported: decided('D-103', described('Whether a request may name single claims', boolean)),
  request_parameter_supported: decided('D-103', described('Whether a request may be one signed object', boolean)),
  request_uri_parameter_supported: decided('D-103', described('Whether that object may be at an address', boolean)),
  client_id_metadata_document_supported: decided(
    'D-36',
    described('Whether the address of a client metadata document is accepted as a client id', boolean),
  ),
})

export const authorizationServer = endpoint('GET /.well-known/oauth-authorization-server', {
  ...of_anybody,
  revalidates: true,
  summary: 'Discovery of the authorization server (RFC 8414)',
  description: 'Contains everything that an OAuth library needs: configure it with the issuer.',
  origin: 'extension',
  decision: 'D-36',
  response: server_metadata,
})

export const openidConfiguration = endpoint('GET /.well-known/openid-configuration', {
  ...authorizationServer,
  revalidates: true,
  summary: 'The same metadata for clients of OpenID Connect',
  description: 'Contains everything that an OpenID Connect library needs: configure it with the issuer.',
  decision: 'D-103',
})

import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { decided, nullable_text, one_of, text } from './schema.ts'

const uri = Type.String({ format: 'uri' })
const words = Type.Array(text)

export const health = endpoint({
  method: 'GET',
  path: '/health',
  tag: 'Infrastructure',
  summary: 'Is the service up, and can it reach its database?',
  description:
    'Answers as `/readyz` does: 200, or 503 with the same body and another status word while the database cannot be ' +
    'written to or the process is stopping.',
  auth: 'none',
  cors: 'any_origin',
  response: Type.Object({ status: text, version: text }),
})

export const livez = endpoint({
  method: 'GET',
  path: '/livez',
  tag: 'Infrastructure',
  summary: 'Does the process run?',
  description: 'Asks nothing else, so it is no reason to restart a process whose database is away.',
  auth: 'none',
  cors: 'any_origin',
  origin: 'extension',
  decision: 'D-93',
  response: Type.Object({ status: one_of(['ok']) }),
})

export const readyz = endpoint({
  method: 'GET',
  path: '/readyz',
  tag: 'Infrastructure',
  summary: 'Does this process take work?',
  description:
    'For load balancers. 503 with the same body while any check has failed: the database cannot be written to, or the ' +
    'process is stopping. A check that is `degraded` says that a part does not work.',
  auth: 'none',
  cors: 'any_origin',
  origin: 'extension',
  decision: 'D-93',
  response: Type.Object({
    status: one_of(['ready', 'not_ready']),
    checks: Type.Array(
      Type.Object({ name: text, status: one_of(['ok', 'degraded', 'failed']), reason: nullable_text }),
    ),
  }),
})

export const protectedResource = endpoint({
  method: 'GET',
  path: '/.well-known/oauth-protected-resource',
  tag: 'Infrastructure',
  summary: 'Discovery of this API as an OAuth resource (RFC 9728)',
  auth: 'none',
  cors: 'any_origin',
  response: Type.Object({
    resource: uri,
    authorization_servers: words,
    scopes_supported: words,
    bearer_methods_supported: words,
  }),
})

/** The metadata of RFC 8414 and of OpenID Connect Discovery: one document under two addresses. */
export const server_metadata = Type.Object({
  issuer: uri,
  authorization_endpoint: uri,
  token_endpoint: uri,
  revocation_endpoint: uri,
  introspection_endpoint: uri,
  userinfo_endpoint: uri,
  response_types_supported: words,
  response_modes_supported: words,
  grant_types_supported: words,
  scopes_supported: words,
  code_challenge_methods_supported: words,
  token_endpoint_auth_methods_supported: words,
  revocation_endpoint_auth_methods_supported: words,
  authorization_response_iss_parameter_supported: Type.Boolean(),
  service_documentation: uri,
  jwks_uri: decided('D-103', uri),
  end_session_endpoint: decided('D-103', uri),
  subject_types_supported: decided('D-103', words),
  id_token_signing_alg_values_supported: decided('D-103', words),
  claims_supported: decided('D-103', words),
  prompt_values_supported: decided('D-103', words),
  claims_parameter_supported: decided('D-103', Type.Boolean()),
  request_parameter_supported: decided('D-103', Type.Boolean()),
  request_uri_parameter_supported: decided('D-103', Type.Boolean()),
})

export const authorizationServer = endpoint({
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  tag: 'Infrastructure',
  summary: 'Discovery of the authorization server (RFC 8414)',
  auth: 'none',
  cors: 'any_origin',
  origin: 'extension',
  decision: 'D-36',
  response: server_metadata,
})

export const openidConfiguration = endpoint({
  ...authorizationServer,
  path: '/.well-known/openid-configuration',
  summary: 'The same metadata where clients of OpenID Connect look first',
  decision: 'D-103',
})

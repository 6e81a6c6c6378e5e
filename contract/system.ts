import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { text } from './schema.ts'

const uri = Type.String({ format: 'uri' })
const words = Type.Array(text)

export const health = endpoint({
  method: 'GET',
  path: '/health',
  tag: 'Infrastructure',
  summary: 'Is the service up, and can it reach its database?',
  description: 'Answers 503 with the same body and another status word while the database is away.',
  auth: 'none',
  cors: 'any_origin',
  response: Type.Object({ status: text, version: text }),
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

const server_metadata = Type.Object({
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
})

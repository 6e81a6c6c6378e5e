import { scope_names, scopes_of_ordinary_users } from '../../contract/scopes.ts'
import { authorizationServer, health, openidConfiguration, protectedResource } from '../../contract/system.ts'
import { answer, mount, type Http } from '../http/mount.ts'
import type { Database } from '../kit/database.ts'

export interface SystemDeps {
  db: Database
  /** Issuer, resource and base of all addresses: from the configuration, never from a request's Host. */
  public_url: string
  version: string
}

/** Health and discovery: what a stranger asks first. */
export function systemRoutes(http: Http, { db, public_url, version }: SystemDeps) {
  mount(http, health, async () => {
    return (await db.isReachable())
      ? { status: 'ok', version }
      : answer({ status: 'database_unavailable', version }, { status: 503, headers: { 'retry-after': '1' } })
  })

  mount(http, protectedResource, async () => ({
    resource: public_url,
    authorization_servers: [public_url],
    scopes_supported: [...scopes_of_ordinary_users],
    bearer_methods_supported: ['header'],
  }))

  const metadata = serverMetadata(public_url)
  mount(http, authorizationServer, async () => metadata)
  mount(http, openidConfiguration, async () => metadata)
}

/** RFC 8414 (D-36). */
const serverMetadata = (public_url: string) => ({
  issuer: public_url,
  authorization_endpoint: `${public_url}/oauth/authorize`,
  token_endpoint: `${public_url}/api/oauth/token`,
  revocation_endpoint: `${public_url}/api/oauth/revoke`,
  introspection_endpoint: `${public_url}/api/oauth/token/verify`,
  userinfo_endpoint: `${public_url}/api/external/user`,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  scopes_supported: scope_names.filter((scope) => scope !== 'points:award'),
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  authorization_response_iss_parameter_supported: true,
  service_documentation: `${public_url}/docs`,
})

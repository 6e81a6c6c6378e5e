import { decisions } from '../../contract/decisions.ts'
import { agentResource, mcp_path } from '../../contract/mcp.ts'
import { prompts } from '../../contract/openid.ts'
import { openid_scope, requestable_scopes, scopes_of_ordinary_users } from '../../contract/kinds/scopes.ts'
import {
  authorizationServer,
  health,
  livez,
  openidConfiguration,
  protectedResource,
  readyz,
} from '../../contract/system.ts'
import { answer, mount, type Http } from '../http/mount.ts'
import { readyzBody, type Readiness, type ReadinessReport } from '../platform/readiness.ts'

export interface SystemDeps {
  readiness: Readiness
  /** Issuer, resource and base of all URLs: from the configuration, never from a request's Host. */
  public_url: string
  version: string
  is_sandbox: boolean
  /** Whether a client_id may be the address of a document. */
  has_client_documents: boolean
}

/** The health probes (D-93). They depend only on the readiness. */
export function probeRoutes(
  http: Http,
  { readiness, version, is_sandbox }: Pick<SystemDeps, 'readiness' | 'version' | 'is_sandbox'>,
) {
  const not_ready = { status: 503, headers: { 'retry-after': '1' } } as const
  const about = { version, ...(is_sandbox && { sandbox: true }) }
  mount(http, health, async () => {
    const report = await readiness.report()
    return report.is_ready ? { status: 'ok', ...about } : answer({ status: failureStatus(report), ...about }, not_ready)
  })
  mount(http, livez, async () => ({ status: 'ok' as const }))
  mount(http, readyz, async () => {
    const report = await readiness.report()
    const body = readyzBody(report)
    return report.is_ready ? body : answer(body, not_ready)
  })
}

/** Health and discovery. */
export function systemRoutes(http: Http, { public_url, has_client_documents, ...probes }: SystemDeps) {
  probeRoutes(http, probes)

  mount(http, protectedResource, async () => ({
    resource: public_url,
    authorization_servers: [public_url],
    scopes_supported: [...scopes_of_ordinary_users],
    bearer_methods_supported: ['header'],
  }))

  mount(http, agentResource, async () => ({
    resource: public_url + mcp_path,
    authorization_servers: [public_url],
    scopes_supported: [...decisions.client_documents.document_scopes],
    bearer_methods_supported: ['header'],
  }))

  const metadata = serverMetadata(public_url, has_client_documents)
  mount(http, authorizationServer, async () => metadata)
  mount(http, openidConfiguration, async () => metadata)
}

/** The status of `/health`, named after the first failed check. */
function failureStatus({ checks }: ReadinessReport) {
  const failed = checks.find(({ status }) => status === 'failed')?.name
  return failed === 'process' ? 'stopping' : `${failed}_unavailable`
}

/** RFC 8414 and OpenID Connect Discovery 1.0. */
const serverMetadata = (public_url: string, has_client_documents: boolean) => ({
  issuer: public_url,
  authorization_endpoint: `${public_url}/oauth/authorize`,
  token_endpoint: `${public_url}/api/oauth/token`,
  pushed_authorization_request_endpoint: `${public_url}/api/oauth/par`,
  require_pushed_authorization_requests: false,
  dpop_signing_alg_values_supported: [...decisions.dpop.algorithms],
  revocation_endpoint: `${public_url}/api/oauth/revoke`,
  introspection_endpoint: `${public_url}/api/oauth/token/verify`,
  userinfo_endpoint: `${public_url}/api/external/user`,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  scopes_supported: [openid_scope.scope, ...requestable_scopes],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  authorization_response_iss_parameter_supported: true,
  service_documentation: `${public_url}/docs`,
  jwks_uri: `${public_url}/.well-known/jwks.json`,
  end_session_endpoint: `${public_url}/oauth/logout`,
  backchannel_logout_supported: true,
  backchannel_logout_session_supported: true,
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  claims_supported: [...id_token_claims],
  prompt_values_supported: [...prompts],
  claims_parameter_supported: false,
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
  client_id_metadata_document_supported: has_client_documents,
})

const id_token_claims = 'iss sub aud exp iat auth_time nonce at_hash sid name email email_verified'.split(' ')

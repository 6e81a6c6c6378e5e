import { Failure } from '../platform/failure.ts'
import { redeemAuthorizationCode } from './authorization-code-grant.service.ts'
import { authenticateClient, type OAuthParameters } from './client-authentication.service.ts'
import type { SecretUse } from './client-secrets.rules.ts'
import { exchangeRefreshToken } from './refresh-token-rotation.service.ts'
import type { ProvedRequest } from './dpop/service.ts'
import type { OAuthDeps } from './service.ts'
import type { IssuedTokens } from './token-response.rules.ts'

/**
 * The token endpoint (RFC 6749 §3.2, §4.1.3, §6): authenticates the client, checks the DPoP proof if there is one
 * (D-152), then handles the grant. Fails with the codes of RFC 6749 §5.2; the log names the failed check.
 */
export async function issueTokens(
  deps: OAuthDeps,
  parameters: OAuthParameters,
  use: SecretUse,
  proof?: ProvedRequest,
): Promise<IssuedTokens> {
  const { grant_type } = parameters
  if (grant_type === undefined) throw new Failure('invalid_request', { why: 'no grant_type' })
  if (grant_type !== 'authorization_code' && grant_type !== 'refresh_token')
    throw new Failure('unsupported_grant_type', { grant_type })
  const client = await authenticateClient(deps, parameters, use)
  if (client.require_dpop && !proof) throw new Failure('dpop_required', { client_id: client.client_id })
  const jkt = proof ? await deps.proofs.check(proof) : null
  return grant_type === 'refresh_token'
    ? exchangeRefreshToken(deps, client, parameters, jkt)
    : redeemAuthorizationCode(deps, client, parameters, jkt)
}

import { Failure } from '../platform/failure.ts'
import { sha256 } from '../platform/secrets.ts'
import { authenticateClient, type OAuthParameters } from './client-authentication.service.ts'
import type { SecretUse } from './client-secrets.rules.ts'
import { findRefreshToken } from './refresh-tokens.store.ts'
import { isIrrevocable, prefixes } from './rules.ts'
import { endAccessToken, endGrant, tokenKey, type OAuthDeps } from './service.ts'
import { endSessionOfToken } from './app-sessions.store.ts'

/**
 * Revokes a token of the calling client (RFC 7009): an access token alone, a refresh token with its whole grant, a
 * session token with its session (D-85). Does nothing for tokens that are unknown, expired or another client's. Fails
 * with `invalid_client`, `unauthorized_client`, `invalid_request` or `unsupported_token_type`.
 */
export async function revokeToken(deps: OAuthDeps, parameters: OAuthParameters, use: SecretUse) {
  const client = await authenticateClient(deps, parameters, use)
  const { token } = parameters
  if (token === undefined) throw new Failure('invalid_request', { why: 'no token' })
  if (token.startsWith(prefixes.access_token)) {
    const key = tokenKey(token)
    const found = await deps.tokens.get(key)
    if (found?.app_id === client.id) await endAccessToken(deps, key)
  } else if (token.startsWith(prefixes.session_token)) {
    await endSessionOfToken(deps.db, { token_hash: sha256(token), app_id: client.id, now: deps.clock() })
  } else {
    if (isIrrevocable(token)) throw new Failure('unsupported_token_type', { client_id: client.client_id })
    const found = await findRefreshToken(deps.db, sha256(token))
    if (found?.app_id === client.id) await endGrant(deps, found.grant_id)
  }
}

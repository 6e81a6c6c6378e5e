import { decisions } from '../../contract/decisions.ts'
import { addressOf } from './resources.rules.ts'
import { isExpired, prefixes } from './rules.ts'
import { tokenKey, type OAuthDeps } from './service.ts'

/**
 * Introspects the token in a body (D-37): only an access token is ever active. Anything else gets a reason, including a
 * body without a token (D-84). Never fails because of the token.
 */
export async function introspect({ tokens, clock, issuer }: OAuthDeps, body: unknown) {
  const { token } = (body ?? {}) as { token?: unknown }
  if (typeof token !== 'string' || token === '') return { active: false, reason: decisions.introspection.reason }
  const found = token.startsWith(prefixes.access_token) ? await tokens.get(tokenKey(token)) : undefined
  if (!found) return { active: false, reason: 'unknown' }
  if (isExpired(found, clock())) return { active: false, reason: 'expired' }
  if (!found.live) return { active: false, reason: 'revoked' }
  const { user_id, app_id, client_id, scopes, expires_at, inserted_at, jkt, resource } = found
  return {
    active: true,
    user_id,
    app_id,
    scopes,
    expires_at,
    scope: scopes.join(' '),
    client_id,
    sub: user_id,
    exp: Math.floor(expires_at.getTime() / 1000),
    iat: Math.floor(inserted_at.getTime() / 1000),
    ...(jkt === null ? { token_type: 'Bearer' } : { token_type: 'DPoP', cnf: { jkt } }),
    aud: addressOf(issuer, resource),
  }
}

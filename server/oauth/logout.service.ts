import { Failure } from '../platform/failure.ts'
import type { QueryOf } from '../../contract/endpoint.ts'
import type { describeLogout as endpoint } from '../../contract/openid.ts'
import { withParameters } from '../../contract/addresses.ts'
import { requireKnownClient } from './authorize.service.ts'
import { readIdTokenHint } from './id-tokens.service.ts'
import { isLogoutUri } from './rules.ts'
import type { OAuthDeps } from './service.ts'

type LogoutRequest = QueryOf<typeof endpoint>

/**
 * Checks a request to sign out (OpenID Connect RP-Initiated Logout 1.0) and returns its app, its person, and the
 * address to go to afterwards; ends nothing. Fails with `unknown_client`, `id_token_hint_not_ours` or
 * `logout_uri_not_registered`.
 */
export async function describeLogout(deps: OAuthDeps, request: LogoutRequest) {
  const hint = await requireOwnHint(deps, request)
  const client_id = request.client_id ?? hint?.client_id
  const app = client_id === undefined ? undefined : await requireKnownClient(deps.db, { client_id })
  return {
    app_name: app?.app_name ?? null,
    redirect_uri: logoutAddress(app?.redirect_uris ?? [], request),
    user_id: hint?.user_id ?? null,
    is_approved: app?.is_approved ?? false,
  }
}

async function requireOwnHint(deps: OAuthDeps, { id_token_hint, client_id }: LogoutRequest) {
  if (id_token_hint === undefined) return undefined
  const hint = await readIdTokenHint(deps, id_token_hint)
  if (!hint || (client_id !== undefined && client_id !== hint.client_id)) throw new Failure('id_token_hint_not_ours')
  return hint
}

function logoutAddress(registered: readonly string[], { post_logout_redirect_uri, state }: LogoutRequest) {
  if (post_logout_redirect_uri === undefined) return null
  if (!isLogoutUri(registered, post_logout_redirect_uri)) throw new Failure('logout_uri_not_registered')
  return state === undefined ? post_logout_redirect_uri : withParameters(post_logout_redirect_uri, { state })
}

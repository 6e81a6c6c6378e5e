import { secondsAfter } from '../platform/clock.ts'
import { Failure, orFail } from '../platform/failure.ts'
import { newId } from '../platform/ids.ts'
import { newSecret, sha256 } from '../platform/secrets.ts'
import type { AppRow } from './apps.store.ts'
import { countFailedAttempt, findCode, type CodeRow, type Redemption } from './authorization-codes.store.ts'
import type { OAuthParameters } from './client-authentication.service.ts'
import { newIdToken } from './id-tokens.service.ts'
import { prefixes, verifierMatches } from './rules.ts'
import { requireResource } from './resources.rules.ts'
import { endGrant, type OAuthDeps } from './service.ts'
import { expiriesOf, tokenResponse, type IssuedTokens } from './token-response.rules.ts'

/**
 * The authorization code grant: every check of a code, in order. A refused request leaves the code valid, so that
 * knowing a code is not enough to void it. Only wrong verifiers count; a few of them void it.
 */
export async function redeemAuthorizationCode(
  deps: OAuthDeps,
  client: AppRow,
  parameters: OAuthParameters,
  jkt: string | null,
): Promise<IssuedTokens> {
  requireProof(client, parameters)
  const { code, redirect_uri } = requireCodeAndRedirect(parameters)
  const code_hash = sha256(code)
  const found = await requireCodeOfClient(deps, client, code_hash)
  requireSameRedirect(found, redirect_uri)
  requireResource(deps.issuer, found.resource, parameters.resource)
  await requireMatchingVerifier(deps, found, code_hash, parameters)
  requireKeyOf(found, jkt)
  // RFC 9449 §5: with a secret, the secret binds the refresh token.
  const refresh_token_jkt = parameters.client_secret === undefined ? jkt : null
  return consumeCode(deps, client, code_hash, { access_token_jkt: jkt, refresh_token_jkt })
}

/** D-24: a verifier or a secret; some apps always require the verifier. */
function requireProof({ require_pkce, client_id }: AppRow, { code_verifier, client_secret }: OAuthParameters) {
  if (code_verifier === undefined && (client_secret === undefined || require_pkce))
    throw new Failure('verifier_missing', { client_id })
}

function requireCodeAndRedirect({ code, redirect_uri }: OAuthParameters) {
  if (code === undefined || redirect_uri === undefined) throw new Failure('code_or_redirect_missing')
  return { code, redirect_uri }
}

async function requireCodeOfClient({ db }: OAuthDeps, { id, client_id }: AppRow, code_hash: Buffer) {
  const found = await orFail(findCode(db, code_hash), 'invalid_grant', { client_id, why: 'unknown code' })
  if (found.app_id !== id) throw new Failure('invalid_grant', { client_id, why: 'the code of another app' })
  return found
}

function requireSameRedirect(found: CodeRow, redirect_uri: string) {
  if (found.redirect_uri !== redirect_uri) throw new Failure('invalid_grant', { why: 'another redirect_uri' })
}

async function requireMatchingVerifier(
  { db }: OAuthDeps,
  { code_challenge }: CodeRow,
  code_hash: Buffer,
  { code_verifier }: OAuthParameters,
) {
  if (code_verifier === undefined || verifierMatches(code_verifier, code_challenge)) return
  await countFailedAttempt(db, code_hash)
  throw new Failure('invalid_grant', { why: 'the verifier does not match the challenge' })
}

/** A code may be bound to a key when it is issued (RFC 9449 §10). */
function requireKeyOf(found: CodeRow, jkt: string | null) {
  if (found.jkt !== null && found.jkt !== jkt) throw new Failure('dpop_key_mismatch', { proved: jkt !== null })
}

/** Consumes the code. A second redemption with valid proof is a replay: it revokes the tokens of the first (D-25). */
async function consumeCode(
  deps: OAuthDeps,
  client: AppRow,
  code_hash: Buffer,
  keys: Pick<Redemption, 'access_token_jkt' | 'refresh_token_jkt'>,
): Promise<IssuedTokens> {
  const { db, clock, codes, lifetimes, last_uses } = deps
  const access_token = newSecret(prefixes.access_token)
  const refresh_token = newSecret(prefixes.refresh_token)
  const session_token = newSecret(prefixes.session_token)
  const now = clock()
  const session_token_expires_at = secondsAfter(now, lifetimes.session_token_seconds)
  const redeemed = await codes.redeem({
    code_hash,
    grant_id: newId(),
    access_token_hash: sha256(access_token),
    refresh_token_hash: sha256(refresh_token),
    session_id: newId(),
    session_token_hash: sha256(session_token),
    ...keys,
  })
  if (redeemed) {
    const { grant_id, user_id, scopes, auth_time, nonce, sid } = redeemed
    last_uses.record({ grant_id, user_id, app_id: client.id })
    const { client_id } = client
    const id_token =
      auth_time === null
        ? undefined
        : await newIdToken(deps, { client_id, user_id, scopes, access_token, auth_time, nonce, sid })
    const expiries = expiriesOf(lifetimes, { now, consented_at: now })
    return {
      ...tokenResponse(
        { access_token, refresh_token, scopes, jkt: keys.access_token_jkt, ...expiries },
        { now, id_token },
      ),
      session_token,
      session_token_expires_at,
    }
  }
  const used = await findCode(db, code_hash)
  if (used?.grant_id) await endGrant(deps, used.grant_id)
  throw new Failure('invalid_grant', {
    client_id: client.client_id,
    why: used?.grant_id ? 'the code was used before; its grant is revoked' : 'the code expired or is void',
  })
}

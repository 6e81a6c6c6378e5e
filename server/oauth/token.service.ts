import { decisions } from '../../contract/decisions.ts'
import type { Scope } from '../../contract/scopes.ts'
import { secondsAfter } from '../platform/clock.ts'
import { Failure } from '../platform/failure.ts'
import { newId } from '../platform/ids.ts'
import { decrypt, deriveKey, encrypt, newSecret, sha256 } from '../platform/secrets.ts'
import { identifyClient, type OAuthParameters } from './client.service.ts'
import { isIrrevocable, parseScopes, prefixes, verifierMatches } from './rules.ts'
import { endAccessToken, endGrant, tokenKey, type OAuthDeps } from './service.ts'
import type { AppRow } from './store.ts'
import { countFailedTry, findCode, type CodeRow } from './code.store.ts'
import { endSessionOfToken } from './session.store.ts'
import { findRefreshToken, rotateRefreshToken, type NewTokens, type RefreshTokenRow } from './token.store.ts'

export interface IssuedTokens {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  scope: string
  session_token?: string
  session_token_expires_at?: Date
}

/**
 * The token endpoint (RFC 6749 §3.2, §4.1.3, §6): client first, then the grant. Fails with the codes of RFC 6749 §5.2;
 * the log says which check refused.
 */
export async function issueTokens(deps: OAuthDeps, parameters: OAuthParameters): Promise<IssuedTokens> {
  const { grant_type } = parameters
  if (grant_type === undefined) throw new Failure('invalid_request', { why: 'no grant_type' })
  if (grant_type !== 'authorization_code' && grant_type !== 'refresh_token')
    throw new Failure('unsupported_grant_type', { grant_type })
  const client = await identifyClient(deps, parameters)
  return grant_type === 'refresh_token' ? refresh(deps, client, parameters) : redeem(deps, client, parameters)
}

// Authorization code

/**
 * Every check of a code, in order. A refusal leaves the code good, so that nobody who merely saw it can spoil it; only
 * wrong verifiers count, and a few of them end it.
 */
async function redeem(deps: OAuthDeps, client: AppRow, parameters: OAuthParameters): Promise<IssuedTokens> {
  requireProof(client, parameters)
  const { code, redirect_uri } = requireCodeAndRedirect(parameters)
  const code_hash = sha256(code)
  const found = await requireCodeOfClient(deps, client, code_hash)
  requireSameRedirect(found, redirect_uri)
  await requireMatchingVerifier(deps, found, code_hash, parameters)
  return takeCode(deps, client, code_hash)
}

/** D-24: a verifier or a secret; an app may demand the verifier of everybody. */
function requireProof({ require_pkce, client_id }: AppRow, { code_verifier, client_secret }: OAuthParameters) {
  if (code_verifier === undefined && (client_secret === undefined || require_pkce))
    throw new Failure('verifier_missing', { client_id })
}

function requireCodeAndRedirect({ code, redirect_uri }: OAuthParameters) {
  if (code === undefined || redirect_uri === undefined) throw new Failure('code_or_redirect_missing')
  return { code, redirect_uri }
}

async function requireCodeOfClient({ db }: OAuthDeps, { id, client_id }: AppRow, code_hash: Buffer) {
  const found = await findCode(db, code_hash)
  if (!found) throw new Failure('invalid_grant', { client_id, why: 'unknown code' })
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
  await countFailedTry(db, code_hash)
  throw new Failure('invalid_grant', { why: 'the verifier does not match the challenge' })
}

/** Uses the code up. Who comes second with all the right proofs replays it: the tokens of the first end (D-25). */
async function takeCode(deps: OAuthDeps, client: AppRow, code_hash: Buffer): Promise<IssuedTokens> {
  const { db, clock, codes, lifetimes, uses } = deps
  const access_token = newSecret(prefixes.access_token)
  const refresh_token = newSecret(prefixes.refresh_token)
  const session_token = newSecret(prefixes.session_token)
  const session_token_expires_at = secondsAfter(clock(), lifetimes.session_token_seconds)
  const redeemed = await codes.redeem({
    code_hash,
    grant_id: newId(),
    access_token_hash: sha256(access_token),
    refresh_token_hash: sha256(refresh_token),
    session_id: newId(),
    session_token_hash: sha256(session_token),
  })
  if (redeemed) {
    const { grant_id, user_id, scopes } = redeemed
    uses.note({ grant_id, user_id, app_id: client.id })
    return {
      ...bearer(access_token, refresh_token, lifetimes.access_token_seconds, scopes),
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

// Refresh token

/** Every check of a refresh token, in order (D-26; RFC 9700 §4.14). */
async function refresh(deps: OAuthDeps, client: AppRow, parameters: OAuthParameters): Promise<IssuedTokens> {
  requireSecret(client, parameters)
  const token = requireRefreshToken(parameters)
  const found = await requireTokenOfClient(deps, client, token)
  requireLiveGrant(found)
  // Before its expiry and the scope are looked at: a stolen token that comes back late must end its grant all the same.
  if (found.used_at) {
    const sealed = await requireReplayable(deps, found)
    requireScopesWithin(found, parameters)
    return replay(deps, found, sealed, token)
  }
  requireUnexpired(deps, found)
  const scopes = requireScopesWithin(found, parameters)
  return rotate(deps, client, found, token, scopes)
}

function requireSecret({ client_id }: AppRow, { client_secret }: OAuthParameters) {
  if (client_secret === undefined) throw new Failure('secret_missing', { client_id })
}

function requireRefreshToken({ refresh_token }: OAuthParameters) {
  if (refresh_token === undefined) throw new Failure('invalid_request', { why: 'no refresh_token' })
  return refresh_token
}

async function requireTokenOfClient({ db }: OAuthDeps, { id, client_id }: AppRow, token: string) {
  const found = await findRefreshToken(db, sha256(token))
  if (!found || found.app_id !== id)
    throw new Failure('invalid_grant', { client_id, why: found ? 'a token of another app' : 'unknown refresh token' })
  return found
}

function requireLiveGrant({ live, grant_id }: RefreshTokenRow) {
  if (!live) throw new Failure('invalid_grant', { grant_id, why: 'the grant has ended' })
}

function requireUnexpired({ clock }: OAuthDeps, { expires_at, grant_id }: RefreshTokenRow) {
  if (expires_at <= clock()) throw new Failure('invalid_grant', { grant_id, why: 'the refresh token expired' })
}

function requireScopesWithin({ scopes, grant_id }: RefreshTokenRow, { scope }: OAuthParameters) {
  if (scope === undefined) return scopes
  const wanted = parseScopes(scope)
  if (!wanted?.every((name) => scopes.includes(name))) throw new Failure('invalid_scope', { grant_id, scope })
  return wanted.length > 0 ? wanted : scopes
}

async function rotate(deps: OAuthDeps, client: AppRow, found: RefreshTokenRow, token: string, scopes: Scope[]) {
  const { db, clock, lifetimes } = deps
  const now = clock()
  const pair = newPair(deps, found.grant_id, now)
  const { access_token, refresh_token, stored } = pair
  const successor: Successor = {
    access_token,
    refresh_token,
    access_token_expires_at: stored.access_token_expires_at.getTime(),
    scopes,
  }
  const sealed = encrypt(successorKey(token), JSON.stringify(successor))
  if (await rotateRefreshToken(db, sha256(token), sealed, scopes, stored))
    return bearer(access_token, refresh_token, lifetimes.access_token_seconds, scopes)
  // Another call rotated it in the meantime, or it or its grant ended: look again, and answer what is true now.
  const again = await requireTokenOfClient(deps, client, token)
  requireLiveGrant(again)
  requireUnexpired(deps, again)
  return replay(deps, again, await requireReplayable(deps, again), token)
}

interface Successor {
  access_token: string
  refresh_token: string
  /** Milliseconds since 1970. */
  access_token_expires_at: number
  scopes: Scope[]
}

/** Only who holds the old token can read its successor: the key is stored nowhere. */
const successorKey = (token: string) => deriveKey(token, 'refresh successor')

/** A used token may come again for a short while (lost answers, parallel tabs); after that it ends the grant. */
async function requireReplayable(deps: OAuthDeps, { used_at, sealed_successor, grant_id }: RefreshTokenRow) {
  const { replay_seconds } = decisions['D-26'].value
  if (used_at !== null && sealed_successor && deps.clock() < secondsAfter(used_at, replay_seconds))
    return sealed_successor
  await endGrant(deps, grant_id)
  throw new Failure('invalid_grant', { grant_id, why: 'a used refresh token; its grant is revoked' })
}

/** The very same pair that the token brought before, with those of its scopes that the app is still allowed. */
function replay(
  { clock }: OAuthDeps,
  { scopes, grant_id }: RefreshTokenRow,
  sealed_successor: Buffer,
  token: string,
): IssuedTokens {
  const successor = JSON.parse(decrypt(successorKey(token), sealed_successor)) as Successor
  const left = successor.scopes.filter((scope) => scopes.includes(scope))
  if (left.length === 0) throw new Failure('invalid_grant', { grant_id, why: 'its scopes were taken away' })
  const seconds_left = Math.max(1, Math.floor((successor.access_token_expires_at - clock().getTime()) / 1000))
  return bearer(successor.access_token, successor.refresh_token, seconds_left, left)
}

// Both grants

function newPair({ lifetimes }: OAuthDeps, grant_id: string, now: Date) {
  const access_token = newSecret(prefixes.access_token)
  const refresh_token = newSecret(prefixes.refresh_token)
  const stored: NewTokens = {
    grant_id,
    access_token_hash: sha256(access_token),
    access_token_expires_at: secondsAfter(now, lifetimes.access_token_seconds),
    refresh_token_hash: sha256(refresh_token),
    refresh_token_expires_at: secondsAfter(now, lifetimes.refresh_token_seconds),
    now,
  }
  return { access_token, refresh_token, stored }
}

const bearer = (access_token: string, refresh_token: string, expires_in: number, scopes: Scope[]): IssuedTokens => ({
  access_token,
  token_type: 'Bearer',
  expires_in,
  refresh_token,
  scope: scopes.join(' '),
})

// Revocation and introspection

/**
 * Revokes a token of the calling client (RFC 7009): an access token by itself, a refresh token with its whole grant, a
 * session token with its session (D-85). Tokens that are unknown, over or another client's are passed over in silence.
 * Fails with `invalid_client`, `invalid_request` or `unsupported_token_type`.
 */
export async function revokeToken(deps: OAuthDeps, parameters: OAuthParameters) {
  const client = await identifyClient(deps, parameters)
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

/**
 * What the token in a body is good for (D-37): only an access token is ever active; anything else has a reason, and so has
 * a body without a token (D-84). Never fails on a token.
 */
export async function introspect({ tokens, clock }: OAuthDeps, body: unknown) {
  const { token } = (body ?? {}) as { token?: unknown }
  if (typeof token !== 'string' || token === '') return { active: false, reason: decisions['D-84'].value.reason }
  const found = token.startsWith(prefixes.access_token) ? await tokens.get(tokenKey(token)) : undefined
  if (!found) return { active: false, reason: 'unknown' }
  if (found.expires_at <= clock()) return { active: false, reason: 'expired' }
  if (!found.live) return { active: false, reason: 'revoked' }
  const { user_id, app_id, client_id, scopes, expires_at, inserted_at } = found
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
    token_type: 'Bearer',
  }
}

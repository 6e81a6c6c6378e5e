import { decisions } from '../../contract/decisions.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { isTooFarAhead, secondsAfter } from '../platform/clock.ts'
import { Failure } from '../platform/failure.ts'
import { decrypt, deriveKey, encrypt, newSecret, sha256 } from '../platform/secrets.ts'
import type { AppRow } from './apps.store.ts'
import type { OAuthParameters } from './client-authentication.service.ts'
import { newIdToken } from './id-tokens.service.ts'
import {
  findRefreshToken,
  replaceRefreshToken,
  type NewTokenPair,
  type RefreshTokenRow,
} from './refresh-tokens.store.ts'
import { asksForOpenid, isExpired, parseScopes, prefixes } from './rules.ts'
import { requireResource } from './resources.rules.ts'
import { endGrant, type OAuthDeps } from './service.ts'
import { expiriesOf, tokenResponse, type IssuedTokens, type TokenPair } from './token-response.rules.ts'

/** The refresh token grant: every check of a refresh token, in order, then its rotation (D-26; RFC 9700 §4.14). */
export async function exchangeRefreshToken(
  deps: OAuthDeps,
  client: AppRow,
  parameters: OAuthParameters,
  jkt: string | null,
): Promise<IssuedTokens> {
  // Without a proof, a request without the secret is refused before its token is looked up.
  if (jkt === null) requireSecret(client, parameters)
  const token = requireRefreshToken(parameters)
  const found = await requireTokenOfClient(deps, client, token)
  requireKeyOrSecret(client, found, parameters, jkt)
  requireActiveGrant(found)
  // Before expiry and scope are checked: a late reuse of a stolen token always revokes the grant.
  if (found.used_at) {
    const sealed = await requireReplayable(deps, found)
    requireWithin(deps, found, parameters)
    return withIdToken(deps, client, found, parameters, replayPair(deps, found, sealed, { token, jkt }))
  }
  requireUnexpired(deps, found)
  const scopes = requireWithin(deps, found, parameters)
  const pair = await rotateRefreshToken(deps, client, found, { token, jkt }, scopes)
  return withIdToken(deps, client, found, parameters, pair)
}

/**
 * The response for a pair; with an identity token if the grant issues them and the request does not omit `openid`
 * (D-103).
 */
async function withIdToken(
  deps: OAuthDeps,
  { client_id }: AppRow,
  { user_id, auth_time, sid }: RefreshTokenRow,
  { scope }: OAuthParameters,
  pair: TokenPair,
): Promise<IssuedTokens> {
  const now = deps.clock()
  if (auth_time === null || (scope !== undefined && !asksForOpenid(scope))) return tokenResponse(pair, { now })
  const { access_token, scopes } = pair
  const id_token = await newIdToken(deps, { client_id, user_id, scopes, access_token, auth_time, nonce: null, sid })
  return tokenResponse(pair, { now, id_token })
}

function requireSecret({ client_id }: AppRow, { client_secret }: OAuthParameters) {
  if (client_secret === undefined) throw new Failure('secret_missing', { client_id })
}

/** D-152: a bound token needs a proof of its key, any other token the secret. */
function requireKeyOrSecret(client: AppRow, found: RefreshTokenRow, parameters: OAuthParameters, jkt: string | null) {
  if (found.jkt === null) requireSecret(client, parameters)
  else if (found.jkt !== jkt) throw new Failure('dpop_key_mismatch', { proved: jkt !== null })
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

function requireActiveGrant({ live, grant_id }: RefreshTokenRow) {
  if (!live) throw new Failure('invalid_grant', { grant_id, why: 'the grant has ended' })
}

function requireUnexpired({ clock }: OAuthDeps, token: RefreshTokenRow) {
  if (isExpired(token, clock()))
    throw new Failure('invalid_grant', { grant_id: token.grant_id, why: 'the refresh token expired' })
}

/** The scopes of the new token; it is for the resource of the grant (RFC 8707 §2.2). */
function requireWithin({ issuer }: OAuthDeps, found: RefreshTokenRow, { scope, resource }: OAuthParameters) {
  const { scopes, grant_id } = found
  requireResource(issuer, found.resource, resource)
  if (scope === undefined) return scopes
  const requested = parseScopes(scope)
  if (!requested?.every((name) => scopes.includes(name))) throw new Failure('invalid_scope', { grant_id, scope })
  return requested.length > 0 ? requested : scopes
}

/** Replaces the refresh token with a new pair; a call that loses the race returns the winner's pair. */
async function rotateRefreshToken(
  deps: OAuthDeps,
  client: AppRow,
  found: RefreshTokenRow,
  { token, jkt }: Presented,
  scopes: Scope[],
): Promise<TokenPair> {
  const { db, clock } = deps
  const { access_token, refresh_token, stored } = newPair(deps, found, jkt, clock())
  const { access_token_expires_at, refresh_token_expires_at } = stored
  const successor: Successor = {
    access_token,
    refresh_token,
    access_token_expires_at: access_token_expires_at.getTime(),
    scopes,
    ...(jkt !== null && { jkt }),
  }
  const sealed = encrypt(successorKey(token), JSON.stringify(successor))
  if (await replaceRefreshToken(db, sha256(token), sealed, scopes, stored))
    return { access_token, refresh_token, access_token_expires_at, refresh_token_expires_at, scopes, jkt }
  // Another call has rotated the token, or the token or its grant has ended: read and check the row again.
  const again = await requireTokenOfClient(deps, client, token)
  requireActiveGrant(again)
  requireUnexpired(deps, again)
  return replayPair(deps, again, await requireReplayable(deps, again), { token, jkt })
}

function newPair({ lifetimes }: OAuthDeps, { grant_id, consented_at }: RefreshTokenRow, jkt: string | null, now: Date) {
  const access_token = newSecret(prefixes.access_token)
  const refresh_token = newSecret(prefixes.refresh_token)
  const stored: NewTokenPair = {
    grant_id,
    access_token_hash: sha256(access_token),
    refresh_token_hash: sha256(refresh_token),
    ...expiriesOf(lifetimes, { now, consented_at }),
    jkt,
    now,
  }
  return { access_token, refresh_token, stored }
}

/** The pair that replaced a refresh token, stored with that token, encrypted, until the replay window ends. */
interface Successor {
  access_token: string
  refresh_token: string
  /** Milliseconds since 1970. */
  access_token_expires_at: number
  scopes: Scope[]
  /** The key that the access token is bound to; absent for a Bearer token. */
  jkt?: string
}

/** A refresh token, and the key that its request proves. */
interface Presented {
  token: string
  jkt: string | null
}

/** The key derives from the old token and is stored nowhere: only the holder of the old token can decrypt its successor. */
const successorKey = (token: string) => deriveKey(token, 'refresh successor')

/** A used token can be replayed for a short time (lost responses, parallel tabs); a later use revokes its grant. */
async function requireReplayable(deps: OAuthDeps, { used_at, sealed_successor, grant_id }: RefreshTokenRow) {
  const { replay_seconds } = decisions.token_refresh
  const now = deps.clock()
  const is_recent = used_at !== null && now < secondsAfter(used_at, replay_seconds) && !isTooFarAhead(used_at, now)
  if (is_recent && sealed_successor) return sealed_successor
  await endGrant(deps, grant_id)
  throw new Failure('invalid_grant', { grant_id, why: 'a used refresh token; its grant is revoked' })
}

/** The same pair that the token was exchanged for, with those of its scopes that the app may still use. */
function replayPair(
  { lifetimes }: OAuthDeps,
  { scopes, grant_id, used_at, consented_at }: RefreshTokenRow,
  sealed_successor: Buffer,
  { token, jkt }: Presented,
): TokenPair {
  const successor = JSON.parse(decrypt(successorKey(token), sealed_successor)) as Successor
  if ((successor.jkt ?? null) !== jkt) throw new Failure('dpop_key_mismatch', { grant_id, why: 'a repeated refresh' })
  const allowed = successor.scopes.filter((scope) => scopes.includes(scope))
  if (allowed.length === 0) throw new Failure('invalid_grant', { grant_id, why: 'its scopes were taken away' })
  const { access_token, refresh_token, access_token_expires_at } = successor
  const { refresh_token_expires_at } = expiriesOf(lifetimes, { now: used_at!, consented_at })
  return {
    access_token,
    refresh_token,
    access_token_expires_at: new Date(access_token_expires_at),
    refresh_token_expires_at,
    scopes: allowed,
    jkt,
  }
}

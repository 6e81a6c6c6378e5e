import { createHash } from 'node:crypto'
import { createLocalJWKSet, decodeJwt, jwtVerify, SignJWT } from 'jose'
import { decisions } from '../../contract/decisions.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { getUser } from '../accounts/service.ts'
import { newId } from '../platform/ids.ts'
import type { OAuthDeps } from './service.ts'
import { signing_algorithm } from './signing-keys.service.ts'

const { id_token_seconds } = decisions.openid
const { token_seconds: logout_token_seconds } = decisions.backchannel_logout

export interface IdTokenFacts {
  client_id: string
  user_id: string
  scopes: readonly Scope[]
  /** The access token issued with it. */
  access_token: string
  auth_time: Date
  /**
   * The nonce of the authorization request; null if there was none, and after a refresh (OpenID Connect Core §12.2).
   */
  nonce: string | null
  /** The id of the sign-in at the app (D-155). */
  sid: string | null
}

const inSeconds = (time: Date) => Math.floor(time.getTime() / 1_000)

/** Signs an identity token (D-103). It contains name and address if the app may read the profile. */
export async function newIdToken({ db, clock, issuer, signing_keys }: OAuthDeps, facts: IdTokenFacts) {
  const { client_id, user_id, scopes, access_token, auth_time, nonce, sid } = facts
  const { kid, key } = await signing_keys.current()
  const issued_at = inSeconds(clock())
  const claims = {
    auth_time: inSeconds(auth_time),
    at_hash: atHash(access_token),
    ...(nonce !== null && { nonce }),
    ...(sid !== null && { sid }),
    ...(scopes.includes('profile:read') && profileClaims(await getUser(db, user_id))),
  }
  return new SignJWT(claims)
    .setProtectedHeader({ alg: signing_algorithm, kid, typ: 'JWT' })
    .setIssuer(issuer)
    .setSubject(user_id)
    .setAudience(client_id)
    .setIssuedAt(issued_at)
    .setExpirationTime(issued_at + id_token_seconds)
    .sign(key)
}

/**
 * Signs a logout token for a sign-in at an app (OpenID Connect Back-Channel Logout 1.0 §2.4), a different one each time
 * (D-155).
 */
export async function newLogoutToken(
  { clock, issuer, signing_keys }: Pick<OAuthDeps, 'clock' | 'issuer' | 'signing_keys'>,
  { client_id, user_id, sid }: { client_id: string; user_id: string; sid: string },
) {
  const { kid, key } = await signing_keys.current()
  const issued_at = inSeconds(clock())
  return new SignJWT({ sid, events: { 'http://schemas.openid.net/event/backchannel-logout': {} } })
    .setProtectedHeader({ alg: signing_algorithm, kid, typ: 'logout+jwt' })
    .setIssuer(issuer)
    .setSubject(user_id)
    .setAudience(client_id)
    .setIssuedAt(issued_at)
    .setExpirationTime(issued_at + logout_token_seconds)
    .setJti(newId())
    .sign(key)
}

const profileClaims = ({ username, email, email_verified }: Awaited<ReturnType<typeof getUser>>) => ({
  name: username,
  email,
  email_verified,
})

/** The left half of the hash of the access token (OpenID Connect Core §3.1.3.6). */
const atHash = (access_token: string) =>
  createHash('sha256').update(access_token).digest().subarray(0, 16).toString('base64url')

/**
 * The client and the person of an identity token sent as a hint, even an expired one; undefined for any other text, or
 * if the key that signed it is no longer published.
 */
export async function readIdTokenHint({ issuer, signing_keys }: OAuthDeps, hint: string) {
  const keys = createLocalJWKSet({ keys: await signing_keys.published() })
  try {
    // A time at which the token was valid: an expired token is accepted as a hint.
    const currentDate = new Date((decodeJwt(hint).iat ?? 0) * 1_000)
    const { payload } = await jwtVerify(hint, keys, { issuer, algorithms: [signing_algorithm], currentDate })
    const { sub, aud } = payload
    return sub !== undefined && typeof aud === 'string' ? { user_id: sub, client_id: aud } : undefined
  } catch {
    return undefined
  }
}

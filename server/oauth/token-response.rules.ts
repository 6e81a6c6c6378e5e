import type { Static } from 'typebox'
import { openid_scope, type Scope } from '../../contract/kinds/scopes.ts'
import type { token_response } from '../../contract/oauth-fields.ts'
import { secondsAfter } from '../platform/clock.ts'

/** The response of the token endpoint (RFC 6749 §5.1); only the authorization code grant returns a session token. */
export type IssuedTokens = Static<typeof token_response>

/** An access token and the refresh token issued with it. */
export interface TokenPair {
  access_token: string
  refresh_token: string
  access_token_expires_at: Date
  refresh_token_expires_at: Date
  scopes: Scope[]
  /** The DPoP key that the access token is bound to (D-152). */
  jkt: string | null
}

/** The response for a pair, and an identity token if any. Seconds are rounded down. */
export const tokenResponse = (
  pair: TokenPair,
  { now, id_token }: { now: Date; id_token?: string | undefined },
): IssuedTokens => ({
  access_token: pair.access_token,
  token_type: pair.jkt === null ? 'Bearer' : 'DPoP',
  expires_in: secondsUntil(pair.access_token_expires_at, now),
  refresh_token: pair.refresh_token,
  refresh_token_expires_in: secondsUntil(pair.refresh_token_expires_at, now),
  ...(id_token === undefined
    ? { scope: pair.scopes.join(' ') }
    : { scope: [openid_scope.scope, ...pair.scopes].join(' '), id_token }),
})

const secondsUntil = (at: Date, now: Date) => Math.max(1, Math.floor((at.getTime() - now.getTime()) / 1000))

export interface TokenLifetimes {
  access_token_seconds: number
  refresh_token_seconds: number
  /** From the consent to the end of the grant (D-150). */
  refresh_token_max_seconds: number
  session_token_seconds: number
}

/** The expiries of tokens issued now: no later than that of their grant. */
export function expiriesOf(lifetimes: TokenLifetimes, { now, consented_at }: { now: Date; consented_at: Date }) {
  const end = secondsAfter(consented_at, lifetimes.refresh_token_max_seconds)
  const orEnd = (expires_at: Date) => (expires_at < end ? expires_at : end)
  return {
    access_token_expires_at: orEnd(secondsAfter(now, lifetimes.access_token_seconds)),
    refresh_token_expires_at: orEnd(secondsAfter(now, lifetimes.refresh_token_seconds)),
  }
}

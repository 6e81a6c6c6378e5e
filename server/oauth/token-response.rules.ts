import { openid_scope, type Scope } from '../../contract/kinds/scopes.ts'

/** The answer of the token endpoint (RFC 6749 §5.1); the session token comes with the authorization code grant only. */
export interface IssuedTokens {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  scope: string
  /** Where the grant is one of OpenID Connect (D-103). */
  id_token?: string
  session_token?: string
  session_token_expires_at?: Date
}

/** The response for an access token and a refresh token, and an identity token if any; `expires_in` is in seconds. */
export const tokenResponse = (
  access_token: string,
  refresh_token: string,
  expires_in: number,
  scopes: Scope[],
  id_token?: string,
): IssuedTokens => ({
  access_token,
  token_type: 'Bearer',
  expires_in,
  refresh_token,
  ...(id_token === undefined
    ? { scope: scopes.join(' ') }
    : { scope: [openid_scope.scope, ...scopes].join(' '), id_token }),
})

export interface TokenLifetimes {
  access_token_seconds: number
  refresh_token_seconds: number
  session_token_seconds: number
}

import type { Scope } from '../../contract/kinds/scopes.ts'

/** The token of an `Authorization: Bearer …` header (RFC 6750 §2.1); undefined without one. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization ?? '')?.[1]
}

/** Whether a token is a JWT of a person: other tokens have no dots. */
export const isJwt = (token: string) => token.includes('.')

/** Whether the header carries the credentials of a client (RFC 7617). */
export const isBasic = (authorization: string | undefined) => /^Basic /i.test(authorization ?? '')

/** The `WWW-Authenticate` of a refused client (RFC 6749 §5.2). */
export const basic_challenge = 'Basic realm="plaza", charset="UTF-8"'

/** The `WWW-Authenticate` of a refused Bearer call (RFC 9728 §5.1, RFC 6750 §3). */
export function bearerChallenge(
  resource_metadata: string,
  error?: 'invalid_token' | 'insufficient_scope',
  scope?: Scope,
) {
  const parts = [`resource_metadata="${resource_metadata}"`]
  if (error) parts.push(`error="${error}"`)
  if (scope) parts.push(`scope="${scope}"`)
  return `Bearer ${parts.join(', ')}`
}

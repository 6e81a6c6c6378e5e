import { decisions } from '../../contract/decisions.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'

/** The token of an `Authorization: Bearer …` header (RFC 6750 §2.1); undefined without one. */
export const bearerToken = (authorization: string | undefined) => tokenOf('bearer', authorization)

/** The token of an `Authorization: DPoP …` header (RFC 9449 §7.1); undefined without one. */
export const boundToken = (authorization: string | undefined) => tokenOf('dpop', authorization)

function tokenOf(wanted: 'bearer' | 'dpop', authorization = ''): string | undefined {
  const [, scheme, token] = /^(Bearer|DPoP) +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization) ?? []
  return scheme?.toLowerCase() === wanted ? token : undefined
}

/** True if a token is a person's JWT: other tokens contain no dots. */
export const isJwt = (token: string) => token.includes('.')

/** True if the header contains the credentials of a client (RFC 7617). */
export const isBasic = (authorization: string | undefined) => /^Basic /i.test(authorization ?? '')

/** The `WWW-Authenticate` of a refused client (RFC 6749 §5.2). */
export const basic_challenge = 'Basic realm="plaza", charset="UTF-8"'

type ChallengeError = 'invalid_token' | 'insufficient_scope' | 'invalid_dpop_proof' | 'use_dpop_nonce'

/** The `WWW-Authenticate` of a refused Bearer call (RFC 9728 §5.1, RFC 6750 §3). */
export const bearerChallenge = (resource_metadata: string, error?: ChallengeError, scope?: Scope) =>
  `Bearer ${parametersOf(resource_metadata, error, scope)}`

const dpop_algorithms = `DPoP algs="${decisions.dpop.algorithms.join(' ')}"`

/** The `WWW-Authenticate` of a refused call with a proof (RFC 9449 §7.1). */
export const dpopChallenge = (resource_metadata: string, error?: ChallengeError, scope?: Scope) =>
  `${dpop_algorithms}, ${parametersOf(resource_metadata, error, scope)}`

/** The challenge for a bound token without a proof (RFC 9449 §7.2). */
export const boundTokenChallenge = (resource_metadata: string) =>
  `${bearerChallenge(resource_metadata, 'invalid_token')}, ${dpop_algorithms}`

const parametersOf = (resource_metadata: string, error: ChallengeError | undefined, scope: Scope | undefined) =>
  [
    `resource_metadata="${resource_metadata}"`,
    ...(error ? [`error="${error}"`] : []),
    ...(scope ? [`scope="${scope}"`] : []),
  ].join(', ')

import { createHash } from 'node:crypto'
import { createSigner, createVerifier } from 'fast-jwt'
import { LRUCache } from 'lru-cache'
import { deriveKey, sha256Text } from './secrets.ts'

export interface JwtClaims {
  sub: string
  sid: string
  iat: number
  exp: number
  /** The number of renewals of the session (D-166); 0 if absent. */
  seq?: number
}

export interface JwtKeyRing {
  sign(claims: JwtClaims): string
  /**
   * The claims of a token that one of the keys signed and that is valid at `now`, or was with `accepts_expired`;
   * undefined for any other text.
   */
  verify(token: string, now: Date, accepts_expired?: boolean): JwtClaims | undefined
}

/**
 * The maximum of verified tokens whose claims are cached: verifying a token costs more than the rest of a small
 * request. The cache is keyed by the token's hash, so that memory holds no token.
 */
const verified_claims_max = 10_000

/** The maximum difference between the clocks of two processes. */
const clock_skew_seconds = 5

/**
 * Signs and verifies JWTs with HS256, because only this service verifies them. The first secret signs and all verify,
 * so that secrets can be rotated. A token names its key in `kid`.
 */
export function openJwtKeyRing(secrets: readonly string[], issuer: string): JwtKeyRing {
  const keys = secrets.map((secret) => {
    const key = deriveKey(secret, 'jwt')
    const kid = createHash('sha256').update(key).digest('base64url').slice(0, 12)
    const verify = createVerifier({
      key,
      algorithms: ['HS256'],
      allowedIss: issuer,
      // `allowedIss` alone accepts a token without an issuer.
      requiredClaims: ['iss'],
      ignoreExpiration: true,
      cache: false,
    })
    return { kid, key, verify: verify as (token: string) => Record<string, unknown> }
  })
  const [first] = keys
  if (!first) throw new Error('a JWT key ring needs a key')
  const signer = createSigner({ key: first.key, algorithm: 'HS256', kid: first.kid, iss: issuer })
  const verified = new LRUCache<string, Record<string, unknown>>({ max: verified_claims_max })
  const claimsOf = (token: string, token_hash: string) => {
    const kid = keyIdOf(token)
    const key = keys.find((candidate) => candidate.kid === kid)
    if (!key) return undefined
    try {
      const claims = key.verify(token)
      verified.set(token_hash, claims)
      return claims
    } catch {
      return undefined
    }
  }
  return {
    sign: (claims) => signer({ ...claims }),
    verify(token, now, accepts_expired = false) {
      const token_hash = sha256Text(token)
      const claims = verified.get(token_hash) ?? claimsOf(token, token_hash)
      return claims && validClaims(claims, now, accepts_expired)
    },
  }
}

function keyIdOf(token: string): unknown {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString('utf8'))
    return typeof header === 'object' && header !== null && 'kid' in header ? header.kid : undefined
  } catch {
    return undefined
  }
}

function validClaims(
  { sub, sid, iat, exp, seq = 0 }: Record<string, unknown>,
  now: Date,
  accepts_expired: boolean,
): JwtClaims | undefined {
  const seconds = now.getTime() / 1000
  if (
    typeof sub !== 'string' ||
    typeof sid !== 'string' ||
    typeof iat !== 'number' ||
    typeof exp !== 'number' ||
    typeof seq !== 'number'
  )
    return undefined
  return iat <= seconds + clock_skew_seconds && (exp > seconds || accepts_expired)
    ? { sub, sid, iat, exp, seq }
    : undefined
}

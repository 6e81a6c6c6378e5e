import { createHash, randomBytes } from 'node:crypto'

/** A PKCE pair (RFC 7636). */
export function pkce() {
  const code_verifier = randomBytes(32).toString('base64url')
  return { code_verifier, code_challenge: createHash('sha256').update(code_verifier).digest('base64url') }
}

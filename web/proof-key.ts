/** A PKCE pair (RFC 7636). */
export interface ProofKey {
  verifier: string
  challenge: string
}

const encode = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** `bytes` random bytes, base64url. */
export const randomString = (bytes: number) => encode(crypto.getRandomValues(new Uint8Array(bytes)))

/** Creates a pair. A browser can do so only in a secure context: over https, and on localhost. */
export async function makeProofKey(): Promise<ProofKey> {
  const verifier = randomString(32)
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return { verifier, challenge: encode(new Uint8Array(hash)) }
}

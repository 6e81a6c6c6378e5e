/** A proof key (RFC 7636): the verifier stays here, the challenge goes into the authorization request. */
export interface ProofKey {
  verifier: string
  challenge: string
}

const encode = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** So many random bytes as a word of the URL-safe alphabet. */
export const randomString = (bytes: number) => encode(crypto.getRandomValues(new Uint8Array(bytes)))

/** Makes a fresh pair. Fails where the browser keeps its cryptography to itself: on plain http away from this machine. */
export async function newProofKey(): Promise<ProofKey> {
  const subtle = crypto.subtle as SubtleCrypto | undefined
  if (!subtle) throw new Error('Your browser computes a challenge only on https or on localhost. Open Plaza there.')
  const verifier = randomString(32)
  const hash = await subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return { verifier, challenge: encode(new Uint8Array(hash)) }
}

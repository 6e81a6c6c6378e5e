import { t } from '../../texts.ts'

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

/** Creates a pair. Throws outside a secure context (http other than localhost), where Web Crypto is missing. */
export async function newProofKey(): Promise<ProofKey> {
  const subtle = crypto.subtle as SubtleCrypto | undefined
  if (!subtle) throw new Error(t('build.pkce.your-browser-computes-a-challenge-only'))
  const verifier = randomString(32)
  const hash = await subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return { verifier, challenge: encode(new Uint8Array(hash)) }
}

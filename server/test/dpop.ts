import { createHash } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose'

export interface ProofOptions {
  method?: string
  url: string
  access_token?: string
  nonce?: string | undefined
  /** Milliseconds since 1970. */
  now?: number
  /** Replace the claims of a valid proof. */
  claims?: Record<string, unknown>
  header?: Record<string, unknown>
}

export type Prover = Awaited<ReturnType<typeof newProver>>

/** A DPoP key, and proofs that it signs. */
export async function newProver(alg = 'ES256') {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = await exportJWK(publicKey)
  return {
    alg,
    jwk,
    private_jwk: await exportJWK(privateKey),
    jkt: await calculateJwkThumbprint(jwk),
    proof({ method = 'GET', url, access_token, nonce, now = Date.now(), claims, header }: ProofOptions) {
      const ath = access_token && createHash('sha256').update(access_token).digest('base64url')
      return new SignJWT({
        jti: crypto.randomUUID(),
        htm: method,
        htu: url,
        iat: Math.floor(now / 1000),
        ...(ath !== undefined && { ath }),
        ...(nonce !== undefined && { nonce }),
        ...claims,
      })
        .setProtectedHeader({ alg, typ: 'dpop+jwt', jwk, ...header } as { alg: string; jwk: JWK })
        .sign(privateKey)
    },
  }
}

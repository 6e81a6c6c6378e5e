import { createBatcher } from '../../platform/batching/batcher.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/postgres/database.ts'
import { sha256 } from '../../platform/secrets.ts'
import { openNonces } from './nonces.rules.ts'
import { addressOf, checkProof, refused } from './proof.rules.ts'
import { useProofs, type UsedProof } from './store.ts'

/** A request that may carry a proof. */
export interface ProvedRequest {
  /** The `DPoP` header; Node joins several with commas. */
  header: string
  method: string
  /** With or without its query. */
  path: string
}

/** Checks the DPoP proofs of requests (RFC 9449). */
export interface DpopProofs {
  /** The nonce for the next proof; every response to a proof carries it. */
  nonce(): string
  /**
   * Returns the thumbprint of the key that the request proves. With `bound`, the key must be that of the token. A proof
   * is accepted once, across all processes. Fails with `invalid_dpop_proof` or `use_dpop_nonce`.
   */
  check(request: ProvedRequest, bound?: { access_token: string; jkt: string }): Promise<string>
  drain(): Promise<void>
}

export function openDpopProofs(
  db: Database,
  clock: Clock,
  { secrets, public_url }: { secrets: readonly [string, ...string[]]; public_url: string },
): DpopProofs {
  const nonces = openNonces(secrets)
  // A path of these characters is in the normal form; to parse an address takes 10 µs.
  const base = addressOf(`${public_url}/`)?.slice(0, -1) ?? public_url
  const use = createBatcher<UsedProof, { is_new: boolean }>({
    name: 'dpop_proofs',
    batch_max: 256,
    queue_max: 4_096,
    run: async (proofs) => {
      const unused = new Set((await useProofs(db, proofs)).map(textOf))
      // Of equal proofs in one batch, only the first is new.
      return proofs.map(({ proof_hash }) => ({ is_new: unused.delete(textOf(proof_hash)) }))
    },
  })
  return {
    nonce: () => nonces(clock()).current,
    async check({ header, method, path }, bound) {
      const now = clock()
      // The public address of the service, not the `Host` of a proxy.
      const address = /^[\w/-]+$/.test(path) ? base + path : (addressOf(public_url + path) ?? '')
      const terms = { header, method, address, now, nonces: nonces(now).accepted }
      const { jkt, jti, expires_at } = await checkProof(bound ? { ...terms, access_token: bound.access_token } : terms)
      // RFC 9449 §7.1: the key of the token.
      if (bound && bound.jkt !== jkt) throw refused('jwk', 'dpop_other_key')
      // RFC 9449 §11.1: used once.
      const { is_new } = await use({ proof_hash: sha256(`${jkt} ${jti}`), expires_at })
      if (!is_new) throw refused('jti', 'dpop_replayed')
      return jkt
    },
    drain: () => use.drain(),
  }
}

const textOf = (proof_hash: Buffer) => proof_hash.toString('base64')

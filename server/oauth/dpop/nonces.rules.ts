import { decisions } from '../../../contract/decisions.ts'
import { deriveKey, keyedHash } from '../../platform/secrets.ts'

const { nonce_seconds } = decisions.dpop

/** The nonces at one time (RFC 9449 §8). */
export interface Nonces {
  /** For the next proof. */
  current: string
  /** Accepted in proofs now. */
  accepted: ReadonlySet<string>
}

/**
 * Nonces that derive from the secrets and the time: the same in every process, without state. A nonce is issued for
 * `nonce_seconds` and accepted for that time again; the nonce of the next step is also accepted, for processes with a
 * fast clock. The first secret makes new nonces; nonces of all are accepted.
 */
export function openNonces(secrets: readonly [string, ...string[]]) {
  const keys = secrets.map((secret) => deriveKey(secret, 'dpop nonce'))
  const nonceOf = (key: Buffer, step: number) => keyedHash(key, String(step)).toString('base64url').slice(0, 22)
  let last: { step: number; nonces: Nonces } | undefined
  return (now: Date): Nonces => {
    const step = Math.floor(now.getTime() / 1000 / nonce_seconds)
    if (last?.step === step) return last.nonces
    const accepted = keys.flatMap((key) => [step, step - 1, step + 1].map((near) => nonceOf(key, near)))
    const nonces = { current: accepted[0]!, accepted: new Set(accepted) }
    last = { step, nonces }
    return nonces
  }
}

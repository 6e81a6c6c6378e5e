import { decrypt, encrypt, type SealingKeys } from '../platform/secrets.ts'

/** A two-factor secret at rest, and the fingerprint of the key that sealed it. */
export interface SealedTotp {
  sealed: Buffer
  key_id: Buffer
}

/** Encrypts a two-factor secret with the newest key (D-14). */
export const sealTotp = ([{ id, key }]: SealingKeys, secret: string): SealedTotp => ({
  sealed: encrypt(key, secret),
  key_id: id,
})

/**
 * Decrypts a secret; returns it with the fingerprint of its key, or undefined if no key fits. Tries the key named by
 * `key_id` first; rows of version 0.1 name none.
 */
export function openTotp(keys: SealingKeys, sealed: Buffer, key_id: Buffer | null) {
  const named_first = keys.toSorted((a, b) => Number(isNamed(b.id, key_id)) - Number(isNamed(a.id, key_id)))
  for (const { id, key } of named_first) {
    try {
      return { secret: decrypt(key, sealed), key_id: id }
    } catch {
      continue
    }
  }
  return undefined
}

const isNamed = (id: Buffer, key_id: Buffer | null) => key_id !== null && id.equals(key_id)

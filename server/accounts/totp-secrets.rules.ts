import { decrypt, encrypt, type SealingKeys } from '../platform/secrets.ts'

/** A two-factor secret at rest, and the fingerprint of the key that sealed it. */
export interface SealedTotp {
  sealed: Buffer
  key_id: Buffer
}

/** Hides a two-factor secret under the newest key (D-14). */
export const sealTotp = ([{ id, key }]: SealingKeys, secret: string): SealedTotp => ({
  sealed: encrypt(key, secret),
  key_id: id,
})

/**
 * The secret and the fingerprint of the key that opened it; undefined where none does. The key that is named is tried
 * first: what version 0.1 wrote names none.
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

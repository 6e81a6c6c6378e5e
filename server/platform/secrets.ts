import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** A new secret of 256 random bits in `[A-Za-z0-9_-]`, after a prefix that names its kind (D-20). */
export const newSecret = (prefix: string) => prefix + randomBytes(32).toString('base64url')

/** The stored form of tokens, codes and client secrets. They are random, so a fast hash is enough. */
export const sha256 = (value: string) => hash('sha256', value, 'buffer')

/** The same hash as text, for the keys of maps. */
export const sha256Text = (value: string) => hash('sha256', value, 'base64')

/** The stored form of short codes, which a plain hash would not protect: keyed by a secret that is not in the database. */
export const keyedHash = (key: Buffer, value: string) => createHmac('sha256', key).update(value).digest()

/** Keys of one purpose, newest first: the first hashes new values, all are tried for existing ones. */
export type KeyRing = readonly [Buffer, ...Buffer[]]

/** The keys of one purpose: those of the service's secrets, then the stored ones of retired secrets. */
export const keyRing = (
  [first, ...others]: readonly [string, ...string[]],
  purpose: string,
  retained: readonly Buffer[] = [],
): KeyRing => [deriveKey(first, purpose), ...others.map((secret) => deriveKey(secret, purpose)), ...retained]

/** The hash of a value under every key. */
export const keyedHashes = (keys: KeyRing, value: string) => keys.map((key) => keyedHash(key, value))

export const equalSecrets = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b)

/** A key of 256 bits for one purpose, derived from a secret (RFC 5869). */
export const deriveKey = (secret: string | Buffer, purpose: string) =>
  Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))

/**
 * AES-256-GCM: nonce, tag and ciphertext in one buffer. `context` is additional authenticated data: decryption needs the same context, so
 * that a value cannot be moved to another row.
 */
export function encrypt(key: Buffer, plain: string, context = '') {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body])
}

/** The text that `encrypt` encrypted. Throws if the key or the context differs, or the buffer was changed. */
export function decrypt(key: Buffer, sealed: Buffer, context = '') {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12)).setAAD(Buffer.from(context))
  decipher.setAuthTag(sealed.subarray(12, 28))
  return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8')
}

/** Keys for stored values, newest first: the first encrypts, all decrypt. */
export type SealingKeys = readonly [SealingKey, ...SealingKey[]]

export interface SealingKey {
  /** The fingerprint of the secret that the key derives from, stored in clear before the ciphertext. */
  id: Buffer
  key: Buffer
}

const key_id_bytes = 4

/**
 * The fingerprint of one of the service's secrets. It names the secret in the database and to operators without revealing it. The label is
 * the one that version 0.1 used for environment keys, so that environments need not be sealed again.
 */
export const keyFingerprint = (secret: string) =>
  deriveKey(secret, 'deployment environment id').subarray(0, key_id_bytes)

const sealingKey = (secret: string, purpose: string): SealingKey => ({
  id: keyFingerprint(secret),
  key: deriveKey(secret, purpose),
})

/** The keys of one purpose, from all of the service's secrets. */
export function sealingKeys([first, ...others]: readonly [string, ...string[]], purpose: string): SealingKeys {
  return [sealingKey(first, purpose), ...others.map((secret) => sealingKey(secret, purpose))]
}

/** Encrypts a text with the newest key, bound to a context. */
export const seal = ([{ id, key }]: SealingKeys, plain: string, context: string) =>
  Buffer.concat([id, encrypt(key, plain, context)])

/** The fingerprint of the key that `seal` used. */
export const keyIdOf = (sealed: Buffer) => sealed.subarray(0, key_id_bytes)

/** The text that `seal` encrypted. Throws if its key is not among these, the context differs, or the value was changed. */
export function openSealed(keys: SealingKeys, sealed: Buffer, context: string) {
  const named = keys.find(({ id }) => id.equals(keyIdOf(sealed)))
  if (!named) throw new Error('the value was sealed with a key that is not configured')
  return decrypt(named.key, sealed.subarray(key_id_bytes), context)
}

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
  randomInt,
  timingSafeEqual,
} from 'node:crypto'

/** A fresh secret of 256 random bits in `[A-Za-z0-9_-]`, behind a prefix that tells its kind (D-20). */
export const newSecret = (prefix: string) => prefix + randomBytes(32).toString('base64url')

/** `digits` random decimal digits, leading zeros kept. */
export const newDigits = (digits: number) => String(randomInt(10 ** digits)).padStart(digits, '0')

/** How tokens, codes and client secrets are stored: they are random, so a fast hash is enough. */
export const sha256 = (value: string) => hash('sha256', value, 'buffer')

/** The same as text, for keys of maps. */
export const sha256Text = (value: string) => hash('sha256', value, 'base64')

/** For short codes, which a leaked table of plain hashes would give away: keyed by a secret that is not in the database. */
export const keyedHash = (key: Buffer, value: string) => createHmac('sha256', key).update(value).digest()

/** Keys of one purpose, newest first: the first is for what is new, each of them knows again what it once made. */
export type KeyRing = readonly [Buffer, ...Buffer[]]

/** The keys of one purpose, from all of the service's secrets, and after them those that were kept of retired secrets. */
export const keyRing = (
  [first, ...others]: readonly [string, ...string[]],
  purpose: string,
  kept: readonly Buffer[] = [],
): KeyRing => [deriveKey(first, purpose), ...others.map((secret) => deriveKey(secret, purpose)), ...kept]

/** The hash of a value under every key. */
export const keyedHashes = (keys: KeyRing, value: string) => keys.map((key) => keyedHash(key, value))

export const equalSecrets = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b)

/** A key of 256 bits for one purpose, derived from a secret (RFC 5869). */
export const deriveKey = (secret: string | Buffer, purpose: string) =>
  Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))

/**
 * AES-256-GCM: nonce, tag and ciphertext in one buffer. A context, where one is given, is not hidden but must be the same
 * to open it again: what was sealed for one thing cannot be passed off as that of another.
 */
export function encrypt(key: Buffer, plain: string, context = '') {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body])
}

/** The text that `encrypt` hid. Throws when the key or the context is another one or the buffer was changed. */
export function decrypt(key: Buffer, sealed: Buffer, context = '') {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12)).setAAD(Buffer.from(context))
  decipher.setAuthTag(sealed.subarray(12, 28))
  return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8')
}

/** Keys for what is kept for long, newest first: the first seals, each opens what it once sealed. */
export type SealingKeys = readonly [SealingKey, ...SealingKey[]]

export interface SealingKey {
  /** The fingerprint of the secret that the key derives from; written in clear beside what the key sealed. */
  id: Buffer
  key: Buffer
}

const key_id_bytes = 4

/**
 * The fingerprint of one of the service's secrets: names it in the database and to whoever runs the service, and tells
 * nothing of it. The label is the one under which version 0.1 named the keys of environments, which therefore need not be
 * sealed again.
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

/** Hides a text under the newest key, bound to a context. */
export const seal = ([{ id, key }]: SealingKeys, plain: string, context: string) =>
  Buffer.concat([id, encrypt(key, plain, context)])

/** The fingerprint of the key that `seal` used. */
export const keyIdOf = (sealed: Buffer) => sealed.subarray(0, key_id_bytes)

/** The text that `seal` hid. Throws when its key is not among these, the context is another one or it was changed. */
export function openSealed(keys: SealingKeys, sealed: Buffer, context: string) {
  const named = keys.find(({ id }) => id.equals(keyIdOf(sealed)))
  if (!named) throw new Error('this was sealed with a key that is not known here')
  return decrypt(named.key, sealed.subarray(key_id_bytes), context)
}

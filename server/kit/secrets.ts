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

export const equalSecrets = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b)

/** A key of 256 bits for one purpose, derived from a secret (RFC 5869). */
export const deriveKey = (secret: string | Buffer, purpose: string) =>
  Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))

/** AES-256-GCM: nonce, tag and ciphertext in one buffer. */
export function encrypt(key: Buffer, plain: string) {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body])
}

/** The text that `encrypt` hid. Throws when the key is another one or the buffer was changed. */
export function decrypt(key: Buffer, sealed: Buffer) {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12))
  decipher.setAuthTag(sealed.subarray(12, 28))
  return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8')
}

import { createCipheriv, createECDH, createPrivateKey, hkdfSync, sign } from 'node:crypto'

const curve = 'prime256v1'
const record_bytes = 4_096

const fromBase64 = (text: string) => Buffer.from(text, 'base64url')

/** The keys of a browser's subscription. */
export interface SubscriptionKeys {
  p256dh: string
  auth: string
}

/** New for each message. */
export interface MessageKeys {
  salt: Buffer
  /** A P-256 private key. */
  private_key: Buffer
}

/** Whether the keys are usable: a point of the curve, and 16 bytes. */
export function areUsable({ p256dh, auth }: SubscriptionKeys) {
  try {
    const own = createECDH(curve)
    own.generateKeys()
    own.computeSecret(fromBase64(p256dh))
    return fromBase64(p256dh).length === 65 && fromBase64(auth).length === 16
  } catch {
    return false
  }
}

/** Encrypts a message for a browser (RFC 8291) as one record of `aes128gcm` (RFC 8188). */
export function encryptPush(text: string, { p256dh, auth }: SubscriptionKeys, { salt, private_key }: MessageKeys) {
  const own = createECDH(curve)
  own.setPrivateKey(private_key)
  const [theirs, ours] = [fromBase64(p256dh), own.getPublicKey()]
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), theirs, ours])
  const derive = (key: Buffer, with_salt: Buffer, purpose: Buffer | string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', key, with_salt, purpose, bytes))
  const secret = derive(own.computeSecret(theirs), fromBase64(auth), info, 32)
  const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16)
  const cipher = createCipheriv('aes-128-gcm', key, derive(secret, salt, 'Content-Encoding: nonce\0', 12))
  // The byte 2 ends the last record.
  const sealed = [cipher.update(text, 'utf8'), cipher.update(Buffer.of(2)), cipher.final(), cipher.getAuthTag()]
  const sizes = Buffer.alloc(5)
  sizes.writeUInt32BE(record_bytes)
  sizes.writeUInt8(ours.length, 4)
  return Buffer.concat([salt, sizes, ours, ...sealed])
}

interface Signer {
  /** PKCS #8 in PEM. */
  private_key: string
  public_key: string
  /** The sender, as a URL. */
  subject: string
  now: Date
}

const token_seconds = 12 * 3_600

/** The `Authorization` header of a message to an endpoint (VAPID, RFC 8292). */
export function vapidOf(endpoint: string, { private_key, public_key, subject, now }: Signer) {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const exp = Math.floor(now.getTime() / 1_000) + token_seconds
  const claims = `${part({ typ: 'JWT', alg: 'ES256' })}.${part({ aud: new URL(endpoint).origin, exp, sub: subject })}`
  const key = { key: createPrivateKey(private_key), dsaEncoding: 'ieee-p1363' } as const
  return `vapid t=${claims}.${sign('sha256', Buffer.from(claims), key).toString('base64url')}, k=${public_key}`
}

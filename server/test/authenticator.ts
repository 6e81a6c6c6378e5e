import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'

/** A passkey in the software authenticator. Tests may set the counter and the handle. */
export interface SoftPasskey {
  id: string
  private_key: KeyObject
  public_key: KeyObject
  /** 0 if the authenticator has no counter. */
  counter: number
  user_handle: string
}

/** Differences from an honest browser and authenticator. */
export interface Deviations {
  origin?: string
  rp_id?: string
  type?: string
  /** True if the authenticator verified the person; true by default. */
  verified?: boolean
  /** True if the person was present; true by default. */
  present?: boolean
  challenge?: string
  user_handle?: string
  /** Signs with another key. */
  key?: KeyObject
  /** The pages that embed the requesting page, as the browser reports them. */
  around?: { crossOrigin?: unknown; topOrigin?: string }
}

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest()
const text = (data: Buffer | string) => Buffer.from(data).toString('base64url')

// CBOR (RFC 8949), as much of it as WebAuthn needs

function head(major: number, value: number) {
  if (value < 24) return Buffer.from([(major << 5) | value])
  if (value < 256) return Buffer.from([(major << 5) | 24, value])
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255])
}

type Encodable = number | string | Buffer | Map<number | string, Encodable>

function cbor(value: Encodable): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, inner]) => [cbor(key), cbor(inner)])])
}

/** The public key in COSE format (RFC 9053, §7.1.1). */
function coseKey(key: KeyObject) {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  return cbor(
    new Map<number, Encodable>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]),
  )
}

const clientData = (type: string, challenge: string, origin: string, { around = {} }: Deviations) =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false, ...around }))

function flagsOf({ verified = true, present = true }: Deviations) {
  return (present ? 0x01 : 0) | (verified ? 0x04 : 0)
}

function authenticatorData(rp_id: string, flags: number, counter: number, attested: Buffer = Buffer.alloc(0)) {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  return Buffer.concat([sha256(rp_id), Buffer.from([flags]), count, attested])
}

interface Creation {
  challenge: string
  rp: { id: string }
  user: { id: string }
}
interface Request {
  challenge: string
  rpId: string
}

/** A browser on `origin` with an authenticator: P-256, no attestation. */
export function softAuthenticator(origin: string) {
  return {
    /** Creates a passkey. `counter` 0 is an authenticator without a counter. */
    create(options: Creation, { counter = 1, ...deviations }: Deviations & { counter?: number } = {}) {
      const { publicKey: public_key, privateKey: private_key } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const raw_id = randomBytes(32)
      const id = text(raw_id)
      const passkey: SoftPasskey = { id, private_key, public_key, counter, user_handle: options.user.id }
      return { passkey, answer: this.answerWith(passkey, options, deviations) }
    },
    /** The answer to a creation with an existing passkey. */
    answerWith(passkey: SoftPasskey, options: Creation, deviations: Deviations = {}) {
      const { origin: from = origin, rp_id = options.rp.id, type = 'webauthn.create' } = deviations
      const raw_id = Buffer.from(passkey.id, 'base64url')
      const length = Buffer.from([raw_id.length >> 8, raw_id.length & 255])
      const attested = Buffer.concat([Buffer.alloc(16), length, raw_id, coseKey(passkey.public_key)])
      const auth_data = authenticatorData(rp_id, flagsOf(deviations) | 0x40, passkey.counter, attested)
      const attestation = new Map<string, Encodable>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', auth_data],
      ])
      return {
        id: passkey.id,
        rawId: passkey.id,
        type: 'public-key' as const,
        response: {
          clientDataJSON: text(clientData(type, deviations.challenge ?? options.challenge, from, deviations)),
          attestationObject: text(cbor(attestation)),
          transports: ['internal', 'hybrid'],
        },
        clientExtensionResults: { credProps: { rk: true } },
        authenticatorAttachment: 'platform',
      }
    },
    /** Signs a challenge. The counter increases if there is one. */
    get(passkey: SoftPasskey, options: Request, deviations: Deviations = {}) {
      const { origin: from = origin, rp_id = options.rpId, type = 'webauthn.get' } = deviations
      if (passkey.counter > 0) passkey.counter++
      const client_data = clientData(type, deviations.challenge ?? options.challenge, from, deviations)
      const auth_data = authenticatorData(rp_id, flagsOf(deviations), passkey.counter)
      const signed = Buffer.concat([auth_data, sha256(client_data)])
      return {
        id: passkey.id,
        rawId: passkey.id,
        type: 'public-key' as const,
        response: {
          clientDataJSON: text(client_data),
          authenticatorData: text(auth_data),
          signature: text(sign('sha256', signed, deviations.key ?? passkey.private_key)),
          userHandle: deviations.user_handle ?? passkey.user_handle,
        },
        authenticatorAttachment: 'platform',
      }
    },
  }
}

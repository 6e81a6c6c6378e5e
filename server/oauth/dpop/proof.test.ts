import { createHmac, generateKeyPairSync } from 'node:crypto'
import { exportJWK } from 'jose'
import { expect, test } from 'vitest'
import { fieldMessage, type FieldFault } from '../../../contract/field-errors.ts'
import { Failure } from '../../platform/failure.ts'
import { newProver, type ProofOptions } from '../../test/dpop.ts'
import { openNonces } from './nonces.rules.ts'
import { addressOf, checkProof, type ProofTerms } from './proof.rules.ts'

const now = new Date('2026-11-27T12:00:00Z')
const nonces = openNonces(['a secret of 32 characters, at least', 'the secret before'])
const url = 'https://plaza.test/api/external/points'
const access_token = 'plz_at_x'
const [es256, eddsa, rs256] = await Promise.all(['ES256', 'EdDSA', 'RS256'].map((alg) => newProver(alg)))
const prover = es256!

const terms = (header: string): ProofTerms => ({
  header,
  method: 'GET',
  address: url,
  access_token,
  now,
  nonces: nonces(now).accepted,
})
const good: ProofOptions = { url, access_token, nonce: nonces(now).current, now: now.getTime() }
const proof = (changes: Partial<ProofOptions> = {}, by = prover) => by.proof({ ...good, ...changes })
const header = (changes: Record<string, unknown>) => proof({ header: changes })
const claims = (changes: Record<string, unknown>) => proof({ claims: changes })

const outcomeOf = (text: string) =>
  checkProof(terms(text)).then(
    ({ jkt }) => jkt,
    (error: unknown) => {
      if (!(error instanceof Failure)) throw error
      const [field] = error.answer.fields ?? []
      return field ? [error.code, field.path, field.message] : [error.code]
    },
  )
const refusal = (part: string, fault: FieldFault) => ['invalid_dpop_proof', part, fieldMessage(fault)]

/** The parts of a valid proof with one part changed, under the original signature. */
async function rewritten(part: 0 | 1, change: (text: string) => string) {
  const parts = (await proof()).split('.')
  parts[part] = Buffer.from(change(Buffer.from(parts[part]!, 'base64url').toString())).toString('base64url')
  return parts.join('.')
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const unsigned = (alg: string, sign: (text: string) => string) => {
  const text = `${encoded({ alg, typ: 'dpop+jwt', jwk: prover.jwk })}.${encoded({ jti: 'j', htm: 'GET', htu: url, iat: 1 })}`
  return `${text}.${sign(text)}`
}

async function ofRsaKey(publicExponent: number, modulusLength: number) {
  const pair = generateKeyPairSync('rsa', { modulusLength, publicExponent })
  const jwk = await exportJWK(pair.publicKey)
  const text = `${encoded({ alg: 'RS256', typ: 'dpop+jwt', jwk })}.${encoded({ jti: 'j', htm: 'GET', htu: url, iat: now.getTime() / 1000 })}`
  return `${text}.eA`
}

test('D-152: ES256, EdDSA, Ed25519 and RS256 prove their key', async () => {
  const ed25519 = await newProver('Ed25519')
  for (const by of [es256!, eddsa!, ed25519, rs256!]) expect(await outcomeOf(await proof({}, by))).toBe(by.jkt)
})

const form = refusal('DPoP', 'dpop_form')
const algorithm = refusal('alg', ['one_of', { values: 'ES256, EdDSA, Ed25519, RS256' }])
const key = refusal('jwk', 'dpop_key')
const time = refusal('iat', ['dpop_time', { seconds: 60 }])

test.each<[string, () => Promise<string> | string, unknown]>([
  ['no header', () => '', form],
  ['a text that is no JWT', () => 'DPoP', form],
  ['a JWT that is no object', () => `${encoded([])}.${encoded('x')}.eA`, form],
  ['five parts', async () => `${await proof()}.a.b`, form],
  ['two headers', async () => `${await proof()}, ${await proof()}`, form],
  ['a space', async () => ` ${await proof()}`, form],
  ['padding', async () => `${await proof()}==`, form],
  ['a space in the signature', async () => (await proof()).replace(/.$/, ' $&'), form],
  [
    '4097 characters',
    async () => (await proof()).padEnd(4_097, 'A'),
    refusal('DPoP', ['length_max', { limit: 4_096 }]),
  ],
  ['another type', () => header({ typ: 'JWT' }), refusal('typ', 'dpop_type')],
  ['no type', () => header({ typ: undefined }), refusal('typ', 'dpop_type')],
  ['alg none', () => unsigned('none', () => 'eA'), algorithm],
  [
    'HS256 with the public key',
    () => unsigned('HS256', (text) => createHmac('sha256', prover.jwk.x!).update(text).digest('base64url')),
    algorithm,
  ],
  ['ES384', async () => proof({}, await newProver('ES384')), algorithm],
  ['PS256', async () => proof({}, await newProver('PS256')), algorithm],
  ['the algorithm of another key', () => header({ jwk: rs256!.jwk }), key],
  [
    'a critical header',
    () => rewritten(0, (text) => text.replace('{', '{"crit":["x"],"x":1,')),
    refusal('crit', 'dpop_no_extension'),
  ],
  ['no key', () => header({ jwk: undefined }), key],
  ['a key by its name', () => header({ jwk: undefined, kid: 'k' }), key],
  ['a private key', () => header({ jwk: prover.private_jwk }), refusal('jwk', 'dpop_public_key')],
  ['a symmetric key', () => header({ jwk: { kty: 'oct', k: 'eA' } }), refusal('jwk', 'dpop_public_key')],
  ['a point that is not on the curve', () => header({ jwk: { ...prover.jwk, y: prover.jwk.x } }), key],
  ['another curve', () => header({ jwk: { ...prover.jwk, crv: 'P-384' } }), key],
  ['an RSA key of 1024 bits', () => ofRsaKey(65_537, 1_024), key],
  ['an RSA key with another exponent', () => ofRsaKey(3, 2_048), key],
  ['no jti', () => claims({ jti: undefined }), refusal('jti', 'required')],
  ['an empty jti', () => claims({ jti: '' }), refusal('jti', 'required')],
  ['a jti of 257 characters', () => claims({ jti: 'j'.repeat(257) }), refusal('jti', ['length_max', { limit: 256 }])],
  ['no htm', () => claims({ htm: undefined }), refusal('htm', 'required')],
  ['no htu', () => claims({ htu: undefined }), refusal('htu', 'required')],
  ['no iat', () => rewritten(1, (text) => text.replace(/"iat":\d+/, '"iat":"now"')), refusal('iat', 'required')],
  ['another method', () => proof({ method: 'POST' }), refusal('htm', 'dpop_method')],
  ['a method in small letters', () => proof({ method: 'get' }), refusal('htm', 'dpop_method')],
  ['another path', () => proof({ url: `${url}/spend` }), refusal('htu', 'dpop_address')],
  ['another host', () => proof({ url: url.replace('plaza', 'proxy') }), refusal('htu', 'dpop_address')],
  ['another scheme', () => proof({ url: url.replace('https', 'http') }), refusal('htu', 'dpop_address')],
  ['another port', () => proof({ url: url.replace('.test', '.test:8443') }), refusal('htu', 'dpop_address')],
  ['a path alone', () => proof({ url: '/api/external/points' }), refusal('htu', 'dpop_address')],
  ['no hash of the token', () => claims({ ath: undefined }), refusal('ath', 'dpop_token_hash')],
  ['the hash of another token', () => proof({ access_token: 'plz_at_y' }), refusal('ath', 'dpop_token_hash')],
  ['61 s old', () => proof({ now: now.getTime() - 61_000 }), time],
  ['61 s ahead', () => proof({ now: now.getTime() + 61_000 }), time],
  ['no nonce', () => proof({ nonce: undefined }), ['use_dpop_nonce']],
  ['a nonce of nobody', () => proof({ nonce: 'nonce' }), ['use_dpop_nonce']],
  [
    'claims that were changed',
    () => rewritten(1, (text) => text.replace('"jti":"', '"jti":"x')),
    refusal('signature', 'dpop_signature'),
  ],
  [
    'the signature of another key',
    async () => header({ jwk: (await newProver()).jwk }),
    refusal('signature', 'dpop_signature'),
  ],
  ['no signature', async () => (await proof()).replace(/\.[^.]*$/, '.eA'), refusal('signature', 'dpop_signature')],
])('D-152: a proof with %s is refused', async (_, make, expected) => {
  expect(await outcomeOf(await make())).toEqual(expected)
})

test('D-152: 60 s on either side are now, and addresses are compared in their normal form, without query and fragment', async () => {
  for (const apart of [-60_000, 60_000])
    expect(await outcomeOf(await proof({ now: now.getTime() + apart }))).toBe(prover.jkt)
  for (const [text, normal] of [
    ['HTTPS://Plaza.Test:443/api/external/points?a=1#b', url],
    ['https://plaza.test/api/x/../external/%70oints', url],
    ['https://plaza.test/a%2fb%c3%a9', 'https://plaza.test/a%2Fb%C3%A9'],
    ['https://plaza.test/%7Eme', 'https://plaza.test/~me'],
    ['https://me@plaza.test/', undefined],
    ['urn:plaza', undefined],
  ] as const)
    expect([text, addressOf(text)]).toEqual([text, normal])
  expect(await outcomeOf(await proof({ url: `${url}?a=1` }))).toBe(prover.jkt)
})

test('D-152: a nonce lasts two to four minutes, is the same in every process, and survives a new secret', () => {
  const after = (seconds: number) => new Date(now.getTime() + seconds * 1000)
  const { current } = nonces(now)
  expect(openNonces(['a secret of 32 characters, at least'])(now).current).toBe(current)
  expect(current).toMatch(/^[\w-]{22}$/)
  expect([0, 119, 120, 239, 240].map((seconds) => nonces(after(seconds)).accepted.has(current))).toEqual([
    true,
    true,
    true,
    true,
    false,
  ])
  expect(nonces(after(120)).current).not.toBe(current)
  // From a process with a fast clock.
  expect(nonces(now).accepted.has(nonces(after(120)).current)).toBe(true)
  expect(openNonces(['the newest', 'a secret of 32 characters, at least'])(now).accepted.has(current)).toBe(true)
  expect(openNonces(['the newest'])(now).accepted.has(current)).toBe(false)
})

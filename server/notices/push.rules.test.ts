import { createPublicKey, createVerify, generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { areUsable, encryptPush, vapidOf } from './push.rules.ts'

// RFC 8291, Appendix A.
const subscription = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
}
const salt = Buffer.from('DGv6ra1nlYgDCS1FRnbzlw', 'base64url')
const private_key = Buffer.from('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', 'base64url')

test('D-160: a message is encrypted as the example of RFC 8291', () => {
  const text = 'When I grow up, I want to be a watermelon'
  expect(encryptPush(text, subscription, { salt, private_key }).toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  )
})

test('D-160: keys that no browser made are refused', () => {
  const { p256dh, auth } = subscription
  expect(areUsable(subscription)).toBe(true)
  for (const keys of [
    { p256dh: 'A'.repeat(87), auth },
    { p256dh: p256dh.slice(0, 40), auth },
    { p256dh, auth: auth.slice(0, 10) },
    { p256dh: '', auth },
  ])
    expect(areUsable(keys)).toBe(false)
})

test('D-160: the signature of VAPID names the push service, its end and who sends, and verifies', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  const now = new Date('2026-01-01T00:00:00Z')
  const signer = { private_key: pem, public_key: 'key', subject: 'https://plaza.example', now }
  const header = vapidOf('https://push.example/send/1?a=b', signer)
  const [, head = '', claims = '', signature = ''] = /^vapid t=(.+)\.(.+)\.(.+), k=key$/.exec(header) ?? []
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
    aud: 'https://push.example',
    exp: now.getTime() / 1_000 + 43_200,
    sub: 'https://plaza.example',
  })
  const verified = createVerify('sha256').update(`${head}.${claims}`)
  const key = {
    key: createPublicKey(publicKey.export({ format: 'pem', type: 'spki' })),
    dsaEncoding: 'ieee-p1363',
  } as const
  expect(verified.verify(key, Buffer.from(signature, 'base64url'))).toBe(true)
})

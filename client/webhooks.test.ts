import { execFileSync } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { verifyWebhook, WebhookVerificationError, type WebhookRequest } from './webhooks.ts'

const secret = `whsec_${randomBytes(32).toString('base64')}`
const other = `whsec_${randomBytes(24).toString('base64')}`
const event = { id: 'evt', type: 'points.spent', timestamp: '2026-01-31T12:00:00.000Z', data: { text: 'größe 💥' } }
const body = JSON.stringify(event)
const now = new Date()

/** A request as the library of Standard Webhooks signs it. */
const signed = (by = [secret], at = now, content = body) => ({
  'webhook-id': event.id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': by.map((key) => new Webhook(key).sign(event.id, at, content)).join(' '),
})

const refusalOf = (request: Partial<WebhookRequest>) =>
  verifyWebhook({ body, headers: signed(), secret, now, ...request }).then(
    () => 'verified',
    (error: unknown) => (error instanceof WebhookVerificationError ? error.message : `another error: ${String(error)}`),
  )

const no_signature = 'no signature of the request is one with the secret'
const too_far = 'the time of the request is too far from now'

test('what the library signs is verified, with headers of either kind and any of two secrets', async () => {
  expect(await verifyWebhook({ body, headers: signed(), secret })).toEqual(event)
  expect(await verifyWebhook({ body, headers: new Headers(signed()), secret })).toEqual(event)
  expect(await verifyWebhook({ body, headers: signed([other, secret]), secret })).toEqual(event)
  expect(await verifyWebhook({ body, headers: signed(), secret: [other, secret] })).toEqual(event)
  expect(await verifyWebhook({ body, headers: signed(), secret: secret.slice(6) })).toEqual(event)
})

test('the library, an HMAC by hand and openssl agree on the signature that is verified', async () => {
  const headers = signed()
  expect(new Webhook(secret).verify(body, headers)).toEqual(event)
  const key = Buffer.from(secret.slice(6), 'base64')
  const message = `${event.id}.${headers['webhook-timestamp']}.${body}`
  const by_hand = createHmac('sha256', key).update(message).digest('base64')
  const args = ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', `hexkey:${key.toString('hex')}`, '-binary']
  const by_openssl = execFileSync('openssl', args, { input: message }).toString('base64')
  expect([`v1,${by_hand}`, `v1,${by_openssl}`]).toEqual([headers['webhook-signature'], headers['webhook-signature']])
  expect(await verifyWebhook({ body, secret, headers })).toEqual(event)
})

test('everything else is refused: another secret, body, id or time, a lacking header, and what is no signature', async () => {
  expect(await refusalOf({})).toBe('verified')
  expect(await refusalOf({ secret: other })).toBe(no_signature)
  expect(await refusalOf({ secret: [] })).toBe(no_signature)
  expect(await refusalOf({ body: `${body} ` })).toBe(no_signature)
  expect(await refusalOf({ headers: { ...signed(), 'webhook-id': 'evt2' } })).toBe(no_signature)
  const shifted = String(Number(signed()['webhook-timestamp']) + 1)
  expect(await refusalOf({ headers: { ...signed(), 'webhook-timestamp': shifted } })).toBe(no_signature)
  for (const signature of ['v1,', 'v1,%%%', 'v1a,AAAA', 'AAAA', signed()['webhook-signature'].replace('v1', 'v2')])
    expect(await refusalOf({ headers: { ...signed(), 'webhook-signature': signature } })).toBe(no_signature)
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
    for (const value of ['', undefined])
      expect(await refusalOf({ headers: { ...signed(), [name]: value } })).toBe(`the request lacks ${name}`)
  for (const seconds of [-301, 301])
    expect(await refusalOf({ headers: signed([secret], new Date(now.getTime() + seconds * 1000)) })).toBe(too_far)
  expect(await refusalOf({ headers: { ...signed(), 'webhook-timestamp': 'now' } })).toBe(too_far)
  expect(await refusalOf({ secret: 'whsec_%%%' })).toBe('the secret is not one of a webhook')
  expect(await refusalOf({ body: 'no JSON', headers: signed([secret], now, 'no JSON') })).toBe('the body is not JSON')
})

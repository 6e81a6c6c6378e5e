import { execFileSync } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { startTestService } from '../../server/test/harness.ts'
import { startReceiver, type Received } from '../../server/test/receiver.ts'
import { someApp, world } from '../../server/test/world.ts'
import { isPlazaError, verifyWebhook, type WebhookRequest } from '../src/index.ts'
import { clientFor, clientOf } from './people.ts'

const secret = `whsec_${randomBytes(32).toString('base64')}`
const other = `whsec_${randomBytes(24).toString('base64')}`
const event = { id: 'evt', type: 'points.spent', timestamp: '2026-01-31T12:00:00.000Z', data: { text: 'größe 💥' } }
const body = JSON.stringify(event)
const now = new Date()

/** A request as the Standard Webhooks library signs it. */
const signed = (by = [secret], at = now, content = body) => ({
  'webhook-id': event.id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': by.map((key) => new Webhook(key).sign(event.id, at, content)).join(' '),
})

const refusalOf = (request: Partial<WebhookRequest>) =>
  verifyWebhook({ body, headers: signed(), secret, now, ...request }).then(
    () => 'verified',
    (error: unknown) =>
      isPlazaError(error, 'webhook_not_verified') ? error.detail : `another error: ${String(error)}`,
  )

const no_signature = 'no signature of the request is one with the secret'
const too_far = 'the time of the request is too far from now'

test('signatures of the library are verified, with either kind of headers and any of two secrets', async () => {
  expect(await verifyWebhook({ body, headers: signed(), secret })).toEqual(event)
  expect(await verifyWebhook({ body, headers: new Headers(signed()), secret })).toEqual(event)
  const capitals = Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value]))
  expect(await verifyWebhook({ body, headers: capitals, secret })).toEqual(event)
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

test('everything else is refused: another secret, body, id or time, a missing header, and a malformed signature', async () => {
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

test('D-101: deliveries of the service are verified, typed, and signed with either secret during a rotation', async () => {
  const plaza = await startTestService({ WEBHOOK_ADDRESSES: 'any', JWT_TTL: '31536000' })
  const receiver = await startReceiver()
  const { app, user, tokens } = await world(plaza, { points: 50, scopes: ['points:spend'] })
  const owner = clientOf(plaza, app.owner)
  const { webhook, secret: first } = await owner.createWebhook({
    id: app.id,
    url: receiver.url,
    events: ['points.spent'],
  })
  const verified = ({ body: text, headers }: Received, by: string | string[]) =>
    verifyWebhook({ body: text, headers, secret: by, now: plaza.clock.now() })

  await clientFor(plaza, tokens).spendPoints({ amount: 7, reference: 'order 1' })
  const spent = await verified(await receiver.nth(1), first)
  if (spent.type !== 'points.spent') throw new Error(spent.type)
  expect([spent.data.amount, spent.data.user_id, spent.data.reference]).toEqual([7, user.id, 'order 1'])

  const { secret: second } = await owner.rotateWebhookSecret({ id: app.id, webhook_id: webhook.id })
  await clientFor(plaza, tokens).spendPoints({ amount: 8 })
  const signed_twice = await receiver.nth(2)
  expect(String(signed_twice.headers['webhook-signature']).split(' ').length).toBe(2)
  for (const by of [first, second, [first, second]])
    expect((await verified(signed_twice, by)).data).toMatchObject({ amount: 8 })

  plaza.clock.advance(24 * 3_600 + 1)
  await owner.testWebhook({ id: app.id, webhook_id: webhook.id })
  const later = await receiver.nth(3)
  expect((await verified(later, second)).type).toBe('webhook.test')
  await expect(verified(later, first)).rejects.toThrow('webhook_not_verified: ' + no_signature)
  const another = await someApp(plaza)
  const other_webhook = await clientOf(plaza, another.owner).createWebhook({ id: another.id, url: receiver.url })
  await expect(verified(later, other_webhook.secret)).rejects.toThrow(no_signature)
})

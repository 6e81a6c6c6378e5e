import { expect, test } from 'vitest'
import { sha256 } from '../platform/secrets.ts'
import { newId } from '../platform/ids.ts'
import { countBy, sharedService, type TestService } from '../test/harness.ts'
import { outcome, refusedByOAuth } from '../test/refusals.ts'
import { raw, codeRequest, refreshRequest, someApp, someCode, someTokens, someUser } from '../test/world.ts'

const plaza = await sharedService()
const app = await someApp(plaza)
const other = await someApp(plaza)
const user = await someUser(plaza)

const challenge = 'Basic realm="plaza", charset="UTF-8"'
const base64 = (text: string) => Buffer.from(text).toString('base64')
const basic = (client_id: string, client_secret: string) => `Basic ${base64(`${client_id}:${client_secret}`)}`

/** Posts a form to the token endpoint; checks that a challenge occurs only where it belongs. */
async function post(
  body: Record<string, string> | string,
  headers: Record<string, string> = {},
  service: TestService = plaza,
) {
  const reply = await raw(service, 'POST', '/api/oauth/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(body).toString(),
  })
  expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([
    reply.status,
    reply.status === 401 ? challenge : null,
  ])
  return reply
}

/** A valid redemption without client credentials or verifier in the body: the header authenticates. */
async function bareRedemption() {
  const { client_id: _, client_secret: __, code_verifier: ___, ...body } = codeRequest(app, await someCode(app, user))
  return body
}

test('spec token: an unknown client_id is invalid_client, 400, and a wrong secret answers alike', async () => {
  const body = codeRequest(app, await someCode(app, user))
  const unknown = await post({ ...body, client_id: 'nobody' })
  const wrong = await post({ ...body, client_secret: 'wrong' })
  const foreign = await post({ ...body, client_secret: other.client_secret })
  const { client_id: _, ...none } = body
  for (const reply of [unknown, wrong, foreign, await post(none)])
    expect(outcome(reply)).toEqual(refusedByOAuth('invalid_client'))
  expect((await post(body)).status).toBe(200)
})

test('D-23: the same by the Authorization header is 401 with a Basic challenge; other refusals stay 400 without one', async () => {
  const body = await bareRedemption()
  for (const authorization of [basic('nobody', app.client_secret), basic(app.client_id, 'wrong')])
    expect(outcome(await post(body, { authorization }))).toEqual(refusedByOAuth('invalid_client', 401))
  const authorization = basic(app.client_id, app.client_secret)
  for (const [change, code] of [
    [{ code: 'nonsense' }, 'invalid_grant'],
    [{ grant_type: 'x' }, 'unsupported_grant_type'],
    [{ client_id: other.client_id }, 'invalid_request'],
  ] as const)
    expect(outcome(await post({ ...body, ...change }, { authorization }))).toEqual(refusedByOAuth(code))
})

test('D-22: Basic authenticates both grants, with the client_id in the body or not', async () => {
  const authorization = basic(app.client_id, app.client_secret)
  expect((await post(await bareRedemption(), { authorization })).status).toBe(200)
  expect((await post({ ...(await bareRedemption()), client_id: app.client_id }, { authorization })).status).toBe(200)
  const { refresh_token } = await someTokens(plaza, app, user)
  const { client_id: _, client_secret: __, ...renewal } = refreshRequest(app, refresh_token)
  expect((await post(renewal, { authorization })).status).toBe(200)
})

test('D-22: a secret in the header and one in the body are invalid_request, equal or not', async () => {
  const authorization = basic(app.client_id, app.client_secret)
  const body = codeRequest(app, await someCode(app, user))
  for (const client_secret of [app.client_secret, 'wrong'])
    expect(outcome(await post({ ...body, client_secret }, { authorization }))).toEqual(
      refusedByOAuth('client_credentials_twice'),
    )
  expect((await post({ ...body, client_secret: '' }, { authorization })).status).toBe(200)
})

test('D-22: Basic is percent-decoded, and raw credentials work as well', async () => {
  const encode = (text: string) => text.replace(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
  const encodeSome = (text: string) => text.replaceAll('_', '%5F').replaceAll('-', '%2d')
  const { client_id, client_secret } = app
  for (const authorization of [
    basic(client_id, client_secret),
    basic(client_id, encodeSome(client_secret)),
    basic(encode(client_id), encode(client_secret)),
    basic(client_id, client_secret).replace('Basic', 'bAsIc'),
    basic(client_id, client_secret).replace('Basic ', 'Basic   '),
    basic(client_id, client_secret).replace(/=+$/, ''),
  ]) {
    const reply = await post(await bareRedemption(), { authorization })
    expect([authorization, reply.status]).toEqual([authorization, 200])
  }
})

test('RFC 7617: Basic splits at the first colon', async () => {
  const secret = 'one:two:three'
  await plaza.db.sql`
    insert into app_secrets (id, app_id, secret_hash, hint, inserted_at)
    values (${newId()}, ${app.id}, ${sha256(secret)}, 'hree', ${plaza.clock.now()})`
  for (const sent of [secret, 'one%3Atwo%3Athree'])
    expect((await post(await bareRedemption(), { authorization: basic(app.client_id, sent) })).status).toBe(200)
})

test('D-22: an empty secret in Basic is a public client, whose verifier must be there', async () => {
  const { client_secret: _, client_id, ...body } = codeRequest(app, await someCode(app, user))
  const authorization = basic(client_id, '')
  const { code_verifier: __, ...unproven } = body
  expect(outcome(await post(unproven, { authorization }))).toEqual(refusedByOAuth('verifier_missing'))
  expect((await post(body, { authorization })).status).toBe(200)
})

test('D-23: an Authorization header that is no Basic credentials is 401, never a crash', async () => {
  const body = codeRequest(app, await someCode(app, user))
  const headers = [
    'Basic',
    'Basic ',
    'Basic !!!',
    'Basic =',
    `Basic ${base64('no colon')}`,
    `Basic ${base64(`:${app.client_secret}`)}`,
    `Basic ${base64(':')}`,
    `Basic ${base64(`${app.client_id}\0:x`)}`,
    `Basic ${base64('%00:x')}`,
    `Basic ${base64('%ED%A0%80:x')}`,
    `Basic ${base64('%:%')}`,
    `Basic ${Buffer.from([0xff, 0xfe, 0x3a, 0xff]).toString('base64')}`,
    `Basic ${base64('x'.repeat(5000) + ':y')}`,
    `${basic(app.client_id, app.client_secret)} x`,
    `Bearer ${user.token}`,
    'Bearer',
    'Digest username="x"',
    app.client_secret,
  ]
  const { client_id: _, client_secret: __, ...bare } = body
  for (const authorization of headers) {
    const reply = await post(bare, { authorization })
    expect([authorization, ...outcome(reply)]).toEqual([authorization, ...refusedByOAuth('invalid_client', 401)])
  }
  expect((await post(body)).status).toBe(200)
})

test('a guesser of secrets is slowed down in the OAuth form, and the app itself is not locked out', async () => {
  const limits = { RATE_LIMIT_TOKEN: '10/60', TRUSTED_PROXIES: '127.0.0.1' }
  const service = await plaza.startAnother(limits)
  const body = codeRequest(app, await someCode(app, user))
  const from = (address: string, client_secret: string) =>
    post({ ...body, client_secret }, { 'x-forwarded-for': address }, service)
  const replies = await Promise.all(Array.from({ length: 100 }, (_, at) => from('203.0.113.5', `wrong ${at}`)))
  expect(countBy(replies, ({ status }) => status)).toEqual({ 400: 10, 429: 90 })
  for (const reply of replies)
    expect(outcome(reply)).toEqual(refusedByOAuth(reply.status === 429 ? 'rate_limited' : 'invalid_client'))
  const late = await from('203.0.113.5', app.client_secret)
  expect(outcome(late)).toEqual(refusedByOAuth('rate_limited'))
  expect(late.headers.get('retry-after')).toBe('60')
  expect([late.headers.get('ratelimit-policy'), late.headers.get('ratelimit')]).toEqual([
    '"default";q=10;w=60',
    '"default";r=0;t=60',
  ])
  expect((await from('203.0.113.6', app.client_secret)).status).toBe(200)
  plaza.clock.advance(60)
  expect(outcome(await from('203.0.113.5', 'wrong'))).toEqual(refusedByOAuth('invalid_client'))
})

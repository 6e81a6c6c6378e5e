import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { bodyBytesMax } from '../../contract/endpoint.ts'
import { operations } from '../../contract/operations.ts'
import { knownDeviceName } from '../../contract/device-name.ts'
import { acceptedLanguage } from '../platform/texts.ts'
import { exchange, requestOf } from '../test/exchange.ts'
import { sharedService } from '../test/harness.ts'
import { someHostingApp } from '../test/hosting-world.ts'
import { processorSecondsOf } from '../test/processor-time.ts'
import { outcome, refused } from '../test/refusals.ts'
import { basicOf, raw, someUser } from '../test/world.ts'

const plaza = await sharedService()
const user = await someUser(plaza, { verified: false })
const app_id = '019a0000-0000-7000-8000-000000000000'
const authorization = `Bearer ${user.token}`
const json = { 'content-type': 'application/json' }
const call = async (method: string, path: string, body: string, headers: Record<string, string> = {}) =>
  outcome(await raw(plaza, method, path, { headers: { ...json, authorization, ...headers }, body }))
const framework = (status: number, detail: string) => [status, { errors: { detail } }]
const too_large = framework(413, 'Payload Too Large')
const invalid = (...fields: [path: string, message: string][]) =>
  refused(
    'validation_failed',
    fields.map(([path, message]) => ({ path, message })),
  )
const too_deep = invalid(['', 'must not be nested deeper than 40 levels'])
const too_many = invalid(['', 'must not hold more than 10000 values'])

const lists: [method: string, path: string, field: string, max: number][] = [
  ['PUT', `/api/oauth/my-apps/${app_id}/webhooks/${app_id}`, 'events', 50],
  ['POST', `/api/oauth/my-apps/${app_id}/webhooks`, 'events', 50],
  ['POST', '/api/oauth/apps', 'redirect_uris', 10],
  ['PUT', `/api/oauth/my-apps/${app_id}`, 'redirect_uris', 10],
  ['POST', `/api/oauth/my-apps/${app_id}/scope-request`, 'requested_scopes', 20],
]

test('S-2: a too long list has one error, a body of too many or deep values another, and a too large body gets 413', async () => {
  for (const [method, path, field, max] of lists) {
    const refusal = async (list: string) => {
      const headers = { authorization: `Bearer ${(await someUser(plaza, { verified: false })).token}` }
      const [status, body] = await call(method, path, `{"${field}":${list}}`, headers)
      const { fields = [], ...rest } = body as { fields?: { path: string; message: string }[] }
      return [status, fields.filter((error) => error.path.startsWith(field) || error.path === ''), rest]
    }
    const ones = (count: number) => `[${Array(count).fill(1).join()}]`
    const of = (name: string, message: string) => [
      422,
      [{ path: name, message }],
      expect.objectContaining({ error: 'validation_failed' }),
    ]
    expect(await refusal(ones(9_000))).toEqual(of(field, `must NOT have more than ${max} items`))
    expect(await refusal(ones(20_000))).toEqual(of('', 'must not hold more than 10000 values'))
    expect(await refusal(`${'['.repeat(20_000)}${']'.repeat(20_000)}`)).toEqual(
      of('', 'must not be nested deeper than 40 levels'),
    )
    expect(await refusal(ones(500_000))).toEqual([413, [], too_large[1]])
  }
})

test('S-2: the shape of a body is checked in unknown fields too, and brackets in texts do not count', async () => {
  const login = (text: string) => call('POST', '/api/auth/login', text)
  const good = `"email":"${user.email}","password":"wrong"`
  expect(await login(`{${good},"x":${'{"a":'.repeat(40)}1${'}'.repeat(40)}}`)).toEqual(too_deep)
  expect(await login(`{${good},"x":[${Array(10_000).fill(1).join()}]}`)).toEqual(too_many)
  const text = JSON.stringify('[{,"\\'.repeat(3_000))
  expect((await login(`{${good},"x":${text},"y":${'['.repeat(31)}${']'.repeat(31)}}`))[0]).toBe(401)
})

test('S-2: every body may have the size in the contract; one more byte gets 413', async () => {
  const open = Object.values(operations).filter(
    ({ body, auth, errors }) => body && errors !== 'oauth' && (auth === 'none' || auth === 'user'),
  )
  expect(open.length).toBeGreaterThan(30)
  for (const endpoint of open) {
    const bytes = bodyBytesMax(endpoint)
    const path = endpoint.path.replace(/\{\w+\}/g, app_id)
    const of = (length: number) => call(endpoint.method, path, `{${' '.repeat(length - 2)}}`)
    expect([path, (await of(bytes))[0] === 413]).toEqual([path, false])
    const [status, body] = await of(bytes + 1)
    // A rate limit comes before the body.
    if (status !== 429) expect([path, status, body]).toEqual([path, ...too_large])
  }
})

test('S-2: no caller slows down others: the most expensive bodies of an unverified person cost a few milliseconds each', async () => {
  const count = (items: number, item: string) => `[${Array(items).fill(item).join()}]`
  const names = `{${Array.from({ length: 7_000 }, (_, at) => `"${at.toString(36)}":1`).join()}}`
  const values = [
    count(9_900, '1'),
    count(9_900, '{}'),
    count(32_000, '1'),
    `${'['.repeat(32_000)}${']'.repeat(32_000)}`,
    names,
  ]
  for (const [method, path, field] of lists) {
    for (const value of values) {
      const headers = { authorization: `Bearer ${(await someUser(plaza, { verified: false })).token}` }
      const cost = await processorSecondsOf(() => call(method, path, `{"${field}":${value}}`, headers))
      // With an error for each, 32,000 values cost 0.2 s and 500,000 two to four seconds.
      expect([path, value.length, cost < 0.05]).toEqual([path, value.length, true])
    }
  }
})

test('S-2: long headers are read in time that grows with their length', async () => {
  const spaces = ' '.repeat(15_000)
  const cost = await processorSecondsOf(async () => {
    for (const header of [
      `${spaces}x`,
      `en${spaces};${spaces}q=1${spaces}x`,
      `${spaces};`.repeat(8),
      ';'.repeat(15_000),
    ])
      acceptedLanguage(header)
    knownDeviceName('Version/'.repeat(2_000))
    knownDeviceName('Safari/'.repeat(2_000))
  })
  expect(cost).toBeLessThan(0.05)
  expect(acceptedLanguage(` fr ;q=0.9, DE-at ; q=0.5${spaces}, en;q=0.4`)).toBe('de')
})

const send = async (lines: string[], body = '') => {
  const reply = await exchange(plaza, requestOf([...lines, 'Host: plaza', 'Connection: close'], body))
  return { status: reply.status, body: reply.body && (JSON.parse(reply.body) as unknown) }
}

const empty_bodies: [headers: string[], body: string][] = [
  [['Content-Length: 0'], ''],
  [['Content-Type: application/json', 'Content-Length: 0'], ''],
  [['Content-Type: text/plain', 'Content-Length: 0'], ''],
  [['Content-Type: nonsense', 'Content-Length: 0'], ''],
  [['Content-Type: multipart/form-data', 'Content-Encoding: gzip', 'Content-Length: 0'], ''],
  [['Content-Type: application/json'], ''],
  [['Content-Type: text/plain', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
  [['Content-Encoding: br', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
  [['Transfer-Encoding: chunked'], '0\r\n\r\n'],
  [[], ''],
]

test('F10, D-127: zero bytes count as no body, regardless of the headers', async () => {
  const missing = ['email', 'password'].map((path) => ({ path, message: 'is required' }))
  for (const [headers, body] of empty_bodies) {
    const login = await send(['POST /api/auth/login HTTP/1.1', ...headers], body)
    expect([headers, login.status, login.body]).toEqual([headers, ...refused('validation_failed', missing)])
    const token = await send(['POST /api/oauth/token HTTP/1.1', ...headers], body)
    expect([headers, token.status, (token.body as { error: string }).error]).toEqual([headers, 400, 'invalid_request'])
    const other = await someUser(plaza)
    const bearer = `Authorization: Bearer ${other.token}`
    const logout = await send(['POST /api/auth/logout HTTP/1.1', bearer, ...headers], body)
    expect([headers, logout.status]).toEqual([headers, 200])
    const ended = await send(['DELETE /api/auth/sessions HTTP/1.1', bearer, ...headers], body)
    expect([headers, ended.status]).toEqual([headers, 401])
  }
})

test('F10: a body that arrives after its head is read, with or without an announced length', async () => {
  const slow = new ReadableStream({
    async start(stream) {
      await new Promise((resolve) => setImmediate(resolve))
      stream.enqueue(new TextEncoder().encode(`{"email":"${user.email}",`))
      await new Promise((resolve) => setImmediate(resolve))
      stream.enqueue(new TextEncoder().encode(`"password":"${user.password}"}`))
      stream.close()
    },
  })
  const init = { headers: json, body: slow, duplex: 'half' } as RequestInit
  expect((await raw(plaza, 'POST', '/api/auth/login', init)).status).toBe(200)
})

test('F14, D-127: a body with a content coding gets 415 with Accept-Encoding; identity does not count as one', async () => {
  const body = JSON.stringify({ email: user.email, password: user.password })
  const login = (coding: string, sent: string | Buffer<ArrayBuffer>, headers: Record<string, string> = json) =>
    raw(plaza, 'POST', '/api/auth/login', { headers: { ...headers, 'content-encoding': coding }, body: sent })
  const coded = framework(415, 'Unsupported Media Type: send the body without Content-Encoding')
  for (const coding of ['gzip', 'br', 'deflate', 'zstd', 'x-gzip', 'gzip, gzip', 'nonsense', 'identity, gzip']) {
    const reply = await login(coding, gzipSync(body) as Buffer<ArrayBuffer>)
    expect([coding, ...outcome(reply), reply.headers.get('accept-encoding'), reply.headers.get('accept')]).toEqual([
      coding,
      ...coded,
      'identity',
      null,
    ])
  }
  expect((await login('identity', body)).status).toBe(200)
  expect((await login('Identity', body)).status).toBe(200)
  const token = await raw(plaza, 'POST', '/api/oauth/token', { headers: { ...json, 'content-encoding': 'gzip' }, body })
  expect([token.status, (token.body as { error: string }).error, token.headers.get('accept-encoding')]).toEqual([
    415,
    'invalid_request',
    'identity',
  ])
})

test('H15: for an environment of 50 values of 32 KiB, the error names the field; for one value that is too long, its name', async () => {
  const app = await someHostingApp(plaza)
  const create = (env_vars: object) =>
    raw(plaza, 'POST', '/api/deploy/apps', {
      headers: { ...json, authorization: basicOf(app) },
      body: JSON.stringify({ subdomain: 'many-variables', image: 'registry.test/a:1', tier: 'small', env_vars }),
    })
  const of = (count: number, value: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`V${at}`, value]))
  const envErrors = async (env_vars: object) => {
    const [status, body] = outcome(await create(env_vars))
    const { fields = [] } = body as { fields?: { path: string; message: string }[] }
    return [status, fields.filter(({ path }) => path.startsWith('env_vars'))]
  }
  expect(await envErrors(of(50, 'x'.repeat(32_768)))).toEqual([
    422,
    [{ path: 'env_vars', message: 'must not be larger than 262144 bytes in all' }],
  ])
  expect(await envErrors({ A: 'x', LONG: 'x'.repeat(32_769) })).toEqual([
    422,
    [{ path: 'env_vars.LONG', message: 'must NOT have more than 32768 characters' }],
  ])
  const [status, fields] = await envErrors(of(50, 'é'.repeat(16_385)))
  expect([status, (fields as unknown[]).length]).toEqual([422, 20])
  expect(await create({ A: 'x'.repeat(2_100_000) }).then(outcome)).toEqual(too_large)
})

import { expect, test } from 'vitest'
import { exchange } from '../test/exchange.ts'
import { sharedService } from '../test/harness.ts'
import { raw, someApp, someTokens, someUser, theAdmin } from '../test/world.ts'

const plaza = await sharedService()
const tight = await plaza.startAnother({ RATE_LIMIT_LOGIN: '1/60' })
const user = await someUser(plaza)
const app = await someApp(plaza)
const admin = await theAdmin(plaza)

const json = { 'content-type': 'application/json' }
const origin = 'https://a-page-of-somebody.test'
const security_headers = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'content-type': 'application/json; charset=utf-8',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}
const pathOf = (path: string) => path.replace(/\{\w+\}/g, '01890000-0000-7000-8000-000000000000')
const named = (headers: Headers, names: string[]) => Object.fromEntries(names.map((name) => [name, headers.get(name)]))

/** Endpoints that a page of another site may read without a token. With a token it may also read all others, because they use no cookie. */
const open_paths = [
  '/api/oauth/token',
  '/api/oauth/revoke',
  '/api/oauth/token/verify',
  '/api/oauth/apps/{client_id}',
  '/api/auth/session/refresh',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-protected-resource',
  '/.well-known/jwks.json',
  '/health',
]
const { endpoints } = plaza.service.app
/** The authorization endpoint (RFC 9700 §2.6), and the session renewal, which uses a cookie. */
const authorization_paths = ['/api/oauth/authorize', '/api/oauth/authorize/request', '/api/auth/session/renew']
const takesToken = ({ auth, path }: (typeof endpoints)[number]) =>
  // D-156: an agent is not a page.
  auth !== 'none' && auth !== 'client' && auth !== 'agent' && !authorization_paths.includes(path)
const open = endpoints.filter((endpoint) => open_paths.includes(endpoint.path) || takesToken(endpoint))
const closed = endpoints.filter(({ auth, path }) => auth === 'client' || authorization_paths.includes(path))

test('every JSON response has the security headers, a type with its charset, and a unique request id, whatever its status', async () => {
  const authorization = `Bearer ${user.token}`
  const wrong_login = { headers: json, body: JSON.stringify({ email: user.email, password: 'x' }) }
  await raw(tight, 'POST', '/api/auth/login', wrong_login)
  const someone = JSON.stringify({ email: 'headers@people.test', username: 'headers', password: 'long enough' })
  await plaza.db.sql`alter table reset_codes rename to reset_codes_away`
  const answers: [number, Awaited<ReturnType<typeof raw>>][] = [
    [200, await raw(plaza, 'GET', '/health')],
    [200, await raw(plaza, 'GET', '/api/auth/me', { headers: { authorization } })],
    [201, await raw(plaza, 'POST', '/api/auth/register', { headers: json, body: someone })],
    [400, await raw(plaza, 'POST', '/api/auth/login', { headers: json, body: '{' })],
    [400, await raw(plaza, 'POST', '/api/oauth/token', { headers: json, body: '{}' })],
    [400, await raw(plaza, 'GET', '/api/oauth/apps/%')],
    [401, await raw(plaza, 'POST', '/api/auth/login', wrong_login)],
    [401, await raw(plaza, 'GET', '/api/auth/me')],
    [403, await raw(plaza, 'GET', '/api/admin/users', { headers: { authorization } })],
    [404, await raw(plaza, 'GET', '/api/oauth/apps/unknown')],
    [404, await raw(plaza, 'GET', '/nothing')],
    [405, await raw(plaza, 'DELETE', '/health')],
    [405, await raw(plaza, 'GET', '/api/oauth/token')],
    [409, await raw(plaza, 'POST', '/api/auth/send-verification', { headers: { authorization } })],
    [413, await raw(plaza, 'POST', '/api/auth/login', { headers: json, body: 'x'.repeat(2 ** 20 + 1) })],
    [414, await raw(plaza, 'GET', `/api/oauth/apps/${'x'.repeat(3000)}`)],
    [415, await raw(plaza, 'POST', '/api/auth/login', { headers: { 'content-type': 'text/plain' }, body: 'x' })],
    [422, await raw(plaza, 'POST', '/api/auth/login', { headers: json, body: '{}' })],
    [429, await raw(tight, 'POST', '/api/auth/login', wrong_login)],
    [
      500,
      await raw(plaza, 'POST', '/api/auth/password/reset', {
        headers: json,
        body: '{"code":"x","new_password":"long enough"}',
      }),
    ],
  ]
  await plaza.db.sql`alter table reset_codes_away rename to reset_codes`
  for (const [status, reply] of answers) {
    const found = [reply.status, named(reply.headers, Object.keys(security_headers))]
    expect([reply.text, ...found]).toEqual([reply.text, status, security_headers])
    expect([reply.text, reply.headers.get('content-type')]).toEqual([reply.text, 'application/json; charset=utf-8'])
  }
  const ids = answers.map(([, { headers }]) => headers.get('x-request-id'))
  expect(new Set(ids).size).toBe(answers.length)
  expect(ids).not.toContain(null)
})

test('the response to input that is not HTTP has the security headers too', async () => {
  const { text } = await exchange(plaza, 'GARBAGE\r\n\r\n')
  for (const [name, value] of Object.entries(security_headers)) expect(text).toContain(`\r\n${name}: ${value}\r\n`)
})

test('no response names the software or sets a cookie', async () => {
  for (const path of ['/health', '/nothing', '/api/auth/me']) {
    const { headers } = await raw(plaza, 'GET', path)
    expect(named(headers, ['server', 'x-powered-by', 'set-cookie'])).toEqual({
      server: null,
      'x-powered-by': null,
      'set-cookie': null,
    })
  }
})

test('RFC 9700 §2.6 endpoints for apps in browsers are readable from any origin, without cookies', async () => {
  expect(open.length).toBeGreaterThan(open_paths.length)
  for (const { method, path } of open) {
    const { status, headers } = await raw(plaza, method, pathOf(path), { headers: { origin } })
    expect([
      path,
      status < 500,
      named(headers, ['access-control-allow-origin', 'access-control-allow-credentials']),
    ]).toEqual([path, true, { 'access-control-allow-origin': '*', 'access-control-allow-credentials': null }])
    expect(headers.get('access-control-expose-headers')?.split(', ')).toEqual(
      expect.arrayContaining(['Retry-After', 'WWW-Authenticate', 'RateLimit']),
    )
  }
})

test('RFC 9700 §2.6 a preflight of an open path: 204 with its methods and headers, without any credential', async () => {
  const { access_token } = await someTokens(plaza, app, user)
  expect(access_token).toBeTruthy()
  for (const { method, path } of open) {
    const { status, text, headers } = await raw(plaza, 'OPTIONS', pathOf(path), {
      headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'authorization' },
    })
    expect([path, status, text, headers.get('access-control-allow-origin')]).toEqual([path, 204, '', '*'])
    expect(headers.get('access-control-allow-methods')?.split(', ')).toContain(method)
    const allowed = headers.get('access-control-allow-headers')?.toLowerCase().split(', ')
    expect(allowed).toEqual(
      expect.arrayContaining(['authorization', 'content-type', 'idempotency-key', 'mcp-protocol-version']),
    )
    expect(headers.get('access-control-allow-credentials')).toBe(null)
  }
})

test('RFC 9700 §2.6 authorize and endpoints with a client secret are closed to other origins: no CORS header, no preflight', async () => {
  expect(closed.map(({ path }) => path)).toEqual(expect.arrayContaining([...authorization_paths, '/api/app/refunds']))
  for (const { method, path } of closed) {
    const plain = await raw(plaza, method, pathOf(path), {
      headers: { origin, authorization: `Bearer ${admin.token}x` },
    })
    const preflight = await raw(plaza, 'OPTIONS', pathOf(path), {
      headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'authorization' },
    })
    expect([path, plain.headers.get('access-control-allow-origin')]).toEqual([path, null])
    expect([path, preflight.headers.get('access-control-allow-methods')]).toEqual([path, null])
    if (!open.some((other) => new RegExp(`^${other.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path)))
      expect([path, preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([path, 405, null])
  }
})

test('sign-in and registration are closed to pages of other origins', async () => {
  for (const path of [
    '/api/auth/login',
    '/api/auth/register',
    '/api/auth/password/forgot',
    '/api/auth/password/reset',
  ]) {
    const { headers } = await raw(plaza, 'POST', path, { headers: { origin, ...json }, body: '{}' })
    expect([path, headers.get('access-control-allow-origin')]).toEqual([path, null])
  }
})

test('pages can also read the errors of an open path: 400, 401, 405, 413, 415', async () => {
  const answers = [
    await raw(plaza, 'POST', '/api/oauth/token', { headers: { origin, ...json }, body: '{' }),
    await raw(plaza, 'GET', '/api/external/user', { headers: { origin } }),
    await raw(plaza, 'POST', '/api/oauth/token', { headers: { origin, ...json }, body: 'x'.repeat(2 ** 20 + 1) }),
    await raw(plaza, 'POST', '/api/oauth/token', { headers: { origin, 'content-type': 'text/plain' }, body: 'x' }),
  ]
  expect(answers.map(({ status, headers }) => [status, headers.get('access-control-allow-origin')])).toEqual([
    [400, '*'],
    [401, '*'],
    [413, '*'],
    [415, '*'],
  ])
})

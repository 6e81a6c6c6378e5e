import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { openFaultProxy } from '../test/fault-proxy.ts'
import { sharedService } from '../test/harness.ts'
import { someHostingApp } from '../test/hosting-world.ts'
import { outcome, refused } from '../test/refusals.ts'
import { basicOf, raw, someUser, theAdmin } from '../test/world.ts'

const plaza = await sharedService()
const user = await someUser(plaza)
const admin = await theAdmin(plaza)

const json = { 'content-type': 'application/json' }
const framework = (status: number, detail: string) => [status, { errors: { detail } }]
const oauth = (status: number, error: string, error_description: string) => [status, { error, error_description }]
const oauth_paths = ['/api/oauth/token', '/api/oauth/revoke', '/api/oauth/par']
const send = async (method: string, path: string, init: RequestInit = {}) =>
  outcome(await raw(plaza, method, path, init))
const post = (path: string, body: string | Buffer<ArrayBuffer> | null, headers: Record<string, string> = json) =>
  send('POST', path, { headers, ...(body !== null && { body }) })

test('D-03 unknown paths: 404 in the framework’s format, whatever the method', async () => {
  const paths = ['/nothing', '/api', '/api/auth/me/', '//api/auth/me', '/API/auth/me', '/api/admin/nothing']
  for (const path of paths)
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
      expect([method, path, ...(await send(method, path))]).toEqual([method, path, ...framework(404, 'Not Found')])
})

test('D-03 wrong methods: 405 that lists the right ones, on every path', async () => {
  const { endpoints } = plaza.service.app
  const declared = new Set(endpoints.map(({ path }) => path).filter((path) => !oauth_paths.includes(path)))
  expect(declared.size).toBeGreaterThan(30)
  for (const path of [...declared].map((pattern) => pattern.replace(/\{\w+\}/g, '1'))) {
    const leadsHere = (pattern: string) => new RegExp(`^${pattern.replace(/\{\w+\}/g, '[^/]+')}$`).test(path)
    const served = endpoints.filter((endpoint) => leadsHere(endpoint.path)).map(({ method }): string => method)
    const wrong = ['POST', 'PUT', 'DELETE', 'PATCH'].filter((method) => !served.includes(method))
    for (const method of wrong.slice(0, 2)) {
      const reply = await raw(plaza, method, path)
      expect([method, path, ...outcome(reply)]).toEqual([method, path, ...framework(405, 'Method Not Allowed')])
      expect([path, reply.headers.get('allow')?.split(', ').sort()]).toEqual([path, [...new Set(served)].sort()])
    }
  }
})

/** Bodies that the framework refuses before a route runs. */
const bad_bodies: [type: string, body: string][] = [
  ['application/json', '{'],
  ['application/json', '{"a":"\\u0000"}'],
  ['application/json', `"${'x'.repeat(1024 * 1024)}"`],
  ['application/x-www-form-urlencoded', 'a=b'],
  ['text/plain', 'x'],
  ['nonsense', 'x'],
]

test('D-03, D-04 an unknown path gets 404 and a wrong method 405, whatever the body', async () => {
  for (const [type, body] of bad_bodies)
    for (const [method, path, expected, allow] of [
      ['POST', '/api/nothing', framework(404, 'Not Found'), null],
      ['PUT', '/api/auth/login', framework(405, 'Method Not Allowed'), 'POST'],
      ...oauth_paths.map((path) => ['PUT', path, oauth(405, 'invalid_request', 'Method Not Allowed'), 'POST'] as const),
    ] as const) {
      const sent = [method, path, type, body.slice(0, 20)]
      const reply = await raw(plaza, method, path, { headers: { 'content-type': type }, body })
      expect([...sent, ...outcome(reply)]).toEqual([...sent, ...expected])
      expect(reply.headers.get('allow')).toBe(allow)
    }
})

/** Sends bytes on one connection, and returns the data once it contains `answers` responses. */
async function onOneConnection(sent: string, answers: number) {
  const { port, hostname } = new URL(plaza.url)
  const socket = connect(Number(port), hostname, () => socket.write(sent))
  let received = ''
  socket.on('data', (part) => (received += part.toString('latin1')))
  const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
  await expect.poll(() => statuses().length).toBeGreaterThanOrEqual(answers)
  socket.destroy()
  return statuses()
}

test('D-03 an unread body is not parsed as a request, and the next request on its connection is answered', async () => {
  const health = 'GET /health HTTP/1.1\r\nHost: plaza\r\n\r\n'
  const admins = 'GET /api/admin/users HTTP/1.1\r\nHost: plaza\r\n\r\n'
  for (const [at, body] of [admins, '{', 'x'.repeat(3 * 1024 * 1024)].entries()) {
    const head = (path: string) => `PUT ${path} HTTP/1.1\r\nHost: plaza\r\nContent-Type: application/json\r\n`
    const measured = (path: string) => `${head(path)}Content-Length: ${body.length}\r\n\r\n${body}`
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    const chunked = (path: string) => `${head(path)}Transfer-Encoding: chunked\r\n\r\n${chunk}`
    const requests = [measured('/api/nothing'), chunked('/api/nothing'), measured('/api/oauth/token')]
    for (const request of requests)
      expect([at, await onOneConnection(request + health + request + health, 4)]).toEqual([
        at,
        request === requests[2] ? [405, 200, 405, 200] : [404, 200, 404, 200],
      ])
  }
})

test('D-03 malformed JSON: 400 in the framework’s format', async () => {
  for (const body of ['{', '{"email":}', '{email:1}', 'undefined', '{"a":1}}', '\u{FEFF}{}', '{"a":"\t"}'])
    expect([body, ...(await post('/api/auth/login', body))]).toEqual([body, ...framework(400, 'Bad Request')])
})

test('D-03 unsupported media types: 415', async () => {
  const unsupported = framework(415, 'Unsupported Media Type')
  for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'nonsense', 'application/jsonp'])
    expect([type, ...(await post('/api/auth/login', '{}', { 'content-type': type }))]).toEqual([type, ...unsupported])
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  expect(await post('/api/auth/login', 'email=a', form)).toEqual(unsupported)
})

test('D-03 JSON media types are accepted', async () => {
  const types = ['application/json', 'Application/JSON; charset=utf-8', 'application/vnd.api+json']
  for (const type of types) {
    const [status] = await post('/api/auth/login', '{}', { 'content-type': type })
    expect([type, status]).toEqual([type, 422])
  }
})

test('D-03 a body above its limit: 413, with or without an announced length', async () => {
  const body = JSON.stringify({ email: 'x'.repeat(1024 * 1024) })
  expect(await post('/api/auth/login', body)).toEqual(framework(413, 'Payload Too Large'))
  const stream = new Blob([body]).stream()
  const chunked = await send('POST', '/api/auth/login', { headers: json, body: stream, duplex: 'half' } as RequestInit)
  expect(chunked).toEqual(framework(413, 'Payload Too Large'))
})

test('D-03 the token endpoint uses the format of RFC 6749 for every error', async () => {
  for (const path of oauth_paths) {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      const reply = await raw(plaza, method, path)
      expect([method, ...outcome(reply)]).toEqual([method, ...oauth(405, 'invalid_request', 'Method Not Allowed')])
      expect(reply.headers.get('allow')).toBe('POST')
    }
    expect(await post(path, '{')).toEqual(oauth(400, 'invalid_request', 'Bad Request'))
    expect(await post(path, 'x', { 'content-type': 'text/plain' })).toEqual(
      oauth(415, 'invalid_request', 'Unsupported Media Type'),
    )
    expect(await post(path, `"${'x'.repeat(1024 * 1024)}"`)).toEqual(oauth(413, 'invalid_request', 'Payload Too Large'))
    for (const body of ['null', '[]', '"text"', '7', '{}', '', '{"client_id":7}', '{"client_id":"\\u0000"}']) {
      const [status, refusal] = await post(path, body)
      expect([body, status, Object.keys(refusal as object)]).toEqual([body, 400, ['error', 'error_description']])
    }
  }
})

test('D-03 an internal error: 500 without details', async () => {
  const { sql } = plaza.db
  const logged_before = plaza.logged().length
  await sql`alter table reset_codes rename to reset_codes_away`
  await sql`alter table app_secrets rename to app_secrets_away`
  try {
    const reset = await raw(plaza, 'POST', '/api/auth/password/reset', {
      headers: json,
      body: JSON.stringify({ code: 'x', new_password: 'long enough' }),
    })
    expect(outcome(reset)).toEqual(framework(500, 'Internal Server Error'))
    expect(reset.text).not.toMatch(/reset_codes|relation|at /)
    expect(plaza.logged().slice(logged_before)).toMatch(/"level":"error".*reset_codes.* does not exist/)
    for (const path of oauth_paths)
      expect(
        await post(
          path,
          JSON.stringify({ client_id: 'x', client_secret: 'y', token: 'z', grant_type: 'refresh_token' }),
        ),
      ).toEqual(oauth(500, 'server_error', 'Internal Server Error'))
  } finally {
    await sql`alter table reset_codes_away rename to reset_codes`
    await sql`alter table app_secrets_away rename to app_secrets`
  }
  expect(await post('/api/auth/password/reset', '{"code":"x","new_password":"long enough"}')).toEqual(
    refused('invalid_code'),
  )
})

test('D-03 the database is unavailable: 503 with Retry-After, never a false answer; once it is back, requests succeed', async () => {
  const proxy = await openFaultProxy(plaza)
  const { url } = await plaza.startAnother({ DATABASE_URL: proxy.database_url })
  const call = async (method: string, path: string, body?: unknown, token = user.token) => {
    const headers = { authorization: `Bearer ${token}`, ...(body !== undefined && json) }
    const response = await fetch(url + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return [response.status, await response.json(), response.headers.get('retry-after')]
  }
  const { email, password } = user
  expect((await call('GET', '/api/auth/me'))[0]).toBe(200)
  expect((await call('GET', '/health'))[1]).toMatchObject({ status: 'ok' })
  proxy.refuseAll()
  const away = [...framework(503, 'Service Unavailable'), '1']
  expect(await call('GET', '/api/auth/me')).toEqual(away)
  expect(await call('GET', '/api/admin/users', undefined, admin.token)).toEqual(away)
  expect(await call('POST', '/api/auth/login', { email, password })).toEqual(away)
  expect(await call('GET', '/health')).toEqual([
    503,
    { status: 'database_unavailable', version: expect.any(String) },
    '1',
  ])
  const verified = await fetch(`${url}/api/oauth/token/verify`, {
    method: 'POST',
    headers: json,
    body: '{"token":"x"}',
  })
  expect([verified.status, await verified.json()]).toEqual(framework(503, 'Service Unavailable'))
  for (const path of oauth_paths) {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: json,
      body: '{"client_id":"x","token":"y","grant_type":"refresh_token"}',
    })
    expect([response.status, await response.json(), response.headers.get('retry-after')]).toEqual([
      ...oauth(503, 'temporarily_unavailable', 'Service Unavailable'),
      '1',
    ])
  }
  proxy.acceptNew()
  await expect.poll(async () => (await call('GET', '/api/auth/me'))[0]).toBe(200)
  expect((await call('POST', '/api/auth/login', { email, password }))[0]).toBe(200)
})

test('D-04 every invalid field is named; without a body, every required field is missing', async () => {
  const missing = ['email', 'password', 'username'].map((path) => ({ path, message: 'is required' }))
  for (const body of ['{}', '', null])
    expect(await post('/api/auth/register', body)).toEqual(refused('validation_failed', missing))
  const authorization = `Bearer ${user.token}`
  const nested = JSON.stringify({ app_name: '', redirect_uris: ['https://a.test', 7] })
  const [status, refusal] = await post('/api/oauth/apps', nested, { ...json, authorization })
  expect([status, (refusal as { fields: { path: string }[] }).fields.map(({ path }) => path)]).toEqual([
    422,
    ['app_name', 'redirect_uris.1'],
  ])
  for (const body of ['null', '[]', '"text"', '7'])
    expect(await post('/api/auth/register', body)).toEqual(
      refused('validation_failed', [{ path: '', message: 'must be object' }]),
    )
})

test('D-04 the list of fields has at most 20 entries', async () => {
  const authorization = basicOf(await someHostingApp(plaza))
  const env_vars = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`V${at}`, 7]))
  const [status, refusal] = await post('/api/deploy/apps', JSON.stringify({ env_vars }), { ...json, authorization })
  expect([status, (refusal as { fields: unknown[] }).fields.length]).toEqual([422, 20])
})

test('D-04 a missing body counts as an empty one if all fields are optional; JSON null is not an object', async () => {
  const authorization = `Bearer ${admin.token}`
  const path = '/api/admin/apps/01890000-0000-7000-8000-000000000000/approve'
  expect(await post(path, null, { authorization })).toEqual(refused('not_found'))
  expect(await post(path, '', { authorization, ...json })).toEqual(refused('not_found'))
  expect(await post(path, 'null', { authorization, ...json })).toEqual(
    refused('validation_failed', [{ path: '', message: 'must be object' }]),
  )
})

const bearer_endpoints = () => plaza.service.app.endpoints.filter(({ auth }) => auth !== 'none' && auth !== 'client')

test('D-04 every Bearer endpoint sends a challenge with the metadata’s address, and an error only if a token was sent', async () => {
  const metadata = `${plaza.url}/.well-known/oauth-protected-resource`
  const known = new Set<string>()
  for (const { method, path, auth } of bearer_endpoints()) {
    const challenge = async (headers: Record<string, string>) => {
      const reply = await raw(plaza, method, path.replace(/\{\w+\}/g, '1'), { headers })
      return [path, auth, reply.status, reply.headers.get('www-authenticate')]
    }
    const resource = auth === 'agent' ? path : ''
    const bare = [path, auth, 401, `Bearer resource_metadata="${metadata}${resource}"`]
    expect(await challenge({})).toEqual(bare)
    // Other credentials are refused in the same way for all endpoints of a kind of caller.
    const kind = JSON.stringify(auth)
    if (known.has(kind)) continue
    known.add(kind)
    // If the app itself may call too, a Basic header is treated as such (D-95).
    const or_client = typeof auth === 'object' && auth.or_client === true
    const basic = or_client ? [path, auth, 401, 'Basic realm="plaza", charset="UTF-8"'] : bare
    expect(await challenge({ authorization: 'Basic dXNlcjpwYXNz' })).toEqual(basic)
    expect(await challenge({ authorization: 'Bearer nonsense' })).toEqual([
      path,
      auth,
      401,
      `Bearer resource_metadata="${metadata}${resource}", error="invalid_token"`,
    ])
  }
})

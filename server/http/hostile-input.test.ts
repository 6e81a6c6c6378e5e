import { expect, test } from 'vitest'
import { approveApp } from '../../contract/admin-apps.ts'
import { me } from '../../contract/accounts.ts'
import { exchange, requestOf } from '../test/exchange.ts'
import { sharedService } from '../test/harness.ts'
import { processorSecondsOf } from '../test/processor-time.ts'
import { outcome, refused } from '../test/refusals.ts'
import { raw, someApp, someUser, theAdmin } from '../test/world.ts'

const plaza = await sharedService()
const user = await someUser(plaza)
const admin = await theAdmin(plaza)
const app = await someApp(plaza)

const as = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}` })
const json = { 'content-type': 'application/json' }
const post = (path: string, body: string | Buffer<ArrayBuffer>, headers: Record<string, string> = {}) =>
  raw(plaza, 'POST', path, { headers: { ...json, ...headers }, body })
const get = (path: string, headers: Record<string, string> = {}) => raw(plaza, 'GET', path, { headers })
const bad_request = [400, { errors: { detail: 'Bad Request' } }]

const request = (line: string, headers: string[] = [], body = '') =>
  exchange(plaza, requestOf([line, 'Host: plaza', 'Connection: close', ...headers], body))

/** Text that PostgreSQL or UTF-8 cannot hold, as JSON writes it. */
const unstorable = ['\\u0000', 'before\\u0000after', '\\ud800', '\\udc00', '\\ude00\\ud83d', '\\ud83dx']

test('D-08 NUL and lone surrogates in a body are 422 and name the field, and nothing is stored', async () => {
  const places: [string, string, string, Record<string, string>][] = [
    ['/api/auth/register', 'email', '{"email":"?","username":"surrogate","password":"long enough"}', {}],
    ['/api/auth/register', 'username', '{"email":"a@s.test","username":"?","password":"long enough"}', {}],
    ['/api/auth/register', 'password', '{"email":"a@s.test","username":"surrogate","password":"?long enough"}', {}],
    ['/api/auth/login', 'email', '{"email":"?","password":"x"}', {}],
    ['/api/auth/login', 'password', `{"email":"${user.email}","password":"?"}`, {}],
    ['/api/auth/verify-email', 'code', '{"code":"?"}', as(user)],
    [`/api/oauth/my-apps/${app.id}/scope-request`, 'requested_scopes.0', '{"requested_scopes":["?"]}', as(app.owner)],
    [`/api/admin/apps/${app.id}/reject`, 'reason', '{"reason":"?"}', as(admin)],
  ]
  for (const [path, field, body, headers] of places)
    for (const text of unstorable) {
      const reply = await post(path, body.replace('?', text), headers)
      expect([path, text, ...outcome(reply)]).toEqual([
        path,
        text,
        ...refused('validation_failed', [{ path: field, message: 'holds a NUL or half a surrogate pair' }]),
      ])
    }
  const [row] = await plaza.db.sql<{ users: number }>`select count(*) as users from users where username = 'surrogate'`
  expect(row?.users).toBe(0)
})

test('D-08 whole surrogate pairs and every other character are stored as sent', async () => {
  const reason = '🥉 e\u0301 \u200d \uffff \u{10ffff} \u0001 "quotes" \\ \u2028 \'; drop table users; --'
  const reply = await post(`/api/admin/apps/${app.id}/reject`, JSON.stringify({ reason }), as(admin))
  expect([reply.status, (reply.body as { decision_reason: string }).decision_reason]).toEqual([200, reason])
  await admin.api.result(approveApp, { params: { id: app.id }, body: {} })
})

test('D-08 a body that is not UTF-8 is malformed: 400, and nothing is stored', async () => {
  for (const bad of [
    [0xed, 0xa0, 0x80],
    [0xff, 0xfe],
    [0xc0, 0xaf],
    [0xe2, 0x82],
  ]) {
    const body = Buffer.concat([
      Buffer.from('{"email":"utf8@s.test","username":"not-utf8","password":"long enough '),
      Buffer.from(bad),
      Buffer.from('"}'),
    ])
    expect([bad, ...outcome(await post('/api/auth/register', body))]).toEqual([bad, ...bad_request])
    const stream = new Blob([body]).stream()
    const init = { headers: json, body: stream, duplex: 'half' } as RequestInit
    expect([bad, ...outcome(await raw(plaza, 'POST', '/api/auth/register', init))]).toEqual([bad, ...bad_request])
  }
})

test('D-08 NUL in a query or a path is 422', async () => {
  for (const path of ['/api/admin/users?q=%00', '/api/admin/users?q=a%00b', '/api/admin/audit?action=%00'])
    expect([path, (await get(path, as(admin))).status]).toEqual([path, 422])
  for (const path of ['/api/oauth/apps/%00', '/api/oauth/apps/a%00b'])
    expect([path, (await get(path)).status]).toEqual([path, 422])
})

test('D-08 lone surrogates in a query are replaced as the URL standard has it, in a path they are malformed', async () => {
  expect((await get('/api/admin/users?q=%ED%A0%80', as(admin))).body).toEqual({ data: [], next_cursor: null })
  expect(outcome(await get('/api/oauth/apps/%ED%A0%80'))).toEqual(bad_request)
})

test('D-03 broken percent-encoding in a path: 400 in the framework’s format', async () => {
  for (const path of ['/%', '/api/%zz', '/api/oauth/apps/%', '/api/oauth/apps/%E0%A4%A', '/api/oauth/apps/%c0%ae'])
    expect([path, ...outcome(await get(path))]).toEqual([path, ...bad_request])
})

test('D-03 a far too long request line or header: refused in the framework’s format', async () => {
  for (const [line, headers] of [
    ['GET /health HTTP/1.1', [`X-Long: ${'x'.repeat(40_000)}`]],
    [`GET /health?${'x'.repeat(100_000)} HTTP/1.1`, []],
  ] as const) {
    const { status, body } = await request(line, [...headers])
    expect([status, JSON.parse(body)]).toEqual([431, { errors: { detail: 'Request Header Fields Too Large' } }])
  }
})

test('D-04 a query parameter that is repeated or bracketed is 422, not the first, the last or a list of them', async () => {
  for (const query of ['limit=1&limit=2', 'limit[]=1', 'limit[a]=1', 'q=a&q=b', 'q[__proto__]=a', 'cursor[0]=a']) {
    const reply = await get(`/api/admin/users?${query}`, as(admin))
    expect([query, reply.status, (reply.body as { error: string }).error]).toEqual([query, 422, 'validation_failed'])
  }
})

test('D-07 unknown query parameters and body fields are ignored, in any number and shape', async () => {
  const plain = await get('/api/admin/users?limit=1', as(admin))
  for (const query of ['x=1&x=2', 'x[]=1', '__proto__[limit]=99', 'constructor=1', 'toString=1', '=', '&&&'])
    expect([query, (await get(`/api/admin/users?limit=1&${query}`, as(admin))).body]).toEqual([query, plain.body])
  const { email, password } = user
  const more = '"__proto__":{"email":7},"constructor":{"prototype":{"email":7}},"toString":1,"x":[{"y":null}]'
  const reply = await post('/api/auth/login', `{${more},"email":"${email}","password":"${password}"}`)
  expect(reply.status).toBe(200)
  expect(({} as { email?: unknown }).email).toBeUndefined()
})

test('D-07 __proto__ as the only source of a field does not supply it', async () => {
  const { email, password } = user
  const body = `{"__proto__":{"email":"${email}","password":"${password}"}}`
  expect(outcome(await post('/api/auth/login', body))).toEqual(
    refused('validation_failed', [
      { path: 'email', message: 'is required' },
      { path: 'password', message: 'is required' },
    ]),
  )
})

test('D-03 nesting of any depth, anywhere, gets a response and does not crash the service', async () => {
  const deep = '['.repeat(16_000) + ']'.repeat(16_000)
  const objects = '{"a":'.repeat(5_000) + '1' + '}'.repeat(5_000)
  for (const value of [deep, objects]) {
    expect((await post('/api/auth/login', `{"email":${value},"password":"x"}`)).status).toBe(422)
    expect((await post('/api/auth/login', `{"email":"a@b.test","password":"x","extra":${value}}`)).status).toBe(422)
    expect((await post('/api/auth/login', value)).status).toBe(422)
    expect((await post('/api/oauth/token', `{"client_id":${value}}`)).status).toBe(400)
    expect((await post('/api/oauth/token', value)).status).toBe(400)
    expect((await post('/api/oauth/token/verify', `{"token":${value}}`)).status).toBe(400)
  }
})

test('D-03, D-83: fields of maximum length, and the maximum number of parameters, are refused without delay', async () => {
  const long = 'x'.repeat(32_000)
  const cost = await processorSecondsOf(async () => {
    for (const field of ['email', 'username', 'password'])
      expect((await post('/api/auth/register', JSON.stringify({ [field]: long }))).status).toBe(422)
    expect((await post('/api/auth/register', JSON.stringify({ email: `a@${long}` }))).status).toBe(422)
    for (const field of ['client_id', 'code', 'code_verifier', 'grant_type'])
      expect((await post('/api/oauth/token', JSON.stringify({ client_id: 'x', [field]: long }))).status).toBe(400)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const many = ['a&'.repeat(32_000), Array.from({ length: 7_000 }, (_, at) => `a${at}=1`).join('&')]
    for (let turn = 0; turn < 10; turn++)
      for (const body of many) expect((await post('/api/oauth/token', body, form)).status).toBe(400)
  })
  // Reading all parameters before counting them took 0.14 s of processor time for such a form.
  expect(cost).toBeLessThan(1.4)
})

test('D-83: thousands of repetitions of a query parameter are parsed quickly, also without credentials', async () => {
  const repeated = 'a=&'.repeat(5_000)
  const cost = await processorSecondsOf(async () => {
    for (let turn = 0; turn < 10; turn++) {
      expect((await get(`/api/auth/me?${repeated}`)).status).toBe(401)
      expect((await get(`/api/public/operators?page=1&${repeated}`)).status).toBe(200)
    }
  })
  // Copying the list for each name took a second of processor time for such a request.
  expect(cost).toBeLessThan(5)
  expect((await get(`/api/public/operators?${'page=1&'.repeat(2_000)}`)).status).toBe(422)
})

test('D-04 Authorization headers other than a Bearer token get 401, like a missing one', async () => {
  const none = await get('/api/auth/me')
  const bad = [
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Bearer a,b',
    'Basic',
    'Basic !!!',
    'Token x',
    `bearer ${'é'}`,
    '=',
    ',',
  ]
  for (const authorization of bad)
    expect([authorization, ...outcome(await get('/api/auth/me', { authorization }))]).toEqual([
      authorization,
      ...outcome(none),
    ])
  const long = await get('/api/auth/me', { authorization: `Bearer ${'x'.repeat(10_000)}` })
  expect(outcome(long)).toEqual(refused('invalid_token'))
})

test('D-03 a second Authorization header does not bypass authentication', async () => {
  const answer = await request('GET /api/auth/me HTTP/1.1', [
    'Authorization: Bearer nonsense',
    `Authorization: Bearer ${user.token}`,
  ])
  expect(answer.status).toBe(401)
})

test('D-03 input that is not HTTP, or contradicts itself, gets 400 in the framework’s format, and the connection closes', async () => {
  const hello = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])
  const line = 'POST /api/auth/login HTTP/1.1\r\nHost: plaza\r\nContent-Type: application/json\r\n'
  const bad: (string | Buffer)[] = [
    'GARBAGE\r\n\r\n',
    hello,
    Buffer.alloc(64),
    'GET / HTTP/9.9\r\n\r\n',
    'GET /health HTTP/1.1\r\nHost: plaza\r\nX-Nul: a\0b\r\n\r\n',
    'GET /health HTTP/1.1\r\nHost: plaza\r\nBroken Header: x\r\n\r\n',
    `${line}Content-Length: abc\r\n\r\n{}`,
    `${line}Content-Length: -1\r\n\r\n{}`,
    `${line}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} `,
    `${line}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
    `${line}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
  ]
  for (const sent of bad) {
    const answer = await exchange(plaza, sent)
    expect([sent.toString('latin1'), answer.status]).toEqual([sent.toString('latin1'), 400])
    expect(JSON.parse(answer.body)).toEqual({ errors: { detail: 'Bad Request' } })
  }
  expect((await user.api.call(me)).status).toBe(200)
})

test('RFC 8414 §3.3, D-36: the metadata’s addresses come from the configuration, whatever Host and forwarding headers say', async () => {
  for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource']) {
    const { text } = await exchange(
      plaza,
      `GET ${path} HTTP/1.1\r\nHost: evil.test\r\nX-Forwarded-Host: evil.test\r\nX-Forwarded-Proto: https\r\nForwarded: host=evil.test;proto=https\r\nConnection: close\r\n\r\n`,
    )
    expect(text).not.toContain('evil.test')
    expect(text).toContain(`"${plaza.url}`)
    expect(text).not.toContain('"https://')
  }
})

test('D-03 after all of these tests the service works, and none of them caused a 500', async () => {
  expect((await get('/health')).status).toBe(200)
  const errors = plaza
    .logged()
    .split('\n')
    // The job queue connects in the background, and a loaded machine may be too slow for it.
    .filter((line) => line.includes('"level":"error"') && !line.includes('"queue":'))
  expect(errors).toEqual([])
})

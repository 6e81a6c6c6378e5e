import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { sendVerification, verifyEmail } from '../../contract/accounts.ts'
import { countBy, race, sharedService, type TestService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { raw, someUser } from '../test/world.ts'
import { addressKey } from '../platform/networks.ts'

const three = {
  RATE_LIMIT_LOGIN: '3/60',
  RATE_LIMIT_REGISTER: '3/60',
  RATE_LIMIT_VERIFY_EMAIL: '3/60',
  RATE_LIMIT_SEND_VERIFICATION: '3/60',
  RATE_LIMIT_TOKEN: '3/60',
  RATE_LIMIT_TOKEN_VERIFY: '3/60',
}
/** Has no limits; creates users. */
const plaza = await sharedService()
/** The same database and clock with small limits. */
const strict = await plaza.startAnother(three)
const behind = await plaza.startAnother({ ...three, TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' })

const json = { 'content-type': 'application/json' }
const post = (service: TestService, path: string, body: unknown = {}, headers: Record<string, string> = {}) =>
  raw(service, 'POST', path, { headers: { ...json, ...headers }, body: JSON.stringify(body) })
const logIn = (service: TestService, forwarded_for?: string) =>
  post(
    service,
    '/api/auth/login',
    { email: 'a@b.test', password: 'x' },
    forwarded_for ? { 'x-forwarded-for': forwarded_for } : {},
  )
/** The rate limit headers of a response. */
const standing = ({ status, headers }: { status: number; headers: Headers }) => [
  status,
  headers.get('ratelimit-policy'),
  headers.get('ratelimit'),
  headers.get('retry-after'),
]
/** Ends every window that earlier tests started. */
const freshWindow = () => plaza.clock.advance(3600)

test('D-05 the RateLimit headers come with allowed and refused calls; a refused one is 429 with Retry-After', async () => {
  freshWindow()
  const policy = '"default";q=3;w=60'
  expect(standing(await logIn(strict))).toEqual([401, policy, '"default";r=2;t=60', null])
  plaza.clock.advance(20)
  expect(standing(await logIn(strict))).toEqual([401, policy, '"default";r=1;t=40', null])
  expect(standing(await logIn(strict))).toEqual([401, policy, '"default";r=0;t=40', null])
  const fourth = await logIn(strict)
  expect(standing(fourth)).toEqual([429, policy, '"default";r=0;t=40', '40'])
  expect(outcome(fourth)).toEqual(refused('rate_limited'))
})

test('D-05 when the window ends, calls are allowed again; refused ones do not prolong it', async () => {
  freshWindow()
  for (let call = 0; call < 8; call++) await logIn(strict)
  plaza.clock.advance(59)
  expect(standing(await logIn(strict))).toMatchObject([429, expect.anything(), '"default";r=0;t=1', '1'])
  plaza.clock.advance(1)
  expect(standing(await logIn(strict))).toMatchObject([401, expect.anything(), '"default";r=2;t=60', null])
})

test('D-06 each endpoint open to guessing has a separate setting and count', async () => {
  const user = await someUser(plaza, { verified: false })
  const authorization = `Bearer ${user.token}`
  freshWindow()
  const calls: [string, Record<string, string>][] = [
    ['/api/auth/login', {}],
    ['/api/auth/register', {}],
    ['/api/auth/send-verification', { authorization }],
    ['/api/auth/verify-email', { authorization }],
    ['/api/auth/password/forgot', {}],
    ['/api/auth/password/reset', {}],
    ['/api/auth/password/change', { authorization }],
    ['/api/auth/totp/disable', { authorization }],
    ['/api/oauth/token', {}],
    ['/api/oauth/revoke', {}],
    ['/api/oauth/token/verify', {}],
  ]
  for (const [path, headers] of calls) {
    const statuses = []
    for (let call = 0; call < 4; call++) statuses.push((await post(strict, path, {}, headers)).status)
    expect([path, statuses.map((status) => status === 429)]).toEqual([path, [false, false, false, true]])
  }
})

test('D-06 endpoints without a limit, and limits that are off, have no headers', async () => {
  const off = await plaza.startAnother({ RATE_LIMIT_LOGIN: 'off' })
  const user = await someUser(plaza)
  const profile = await raw(strict, 'GET', '/api/auth/me', { headers: { authorization: `Bearer ${user.token}` } })
  expect(standing(profile)).toEqual([200, null, null, null])
  for (let call = 0; call < 5; call++) expect(standing(await logIn(off))).toEqual([401, null, null, null])
})

test('D-06 without settings the limits of the register apply', async () => {
  const usual = await plaza.startAnother(Object.fromEntries(Object.keys(three).map((name) => [name, undefined])))
  freshWindow()
  const policies: Record<string, string | null> = {}
  for (const path of ['login', 'register', 'password/forgot', 'password/reset'])
    policies[path] = (await post(usual, `/api/auth/${path}`)).headers.get('ratelimit-policy')
  for (const path of ['token', 'token/verify'])
    policies[path] = (await post(usual, `/api/oauth/${path}`)).headers.get('ratelimit-policy')
  expect(policies).toEqual({
    login: '"default";q=30;w=60',
    register: '"default";q=20;w=3600',
    'password/forgot': '"default";q=5;w=900',
    'password/reset': '"default";q=30;w=900',
    token: '"default";q=600;w=60',
    'token/verify': '"default";q=6000;w=60',
  })
})

test('D-05 a JWT’s calls are counted by user: several logins share a count, another user has its own', async () => {
  freshWindow()
  const [anna, berta] = [await someUser(plaza, { verified: false }), await someUser(plaza, { verified: false })]
  const login = await post(plaza, '/api/auth/login', { email: anna.email, password: anna.password })
  const second = (login.body as { token: string }).token
  const at = (jwt: string) => new PlazaClient(strict.url, jwt)
  const verify = async (jwt: string) => (await at(jwt).call(verifyEmail, { body: { code: '000000' } })).status
  expect([await verify(anna.token), await verify(second), await verify(anna.token), await verify(second)]).toEqual([
    422, 422, 422, 429,
  ])
  expect(await verify(berta.token)).toBe(422)
  expect((await at(anna.token).call(sendVerification)).status).toBe(200)
})

test('D-05 a bad credential is refused before anything is counted', async () => {
  freshWindow()
  const nobody = new PlazaClient(strict.url, 'nonsense')
  for (let call = 0; call < 5; call++) {
    const reply = await nobody.call(verifyEmail, { body: { code: '000000' } })
    expect(standing(reply)).toEqual([401, null, null, null])
  }
})

test('D-05 calls with a malformed or invalid body count too', async () => {
  freshWindow()
  await raw(strict, 'POST', '/api/auth/login', { headers: json, body: '{' })
  await post(strict, '/api/auth/login', {})
  await raw(strict, 'POST', '/api/auth/login', { headers: { 'content-type': 'text/plain' }, body: 'x' })
  expect((await logIn(strict)).status).toBe(429)
})

test('D-05 processes share a count, and a later process continues it', async () => {
  freshWindow()
  const statuses = [await logIn(strict), await logIn(behind), await logIn(strict)].map(({ status }) => status)
  expect(statuses).toEqual([401, 401, 401])
  expect((await logIn(behind)).status).toBe(429)
  const restarted = await plaza.startAnother(three)
  expect((await logIn(restarted)).status).toBe(429)
})

test('D-05 40 parallel calls on two processes: 3 are allowed', async () => {
  freshWindow()
  const replies = await race(strict, 40, (at) => logIn(at % 2 === 0 ? strict : behind))
  expect(countBy(replies, ({ status }) => status)).toEqual({ 401: 3, 429: 37 })
})

test('D-05 X-Forwarded-For and similar headers of untrusted clients are ignored', async () => {
  freshWindow()
  for (let call = 0; call < 3; call++) expect((await logIn(strict, `198.51.100.${call}`)).status).toBe(401)
  expect((await logIn(strict, '198.51.100.99')).status).toBe(429)
  const more = { forwarded: 'for=198.51.100.7', 'x-real-ip': '198.51.100.7', 'x-client-ip': '198.51.100.7' }
  expect((await post(strict, '/api/auth/login', {}, more)).status).toBe(429)
})

test('D-05 behind a trusted proxy, the last address that is not a proxy’s counts; earlier entries of the client do not', async () => {
  freshWindow()
  for (let call = 0; call < 3; call++)
    expect((await logIn(behind, `203.0.113.${call}, 198.51.100.1, 10.1.2.3`)).status).toBe(401)
  expect((await logIn(behind, '203.0.113.77, 198.51.100.1')).status).toBe(429)
  expect((await logIn(behind, '198.51.100.2')).status).toBe(401)
})

test('D-05 a port appended by a proxy does not make another client', async () => {
  freshWindow()
  for (let call = 0; call < 3; call++) expect((await logIn(behind, `203.0.113.9:${40_000 + call}`)).status).toBe(401)
  for (const address of ['203.0.113.9:50000', '203.0.113.9', '198.51.100.7:1, 203.0.113.9:2, 10.1.2.3:3'])
    expect([address, (await logIn(behind, address)).status]).toEqual([address, 429])
  for (const address of ['[2001:db8:1:2::1]:443', '[2001:db8:1:2::2]', '2001:db8:1:2::3'])
    expect([address, (await logIn(behind, address)).status]).toEqual([address, 401])
  expect((await logIn(behind, '[2001:db8:1:2::4]:50000')).status).toBe(429)
})

test('D-05 invalid entries of X-Forwarded-For are ignored: the nearest trusted address counts', async () => {
  freshWindow()
  const texts = ['unknown', '_hidden:80', 'x'.repeat(500), '203.0.113.300', '203.0.113.5:http', '127.1']
  const statuses = []
  for (const text of texts) statuses.push((await logIn(behind, text)).status)
  for (const text of texts) statuses.push((await logIn(behind, `203.0.113.6, ${text}`)).status)
  expect(countBy(statuses, String)).toEqual({ 401: 3, 429: 9 })
  for (const text of texts) statuses.push((await logIn(behind, `203.0.113.6, ${text}, 10.1.2.3`)).status)
  expect(countBy(statuses, String)).toEqual({ 401: 6, 429: 12 })
  const counted = await plaza.db.sql<{ key: string }>`
    select key from rate_limits where resets_at > ${plaza.clock.now()} and key like 'POST /api/auth/%' order by key`
  expect(counted.map(({ key }) => key)).toEqual([
    'POST /api/auth/login address:10.1.2.3',
    'POST /api/auth/login address:127.0.0.1',
  ])
})

test('D-05 IPv6 clients count by their /64, IPv4 clients by their address, mapped or not', async () => {
  freshWindow()
  for (const address of ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::'])
    expect((await logIn(behind, address)).status).toBe(401)
  expect((await logIn(behind, '2001:db8:1:2::abcd')).status).toBe(429)
  expect((await logIn(behind, '2001:db8:1:3::1')).status).toBe(401)
  for (const address of ['198.51.100.9', '::ffff:198.51.100.9', '198.51.100.9'])
    expect((await logIn(behind, address)).status).toBe(401)
  expect((await logIn(behind, '::ffff:198.51.100.9')).status).toBe(429)
  expect((await logIn(behind, '198.51.100.10')).status).toBe(401)
})

test('D-05 one address has one key, however it is written', () => {
  const same = (...addresses: string[]) =>
    expect([addresses, new Set(addresses.map(addressKey)).size]).toEqual([addresses, 1])
  same('2001:db8::1', '2001:DB8::2', '2001:0db8:0000:0000::1', '2001:db8:0:0:1:2:3:4', '2001:db8::1:2:3:4')
  same('::1', '0:0:0:0:0:0:0:1', '::')
  same('fe80::1', 'fe80::1%eth0')
  same('192.0.2.1', '::ffff:192.0.2.1', '::FFFF:192.0.2.1', '::ffff:c000:201')
  expect(addressKey('2001:db8::1')).toBe('2001:db8:0:0::/64')
  expect(addressKey('192.0.2.1')).toBe('192.0.2.1')
  expect(addressKey('192.0.2.1')).not.toBe(addressKey('192.0.2.2'))
})

test('D-05 one run of the job purges all ended windows, however many', async () => {
  await plaza.db.sql`
    insert into rate_limits (key, count, resets_at)
    select 'somebody ' || n, 1, timestamptz '2000-01-01' from generate_series(1, 25000) n`
  freshWindow()
  await logIn(strict)
  await plaza.service.app.jobs.find(({ name }) => name === 'platform.forget_old_counts')!.run({}, 'test')
  const left = await plaza.db.sql<{ open: boolean }>`
    select distinct resets_at > ${plaza.clock.now()} as open from rate_limits`
  expect(left).toEqual([{ open: true }])
})

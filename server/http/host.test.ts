import { expect, test } from 'vitest'
import { exchange, requestOf } from '../test/exchange.ts'
import { sharedService, startTestService } from '../test/harness.ts'
import { raw } from '../test/world.ts'

const plaza = await sharedService()

const paths = ['/livez', '/api/auth/me', '/api/oauth/token', '/', '/no/such/path', '/docs']
const get = (path: string, ...headers: string[]) =>
  exchange(plaza, requestOf([`GET ${path} HTTP/1.1`, ...headers, 'Connection: close']))

const refused: string[][] = [
  [],
  ['Host: a.test', 'Host: a.test'],
  ['Host: a.test', 'host: b.test'],
  ['Host:'],
  ['Host: a b'],
  ['Host: a.test, b.test'],
  ['Host: user@a.test'],
  ['Host: http://a.test'],
  ['Host: a.test/path'],
  ['Host: a.test:port'],
  ['Host: a.test:99999'],
  ['Host: [::1'],
  ['Host: [nonsense]'],
  ['Host: a..test'],
  ['Host: "a.test"'],
  ['Host: ä.test'],
]

test('F13, D-127: two or malformed Host headers, or none in HTTP/1.1, are 400 in the framework’s format on every path', async () => {
  for (const path of paths)
    for (const headers of refused) {
      const { status, body, head } = await get(path, ...headers)
      const error = JSON.parse(body) as { error?: string; errors?: unknown }
      expect([path, headers, status]).toEqual([path, headers, 400])
      if (error.error === undefined) expect(error).toEqual({ errors: { detail: 'Bad Request' } })
      expect(head).toContain('x-content-type-options: nosniff')
    }
})

test('F13: one well-formed Host is accepted whatever it names, and HTTP/1.0 may have none', async () => {
  for (const host of ['a.test', 'A.test.', 'localhost:3000', 'a.test:', '[::1]:80', '127.0.0.1', 'xn--a.test'])
    expect([host, (await get('/livez', `Host: ${host}`)).status]).toEqual([host, 200])
  expect((await exchange(plaza, requestOf(['GET /livez HTTP/1.0']))).status).toBe(200)
  expect((await exchange(plaza, requestOf(['GET /livez HTTP/1.0', 'Host: a', 'Host: a']))).status).toBe(400)
})

test('S-14: Strict-Transport-Security is sent only if PUBLIC_URL is https', async () => {
  const secure = await startTestService({ PUBLIC_URL: 'https://plaza.test' })
  for (const path of ['/health', '/no/such/path', '/api/auth/me', '/%', '/docs']) {
    expect([path, (await raw(secure, 'GET', path)).headers.get('strict-transport-security')]).toEqual([
      path,
      'max-age=31536000',
    ])
    expect([path, (await raw(plaza, 'GET', path)).headers.get('strict-transport-security')]).toEqual([path, null])
  }
  expect((await exchange(secure, requestOf(['GARBAGE']))).head).toContain(
    'strict-transport-security: max-age=31536000\r\n',
  )
})

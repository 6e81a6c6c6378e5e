import { expect, test } from 'vitest'
import { startTestDns } from '../test/dns-server.ts'
import { sample_images, startImageHost } from '../test/image-host.ts'
import { openSafeFetch, type SafeFetchOptions } from './safe-fetch.ts'
import { isPublicAddress } from './public-address.ts'

const [dns, host] = [await startTestDns(), await startImageHost()]
/** A host of the internal network: the same port on another address. */
const inside = await startImageHost('127.0.0.2', host.port)
const png = sample_images['image/png']

const reader = (options: Partial<SafeFetchOptions> = {}) =>
  openSafeFetch({ accept: 'image/*', timeout_ms: 2_000, bytes_max: 1_000, redirects_max: 3, ...options })
/** A fetch for which one loopback address counts as public. */
const guarded = (options: Partial<SafeFetchOptions> = {}) =>
  reader({ isAllowed: (address) => address === '127.0.0.1', dns_servers: [dns.address], ...options })

/** The URL of a page of the host that redirects. */
const redirectTo = (location: string, status = 302) => {
  const path = `/r${host.handlers.size}`
  host.handlers.set(path, (_request, response) => response.writeHead(status, { location }).end('moved'))
  return host.url + path
}

test('only globally routable addresses are public', () => {
  const open = ['1.1.1.1', '8.8.8.8', '100.63.255.255', '100.128.0.1', '172.15.0.1', '172.32.0.1', '2606:4700::1111']
  expect(open.filter((address) => !isPublicAddress(address))).toEqual([])
  const shut = [
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.0.9',
    '169.254.169.254',

    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.19.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.1.1.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:0:8.8.8.8',
    '64:ff9b::8.8.8.8',

    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2001:10::1',
    '2002:7f00:1::',
    '3fff::1',
    '4000::1',
    '5f00::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '',
    'localhost',
    '1.2.3.4.5',
    'nothing',
  ]
  expect(shut.filter(isPublicAddress)).toEqual([])
})

test('a 200 is read, and the request discloses nothing about the service', async () => {
  host.requests.length = 0
  expect(await reader()(`${host.url}/a.png?size=1`)).toEqual(png)
  const [request] = host.requests
  expect([request?.method, request?.url, request?.headers]).toEqual([
    'GET',
    '/a.png?size=1',
    {
      host: `127.0.0.1:${host.port}`,
      connection: 'close',
      accept: 'image/*',
      'accept-encoding': 'identity',
      'user-agent': 'Plaza',
    },
  ])
})

test('responses that are too large, too slow, missing or not http are rejected', async () => {
  host.handlers.set('/large', (_request, response) => response.end(Buffer.alloc(1_001)))
  host.handlers.set('/endless', (_request, response) => {
    response.on('error', () => {})
    const more = () => response.destroyed || response.write(Buffer.alloc(64), () => setImmediate(more))
    more()
  })
  host.handlers.set('/silent', () => {})
  host.handlers.set('/stuck', (_request, response) => void response.write(png))
  host.handlers.set('/gone', (_request, response) => response.writeHead(404).end(png))
  host.handlers.set('/partial', (_request, response) => response.writeHead(206).end(png))
  const read = reader({ timeout_ms: 300 })
  const failureOf = (url: string) => read(url).then(String, (error: Error) => error.message)
  expect(await failureOf(`${host.url}/large`)).toMatch(/exceeded/)
  expect(await failureOf(`${host.url}/endless`)).toMatch(/exceeded/)
  for (const path of ['/silent', '/stuck']) expect(await failureOf(host.url + path)).toMatch(/timeout/)
  expect(await failureOf(`${host.url}/gone`)).toBe('it answered 404')
  expect(await failureOf(`${host.url}/partial`)).toBe('it answered 206')
  expect(await failureOf('http://127.0.0.1:1/')).toMatch(/ECONNREFUSED/)
  expect(await failureOf('file:///etc/passwd')).toBe('file: is not http or https')
  expect(await failureOf('nothing')).toMatch(/Invalid URL/)
})

test('at most three redirects are followed, and only to http(s)', async () => {
  const one = redirectTo('/a.png', 301)
  const two = redirectTo(one, 307)
  const three = redirectTo(new URL(two).pathname, 308)
  expect(await reader()(three)).toEqual(png)
  await expect(reader()(redirectTo(three))).rejects.toThrow('it redirects more than 3 times')
  await expect(reader()(redirectTo('file:///etc/passwd'))).rejects.toThrow('file: is not http or https')
  host.handlers.set('/nowhere', (_request, response) => response.writeHead(302).end())
  await expect(reader()(`${host.url}/nowhere`)).rejects.toThrow('it answered 302')
})

test('a forbidden address is not connected to, in any notation', async () => {
  inside.requests.length = 0
  const { port } = inside
  const hosts = [
    '127.0.0.2',
    '127.2',
    '0x7f000002',
    '2130706434',
    '0177.0.0.2',
    '127.0.0.2.',
    '[::ffff:127.0.0.2]',
    '[::1]',
  ]
  for (const name of hosts)
    await expect(guarded()(`http://${name}:${port}/`), name).rejects.toThrow('the address is not allowed')
  await expect(guarded()(redirectTo(`${inside.url}/`))).rejects.toThrow('the address is not allowed')
  expect(inside.requests).toEqual([])
  expect(await reader()(redirectTo(`${inside.url}/`))).toEqual(png)
  expect(await guarded()(`${host.url}/`)).toEqual(png)
})

test('a name is allowed only if all of its addresses are, when the connection is made', async () => {
  inside.requests.length = 0
  const { port } = host
  const addresses: [string, string[][]][] = [
    ['good.test', [['127.0.0.1']]],
    ['bad.test', [['127.0.0.2']]],
    ['both.test', [['127.0.0.1', '127.0.0.2']]],
    ['empty.test', [[]]],
    ['changes.test', [['127.0.0.1'], ['127.0.0.2']]],
  ]
  for (const [name, turns] of addresses) dns.addresses.set(name, turns)
  expect(await guarded()(`http://good.test:${port}/`)).toEqual(png)
  for (const name of ['bad.test', 'both.test'])
    await expect(guarded()(`http://${name}:${port}/`)).rejects.toThrow('an address of the name is not allowed')
  for (const name of ['empty.test', 'none.test', 'localhost'])
    await expect(guarded()(`http://${name}:${port}/`)).rejects.toThrow('the name has no address')
  // The name is resolved and checked again for the next connection.
  host.handlers.set('/again', (_request, response) => response.writeHead(302, { location: '/' }).end())
  await expect(guarded()(`http://changes.test:${port}/again`)).rejects.toThrow('an address of the name is not allowed')
  expect(inside.requests).toEqual([])
})

test('a DNS server that does not respond ends in a timeout', async () => {
  dns.silent = true
  await expect(guarded({ timeout_ms: 300 })('http://good.test/')).rejects.toThrow(/timeout/)
  dns.silent = false
})

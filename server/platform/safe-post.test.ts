import { createServer } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { dnsAddresses } from './address-guard.ts'
import { openReceiver, type SafePostOptions } from './safe-post.ts'
import { startTestDns } from '../test/dns-server.ts'

const dns = await startTestDns()
const never = new AbortController().signal
let connections = 0
const requests: string[] = []
const server = createServer((request, response) => {
  requests.push(`${request.method} ${request.url}`)
  if (request.url === '/silent') return
  if (request.url === '/stuck') return void response.writeHead(200).write('begin')
  if (request.url === '/redirect') return void response.writeHead(307, { location: '/elsewhere' }).end()
  response.writeHead(200)
  if (request.url !== '/endless') return void response.end('x'.repeat(100))
  const more = () => response.destroyed || response.write('x', () => setImmediate(more))
  more()
}).on('connection', () => connections++)
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
const { port } = server.address() as { port: number }
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

/** For these receivers one loopback address counts as public. */
const rule = { find: dnsAddresses([dns.address]), isAllowed: (address: string) => address === '127.0.0.1' }
const receiver = (host: string, path = '/', options: Partial<SafePostOptions> = {}) =>
  openReceiver(`http://${host}:${port}${path}`, {
    rule,
    timeout_ms: 300,
    bytes_max: 64,
    connections_max: 2,
    ...options,
  })
const outcomeOf = async (host: string, path?: string) => {
  const opened = receiver(host, path)
  try {
    const { status, body } = await opened.post('{}', {}, never)
    return [status, body.toString()]
  } catch (error) {
    return (error as Error).message
  } finally {
    opened.close()
  }
}

test('an answer is read up to a limit, a redirect is an answer like others, and the received part of a stuck body is kept', async () => {
  for (const path of ['/', '/endless']) expect(await outcomeOf('127.0.0.1', path)).toEqual([200, 'x'.repeat(64)])
  expect(await outcomeOf('127.0.0.1', '/redirect')).toEqual([307, ''])
  expect(await outcomeOf('127.0.0.1', '/stuck')).toEqual([200, 'begin'])
  expect(await outcomeOf('127.0.0.1', '/silent')).toBe('no answer in time')
  expect(requests).not.toContain('POST /elsewhere')
})

test('addresses that are not allowed are not connected to: as numbers, in any notation, or as any address of a name', async () => {
  dns.addresses.set('good.test', [['127.0.0.1']])
  dns.addresses.set('bad.test', [['127.0.0.2']])
  dns.addresses.set('both.test', [['127.0.0.1', '127.0.0.2']])
  dns.addresses.set('changes.test', [['127.0.0.1'], ['127.0.0.2']])
  expect(await outcomeOf('good.test')).toEqual([200, 'x'.repeat(64)])
  const before = connections
  for (const host of ['127.0.0.2', '0x7f000002', '[::1]'])
    expect([host, await outcomeOf(host)]).toEqual([host, 'the address is not allowed'])
  for (const host of ['bad.test', 'both.test'])
    expect([host, await outcomeOf(host)]).toEqual([host, 'an address of the name is not allowed'])
  expect(await outcomeOf('none.test')).toBe('the name has no address')
  expect(connections).toBe(before)
  expect(await outcomeOf('changes.test')).toEqual([200, 'x'.repeat(64)])
  expect(await outcomeOf('changes.test')).toBe('an address of the name is not allowed')
})

test('a request that is abandoned ends immediately', async () => {
  const opened = receiver('127.0.0.1', '/silent', { timeout_ms: 60_000 })
  const abandoned = new AbortController()
  const posted = opened.post('{}', {}, abandoned.signal).catch((error: Error) => error.message)
  abandoned.abort(new Error('stopped'))
  expect(await posted).toBe('stopped')
  opened.close()
})

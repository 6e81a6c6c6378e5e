import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { sharedService, type TestService } from '../../test/harness.ts'
import { freePort } from '../../test/free-port.ts'
import {
  addReplicas,
  requestRouter,
  nextChunk,
  untilRouterIdle,
  openSocket,
  putDeployment,
  routerHealth,
  sendRaw,
  startUpstream,
  switchTo,
  requestHost,
  loggedWith,
  readUntil,
} from '../../test/router.ts'
import { router_connections_max, router_settings } from '../../test/settings.ts'
import { waitUntil } from '../../test/wait.ts'
import { routes_channel } from '../channels.ts'

const plaza = await sharedService(router_settings)

interface SocketSite {
  port: number
  /** The site's sockets of open WebSockets, newest last. */
  ends: Socket[]
  requests: IncomingMessage[]
}

/** A site that echoes all bytes after the handshake; it does not parse WebSocket frames. */
async function echoSite(): Promise<SocketSite & Awaited<ReturnType<typeof startUpstream>>> {
  const ends: Socket[] = []
  const requests: IncomingMessage[] = []
  const site = await startUpstream((_req, res) => void res.end('plain'))
  site.server.on('upgrade', (req, socket: Socket, head) => {
    const accept = createHash('sha1')
      .update(`${req.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64')
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n` +
        'Sec-WebSocket-Protocol: chat\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\nhello',
    )
    if (head.length > 0) socket.write(head)
    socket.pipe(socket)
    ends.push(socket)
    requests.push(req)
  })
  return { ...site, ends, requests }
}

const handshake = (host: string, more = '', upgrade = 'websocket') =>
  `GET /chat?room=1 HTTP/1.1\r\nHost: ${host}\r\nConnection: keep-alive, Upgrade\r\nUpgrade: ${upgrade}\r\n` +
  `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: chat\r\n${more}\r\n`

async function joined(service: TestService, host: string, more = '') {
  const socket = await openSocket(service)
  socket.write(handshake(host, more))
  return { socket, head: await readUntil(socket, 'hello') }
}

const websockets = async (service = plaza) => (await routerHealth(service)).websockets

test('a WebSocket is forwarded: the handshake and the bytes of both sides arrive unchanged', async () => {
  const site = await echoSite()
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const { socket, head } = await joined(plaza, host, 'X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-Host: evil.test\r\n')
  expect(head).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/)
  expect(head).toMatch(/sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=\r\n/i)
  expect(head).toMatch(/set-cookie: a=1\r\nset-cookie: b=2\r\n/i)
  expect(site.requests[0]?.url).toBe('/chat?room=1')
  expect(site.requests[0]?.headers).toMatchObject({
    host,
    'sec-websocket-protocol': 'chat',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-host': host,
  })
  for (const word of ['one', 'two', '\x00\xff three']) {
    socket.write(Buffer.from(word, 'latin1'))
    expect(await nextChunk(socket)).toBe(word)
  }
  socket.end()
  await waitUntil(async () => (await websockets()) === 0)
})

/** A site that sends these bytes after the handshake, and ends the connection on demand. */
async function framesSite(bytes: Buffer) {
  const ends: Socket[] = []
  const site = await startUpstream((_req, res) => void res.end('plain'))
  site.server.on('upgrade', (_req, socket: Socket) => {
    socket.on('error', () => {})
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
    socket.write(bytes)
    ends.push(socket)
  })
  return { ...site, ends }
}

/** Everything that a visitor receives after the response headers, until the connection is closed. */
async function receivedAtEnd(service: TestService, host: string, end: (received: () => number) => Promise<unknown>) {
  const socket = await openSocket(service)
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
  const closed = new Promise((done) => socket.once('close', done))
  socket.write(handshake(host))
  const body = () => text.split('\r\n\r\n').slice(1).join('')
  await waitUntil(() => text.includes('\r\n\r\n'))
  await end(() => body().length)
  await closed
  return Buffer.from(body(), 'latin1')
}

const restart = Buffer.from([0x88, 2, 0x03, 0xf4])
const hello = Buffer.from('\x81\x05hello', 'latin1')

test('D-126: a WebSocket whose container ends gets the close code 1012, only between two frames', async () => {
  const cases: [string, Buffer, Buffer][] = [
    ['nothing sent', Buffer.alloc(0), restart],
    ['between frames', hello, Buffer.concat([hello, restart])],
    ['in a frame', hello.subarray(0, 4), hello.subarray(0, 4)],
    ['in a head', hello.subarray(0, 1), hello.subarray(0, 1)],
    ['closed by itself', Buffer.from([0x88, 2, 0x03, 0xe8]), Buffer.from([0x88, 2, 0x03, 0xe8])],
  ]
  for (const [what, bytes, expected] of cases)
    for (const how of ['end', 'destroy'] as const) {
      const site = await framesSite(bytes)
      const { host } = await putDeployment(plaza, { endpoint_port: site.port })
      const received = await receivedAtEnd(plaza, host, async (length) => {
        await waitUntil(() => length() === bytes.length)
        site.ends[0]![how]()
      })
      expect([what, how, received]).toEqual([what, how, expected])
    }
  await waitUntil(async () => (await websockets()) === 0)
})

test('bytes sent together with the handshake are not lost', async () => {
  const site = await echoSite()
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const socket = await openSocket(plaza)
  socket.write(`${handshake(host)}eager`)
  expect(await readUntil(socket, 'eager')).toContain('hello')
})

test('a site’s rejection of the handshake is forwarded', async () => {
  const site = await startUpstream((_req, res) => void res.writeHead(500).end())
  site.server.on('upgrade', (_req, socket) =>
    socket.end('HTTP/1.1 403 Forbidden\r\nX-Why: no\r\nContent-Length: 4\r\n\r\nstay'),
  )
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const answer = await sendRaw(plaza, handshake(host))
  expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n[^]*x-why: no[^]*stay$/i)
})

test('when either side closes or fails, the other is closed and the router continues', async () => {
  const site = await echoSite()
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const deaths: ((client: Socket, end: Socket) => void)[] = [
    (client) => client.resetAndDestroy(),
    (_client, end) => end.resetAndDestroy(),
    (client) => client.destroy(),
    (_client, end) => end.destroy(),
    (client) => client.end(),
    (_client, end) => end.end(),
    (client, end) => {
      client.resetAndDestroy()
      end.resetAndDestroy()
    },
    (client, end) => {
      client.write('x'.repeat(1_000_000))
      end.resetAndDestroy()
    },
  ]
  for (const [at, die] of deaths.entries()) {
    const { socket } = await joined(plaza, host)
    const end = site.ends.at(-1) as Socket
    die(socket, end)
    await waitUntil(() => socket.destroyed && end.destroyed, `the end of both after death ${at}`)
  }
  await waitUntil(async () => (await websockets()) === 0)
  expect((await requestHost(plaza, host)).body).toBe('plain')
})

test('a disconnect during the handshake aborts it, with an error response if the client is still connected', async () => {
  const site = await startUpstream((_req, res) => void res.end('plain'))
  const { id, host } = await putDeployment(plaza, { endpoint_port: site.port })
  const ends: Socket[] = []
  site.server.on('upgrade', (_req, socket: Socket) => {
    ends.push(
      socket
        .on('error', () => {})
        .on('end', () => socket.end())
        .resume(),
    )
  })
  // The client disconnects before the site responds.
  const socket = await openSocket(plaza)
  socket.write(handshake(host))
  await waitUntil(() => ends.length === 1)
  socket.resetAndDestroy()
  await waitUntil(() => ends[0]?.destroyed === true)
  // The site disconnects.
  const second = sendRaw(plaza, handshake(host))
  await waitUntil(() => ends.length === 2)
  ends[1]?.resetAndDestroy()
  expect(await second).toMatch(/^HTTP\/1\.1 502 /)
  // The site does not respond.
  expect(await sendRaw(plaza, handshake(host))).toMatch(/^HTTP\/1\.1 504 /)
  expect(loggedWith(plaza, id).map(({ why }) => why)).toEqual(['ECONNRESET', 'ERR_UPSTREAM_UPGRADE_TIMEOUT'])
  expect((await requestHost(plaza, host)).body).toBe('plain')
})

test('an upgrade gets the same error responses as a request', async () => {
  const { host: stopped } = await putDeployment(plaza, { desired: 'stopped' })
  const { host: gone } = await putDeployment(plaza, { endpoint_port: await freePort() })
  expect(await sendRaw(plaza, handshake('nobody.apps.localhost'))).toMatch(
    /^HTTP\/1\.1 404 Not Found\r\n[^]*\{"error":"unknown_host","message":"There is no site at this address\."\}\n$/,
  )
  expect(await sendRaw(plaza, handshake(stopped))).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 300/)
  expect(await sendRaw(plaza, handshake(gone))).toMatch(/^HTTP\/1\.1 502 /)
  expect(await sendRaw(plaza, handshake('localhost'))).toMatch(/^HTTP\/1\.1 404 /)
})

test('only WebSocket upgrades are forwarded: other requests are answered in HTTP, or refused if they have a body', async () => {
  const site = await startUpstream((req, res) => void res.end(`${req.headers.upgrade} ${req.headers.connection}`))
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const settings = 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n'
  // More times than the connection limit allows concurrently.
  for (let times = 0; times <= router_connections_max; times++)
    expect(await sendRaw(plaza, handshake(host, settings, 'h2c'))).toMatch(
      /^HTTP\/1\.1 200 [^]*\r\nconnection: close\r\n[^]*undefined keep-alive/i,
    )
  expect(await sendRaw(plaza, handshake(host, 'Content-Length: 5\r\n'))).toMatch(/^HTTP\/1\.1 400 /)
  expect(await sendRaw(plaza, handshake(host, 'Transfer-Encoding: chunked\r\n'))).toMatch(/^HTTP\/1\.1 400 /)
  const post = `POST / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\nhi`
  expect(await sendRaw(plaza, post)).toMatch(/^HTTP\/1\.1 400 /)
  expect(await sendRaw(plaza, `CONNECT ${host}:80 HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toBe('')
})

test('a large response to an upgrade request arrives complete; rejected and disconnected ones are no longer counted', async () => {
  // More than the socket buffers of both ends.
  const total = 24_000_000
  const site = await startUpstream((_req, res) => void res.end(Buffer.alloc(total, 'x')))
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  for (const protocol of ['h2c', 'websocket'])
    expect((await sendRaw(plaza, handshake(host, '', protocol))).split('\r\n\r\n')[1]?.length).toBe(total)
  for (let times = 0; times <= router_connections_max; times++)
    for (const protocol of ['h2c', 'websocket']) {
      const socket = await openSocket(plaza)
      socket.pause().write(handshake(host, '', protocol))
      await waitUntil(async () => (await routerHealth(plaza)).visitors > 0)
      socket.destroy()
      await untilRouterIdle(plaza)
    }
})

test('an upgrade pipelined behind a pending request closes the connection without writing into its response', async () => {
  const site = await startUpstream((_req, res) => void res.write('begun'))
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const logged_before = plaza.logged().length
  for (const protocol of ['websocket', 'h2c']) {
    const answer = await sendRaw(plaza, `GET /slow HTTP/1.1\r\nHost: ${host}\r\n\r\n${handshake(host, '', protocol)}`)
    expect(answer).not.toMatch(/101|400/)
  }
  await waitUntil(() => site.sockets.size === 0)
  expect(plaza.logged().slice(logged_before)).not.toContain('"level":"error"')
})

test('a WebSocket survives a switch, and new ones go to the new generation', async () => {
  const [old, fresh] = [await echoSite(), await echoSite()]
  const { id, host } = await putDeployment(plaza, { endpoint_port: old.port })
  const { socket } = await joined(plaza, host)
  await switchTo(plaza, id, 2, fresh.port)
  const routedAnew = async () => {
    const next = await joined(plaza, host)
    next.socket.destroy()
    return fresh.ends.length > 0
  }
  await waitUntil(routedAnew)
  socket.write('still here')
  expect(await nextChunk(socket)).toBe('still here')
  // When its generation stops, the WebSocket closes.
  const closed = new Promise((done) => socket.once('close', done))
  await old.stop()
  await closed
})

test('D-105: WebSockets are spread over replicas, and stay with theirs while it is unhealthy', async () => {
  const [one, two] = [await echoSite(), await echoSite()]
  const site = await putDeployment(plaza, { endpoint_port: one.port })
  await addReplicas(plaza, site, [two.port])
  const counts = () => [one.ends.length, two.ends.length]
  // The router may not know of the second one yet.
  await waitUntil(async () => {
    const { socket } = await joined(plaza, site.host)
    socket.destroy()
    return two.ends.length > 0
  })
  await untilRouterIdle(plaza)
  const before = counts()
  const sockets = [await joined(plaza, site.host), await joined(plaza, site.host)].map(({ socket }) => socket)
  expect(counts()).toEqual(before.map((count) => count + 1))
  await plaza.db.sql`
    with written as (
      update deploy_instances set health_status = 'unhealthy' where deployment_id = ${site.id} and number = 2 returning 1
    )
    select pg_notify(${routes_channel}, ${site.id}) from written`
  await waitUntil(async () => {
    const [, seen] = counts()
    const { socket } = await joined(plaza, site.host)
    socket.destroy()
    return counts()[1] === seen
  })
  for (const [at, socket] of sockets.entries()) {
    socket.write(`still ${at}`)
    expect(await nextChunk(socket)).toBe(`still ${at}`)
  }
})

test('D-126: WebSockets count towards the connection limit; a router that stops ends them with the close code 1012', async () => {
  const other = await plaza.startAnother({ ROUTER_CONNECTIONS_MAX: '2' })
  const site = await framesSite(hello)
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  await waitUntil(async () => (await requestRouter(other, `/ask?domain=${host}`)).status === 200)
  const sockets = [await joined(other, host), await joined(other, host)].map(({ socket }) => socket)
  expect((await requestHost(other, host)).status).toBe(503)
  expect(await sendRaw(other, handshake(host))).toMatch(/^HTTP\/1\.1 503 [^]*"busy"/)
  const endings = sockets.map(async (socket) => {
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    await new Promise((done) => socket.once('close', done))
    return Buffer.concat(chunks)
  })
  await other.service.stop()
  expect(await Promise.all(endings)).toEqual([restart, restart])
})

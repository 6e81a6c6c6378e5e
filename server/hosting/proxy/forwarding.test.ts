import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../test/free-port.ts'
import { sharedService } from '../../test/harness.ts'
import {
  startNamedUpstream,
  nextChunk,
  untilRouterIdle,
  openSocket,
  putDeployment,
  routerHealth,
  routerPort,
  sendRaw,
  startUpstream,
  requestHost,
  type RouterRequest,
  loggedWith,
  readUntil,
} from '../../test/router.ts'
import { router_connections_max as connections_max, router_settings } from '../../test/settings.ts'
import { waitUntil } from '../../test/wait.ts'

const plaza = await sharedService(router_settings)
const behind_edge = await plaza.startAnother({ TRUSTED_PROXIES: 'loopback, 10.0.0.0/8' })

/** A site that responds with the request it received. */
const mirror = () =>
  startUpstream((req, res) => {
    let body = ''
    req.on('data', (chunk) => {
      body += chunk
    })
    req.on('end', () => res.end(JSON.stringify({ method: req.method, url: req.url, headers: req.headers, body })))
  })

interface Seen {
  method: string
  url: string
  headers: Record<string, string>
  body: string
}

async function seen(service: typeof plaza, host: string, ask: RouterRequest = {}) {
  return JSON.parse((await requestHost(service, host, ask)).body) as Seen
}

test('method, path, query, body, headers and the response are forwarded unchanged', async () => {
  const site = await startUpstream((req, res) => {
    res.writeHead(418, 'Short And Stout', { 'set-cookie': ['a=1; Path=/', 'b=2'], 'x-site': 'yes', server: 'site/1' })
    res.end(`${req.method} ${req.url} ${req.headers['content-type']} ${req.headers.cookie}`)
  })
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const headers = { 'content-type': 'text/x', cookie: 'c=3' }
  const reply = await requestHost(plaza, host, { method: 'PATCH', path: '//a/../b/?q=%2F', headers, body: 'text' })
  expect(reply).toMatchObject({ status: 418, body: 'PATCH //a/../b/?q=%2F text/x c=3' })
  expect(reply.headers).toMatchObject({ 'set-cookie': ['a=1; Path=/', 'b=2'], 'x-site': 'yes', server: 'site/1' })
  const answer = await sendRaw(plaza, `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  expect(answer).toMatch(/^HTTP\/1\.1 418 Short And Stout\r\n/)
  const old = await sendRaw(plaza, `GET / HTTP/1.0\r\nHost: ${host}\r\n\r\n`)
  expect(old).toMatch(/\r\nconnection: close\r\n/i)
  expect(old).not.toMatch(/transfer-encoding/i)
})

test('the router sets the forwarding headers and removes those of untrusted clients', async () => {
  const site = await mirror()
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const spoofed = {
    'x-forwarded-for': '6.6.6.6',
    'x-forwarded-host': 'evil.test',
    'x-forwarded-proto': 'https',
    'x-forwarded-port': '6',
    'x-forwarded-prefix': '/evil',
    x_forwarded_for: '6.6.6.6',
    'x-real-ip': '6.6.6.6',
    forwarded: 'for=6.6.6.6',
  }
  const { headers } = await seen(plaza, host, { headers: spoofed })
  expect(Object.fromEntries(Object.entries(headers).filter(([name]) => /forwarded|real/.test(name)))).toEqual({
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-host': host,
    'x-forwarded-proto': 'http',
    'x-real-ip': '127.0.0.1',
    forwarded: `for=127.0.0.1;host="${host}";proto=http`,
  })
  expect(headers.host).toBe(host)
})

const [trace_id, parent_id] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
const traceparent = `00-${trace_id}-${parent_id}-01`
const new_id = /^[0-9a-f]{8}-[0-9a-z]+$/

/** The lines of the log about requests to this host that could not be forwarded. */
const failuresOf = (host: string) => loggedWith(plaza, 'a request could not be forwarded', host)

test('a container gets a request id of the router, whatever the client sends, and the client’s traceparent unchanged', async () => {
  const site = await mirror()
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const sent = { 'x-request-id': 'mine', x_request_id: 'mine', traceparent, tracestate: 'vendor=1' }
  const { headers } = await seen(plaza, host, { headers: sent })
  expect(headers).toMatchObject({ 'x-request-id': expect.stringMatching(new_id), traceparent, tracestate: 'vendor=1' })
  expect(JSON.stringify(headers)).not.toContain('mine')
  const again = await seen(plaza, host)
  expect(again.headers['x-request-id']).toMatch(new_id)
  expect(again.headers['x-request-id']).not.toBe(headers['x-request-id'])
  expect(again.headers.traceparent).toBeUndefined()
})

test('the id of a trusted proxy reaches the container; one that is malformed is replaced', async () => {
  const site = await mirror()
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  await waitUntil(async () => (await requestHost(behind_edge, host)).status === 200)
  const idOf = async (id: string) =>
    (await seen(behind_edge, host, { headers: { 'x-request-id': id } })).headers['x-request-id']
  expect(await idOf('3f2504e0-4f89-11d3-9a0c-0305e82c3301')).toBe('3f2504e0-4f89-11d3-9a0c-0305e82c3301')
  expect(await idOf('a","level":"error')).toMatch(new_id)
})

test('the log line of a request that could not be forwarded has the id that the container got, and the trace', async () => {
  const ids: unknown[] = []
  const site = await startUpstream((req) => {
    ids.push(req.headers['x-request-id'])
    req.socket.destroy()
  })
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  await requestHost(plaza, host, { method: 'POST', path: '/pay?card=1', headers: { traceparent }, body: 'x' })
  await waitUntil(() => failuresOf(host).length === 1, 'the line')
  await requestHost(plaza, host, { method: 'POST', headers: { traceparent: '00-nonsense"-01' }, body: 'x' })
  await waitUntil(() => failuresOf(host).length === 2, 'the second line')
  const [traced, plain] = failuresOf(host)
  expect(traced).toMatchObject({ request_id: ids[0], trace_id, parent_id, method: 'POST', path: '/pay' })
  expect(plain).toMatchObject({ request_id: ids[1], method: 'POST', path: '/' })
  expect([plain?.trace_id, plain?.parent_id]).toEqual([undefined, undefined])
})

test('a trusted proxy’s forwarding headers are used, up to the first untrusted address', async () => {
  const site = await mirror()
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  await waitUntil(async () => (await requestHost(behind_edge, host)).status === 200)
  const forwarded = async (forwarded_for: string, proto = 'https') => {
    const headers = { 'x-forwarded-for': forwarded_for, 'x-forwarded-proto': proto, 'x-forwarded-host': 'evil.test' }
    const reply = await seen(behind_edge, host, { headers })
    return ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'x-real-ip'].map((name) => reply.headers[name])
  }
  expect(await forwarded('9.9.9.9')).toEqual(['9.9.9.9, 127.0.0.1', 'https', host, '9.9.9.9'])
  expect(await forwarded('6.6.6.6, 9.9.9.9, 10.1.2.3')).toEqual([
    '9.9.9.9, 10.1.2.3, 127.0.0.1',
    'https',
    host,
    '9.9.9.9',
  ])
  expect(await forwarded('nonsense', 'gopher')).toEqual(['127.0.0.1', 'http', host, '127.0.0.1'])
  const { headers } = await seen(behind_edge, host, { headers: { 'x-forwarded-for': '2001:db8::1' } })
  expect(headers.forwarded).toBe(`for="[2001:db8::1]";host="${host}";proto=http`)
})

test('hop-by-hop headers are removed, and the Connection header cannot remove framing headers', async () => {
  const site = await startUpstream((req, res) => {
    let body = ''
    req.on('data', (chunk) => {
      body += chunk
    })
    req.on('end', () => {
      res.writeHead(200, {
        connection: 'keep-alive, x-inner',
        'x-inner': '1',
        'keep-alive': 'timeout=9',
        upgrade: 'h2c',
      })
      res.end(JSON.stringify({ headers: req.headers, body }))
    })
  })
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const answer = await sendRaw(
    plaza,
    `POST / HTTP/1.1\r\nHost: ${host}\r\nConnection: close, x-secret, content-length, host, x-forwarded-for\r\n` +
      'x-secret: 1\r\nKeep-Alive: timeout=9\r\nTE: trailers\r\nTrailer: x\r\nProxy-Authorization: Basic x\r\n' +
      'Proxy-Connection: keep-alive\r\nContent-Length: 4\r\n\r\nbody',
  )
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  const got = JSON.parse(/\{.*\}/.exec(body)?.[0] ?? '') as Seen
  expect(got.body).toBe('body')
  expect(got.headers).toMatchObject({ host, 'content-length': '4', 'x-forwarded-for': '127.0.0.1' })
  for (const name of ['x-secret', 'te', 'trailer', 'proxy-authorization', 'proxy-connection', 'keep-alive'])
    expect(got.headers).not.toHaveProperty(name)
  expect(head).toMatch(/\r\nconnection: close/i)
  expect(head).not.toMatch(/x-inner|keep-alive|upgrade/i)
})

test('ambiguously framed requests are refused, and requests smuggled in them are not served', async () => {
  const urls: string[] = []
  const site = await startUpstream((req, res) => {
    urls.push(req.url ?? '')
    req.resume()
    res.end('ok')
  })
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const hidden = `GET /hidden HTTP/1.1\r\nHost: ${host}\r\n\r\n`
  const framings = [
    `Content-Length: ${hidden.length + 5}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
    `Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${hidden}`,
    `Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    `Content-Length: 0, ${hidden.length}\r\n\r\n${hidden}`,
    `Content-Length: +${hidden.length}\r\n\r\n${hidden}`,
    `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`,
    `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`,
    `Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n${hidden}`,
    `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${hidden}`,
    `Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
    `X: a\r\n Transfer-Encoding: chunked\r\nContent-Length : 3\r\n\r\nabc${hidden}`,
  ]
  for (const framing of framings) {
    const answer = await sendRaw(plaza, `POST /seen HTTP/1.1\r\nHost: ${host}\r\n${framing}`)
    expect([framing, answer.slice(0, 12)]).toEqual([framing, 'HTTP/1.1 400'])
  }
  // With valid framing the same bytes are a body.
  const framings_of_body: Record<string, string>[] = [
    { 'transfer-encoding': 'chunked' },
    { 'content-length': String(hidden.length) },
  ]
  for (const framing of framings_of_body)
    for (const method of ['GET', 'DELETE', 'OPTIONS', 'POST'])
      expect((await requestHost(plaza, host, { method, path: '/seen', body: hidden, headers: framing })).status).toBe(
        200,
      )
  expect(urls).toEqual(Array(urls.length).fill('/seen'))
})

test('a response is streamed chunk by chunk', async () => {
  let next = () => {}
  const site = await startUpstream((_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    let sent = 0
    next = () => void res.write(`data: ${++sent}\n\n`)
    next()
  })
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const socket = await openSocket(plaza)
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  // The site sends each chunk only after the previous one has arrived: a buffered chunk would block the test.
  for (let word = 1; word <= 20; word++) {
    await readUntil(socket, `data: ${word}\n\n`)
    next()
  }
})

test('D-126: a visitor that ends its side of the connection gets its response', async () => {
  const pending: (() => void)[] = []
  const site = await startUpstream((req, res) => {
    if (req.url === '/never') return
    pending.push(() => res.end(`answer to ${req.url}`))
  })
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const ask = async (request: string) => {
    const socket = await openSocket(plaza)
    let text = ''
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
    const closed = new Promise((done) => socket.once('close', done))
    socket.end(request)
    return { closed, text: () => text }
  }
  const get = await ask(`GET /one HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  const post = await ask(`POST /two HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 3\r\n\r\nabc`)
  await waitUntil(() => pending.length === 2)
  for (const answer of pending) answer()
  await Promise.all([get.closed, post.closed])
  expect(get.text()).toMatch(/^HTTP\/1\.1 200 [^]*answer to \/one/)
  expect(post.text()).toMatch(/^HTTP\/1\.1 200 [^]*answer to \/two/)
  const late = await ask(`GET /never HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  await late.closed
  expect(late.text()).toMatch(/^HTTP\/1\.1 504 /)
  await untilRouterIdle(plaza)
})

test('D-126: a body whose chunks are broken from the start is 502; one that breaks later ends the connection', async () => {
  const beginnings: Record<string, string> = {
    '/bad': 'nonsense\r\n',
    '/huge': 'fffffffffffffffff\r\nx\r\n',
    '/late': '5\r\nhello\r\n',
  }
  let breakNow = () => {}
  const site = createServer((socket) => {
    breakNow = () => void socket.write('nonsense\r\n')
    socket.on('error', () => {})
    socket.once('data', (chunk: Buffer) => {
      const [, path = ''] = chunk.toString().split(' ')
      socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${beginnings[path]}`)
    })
  })
  await new Promise<void>((done) => site.listen(0, '127.0.0.1', done))
  onTestFinished(() => void site.close())
  const { host } = await putDeployment(plaza, { endpoint_port: (site.address() as AddressInfo).port })
  for (const path of ['/bad', '/huge'])
    expect([path, (await requestHost(plaza, host, { path })).status]).toEqual([path, 502])
  const socket = await openSocket(plaza)
  socket.write(`GET /late HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  let text = await readUntil(socket, 'hello')
  const closed = new Promise((done) => socket.once('close', done))
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  breakNow()
  await closed
  expect(text).toMatch(/^HTTP\/1\.1 200 /)
  expect(text).not.toContain('0\r\n\r\n')
})

test('120 MB are streamed up and down in bounded memory', async () => {
  const piece = randomBytes(256 * 1024)
  const pieces = 480
  const site = await startUpstream((req, res) => void req.pipe(res))
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const before = process.memoryUsage.rss()
  let [received, peak] = [0, before]
  const headers = { host, 'content-length': pieces * piece.length }
  const outgoing = request({ host: '127.0.0.1', port: routerPort(plaza), method: 'PUT', headers, agent: false })
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>
  Readable.from(Array<Buffer>(pieces).fill(piece)).pipe(outgoing)
  const [answer] = await answered
  for await (const chunk of answer) {
    received += (chunk as Buffer).length
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  expect(received).toBe(headers['content-length'])
  // Client, router and site share this process; buffering the body once would need all of its 120 MB.
  expect((peak - before) / 1024 / 1024).toBeLessThan(110)
})

test('Expect: 100-continue is answered by the router and not forwarded', async () => {
  const site = await mirror()
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const socket = await openSocket(plaza)
  socket.write(`POST / HTTP/1.1\r\nHost: ${host}\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`)
  expect(await nextChunk(socket)).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  socket.write('hi')
  const answer = await nextChunk(socket)
  expect(answer).toContain('"body":"hi"')
  expect(answer).not.toContain('"expect"')
})

test('requests in progress per deployment are limited, without an effect on other deployments', async () => {
  const held: (() => void)[] = []
  const site = await startUpstream((_req, res) => void held.push(() => res.end('late')))
  const other = await startNamedUpstream('other')
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const { host: other_host } = await putDeployment(plaza, { endpoint_port: other.port })
  const first = Array.from({ length: connections_max }, () => requestHost(plaza, host, { method: 'POST' }))
  await waitUntil(() => held.length === connections_max)
  const reply = await requestHost(plaza, host)
  expect([reply.status, reply.headers['retry-after'], JSON.parse(reply.body)]).toEqual([
    503,
    '1',
    { error: 'busy', message: 'This site has too many visitors at once.' },
  ])
  expect((await requestHost(plaza, other_host)).body).toBe('other')
  for (const end of held) end()
  expect((await Promise.all(first)).map(({ body }) => body)).toEqual(Array(connections_max).fill('late'))
})

test('a site that does not respond is 504, with one log line without the query', async () => {
  const site = await startUpstream(() => {})
  const { id, host } = await putDeployment(plaza, { endpoint_port: site.port })
  const reply = await requestHost(plaza, host, { path: '/slow?secret=canary-7' })
  expect([reply.status, JSON.parse(reply.body)]).toEqual([
    504,
    { error: 'late_answer', message: 'This site took too long to answer.' },
  ])
  expect(loggedWith(plaza, id)).toMatchObject([
    { level: 'warn', host, method: 'GET', path: '/slow', why: 'late_answer' },
  ])
  expect(plaza.logged()).not.toContain('canary-7')
})

test('a truncated response is truncated for the client, and does not look complete', async () => {
  const site = await startUpstream((_req, res) => {
    res.write('half')
    setImmediate(() => res.socket?.resetAndDestroy())
  })
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  await expect(requestHost(plaza, host)).rejects.toMatchObject({ code: 'ECONNRESET' })
})

/** A TCP server that sends these bytes to every client. */
async function rawSite(answer: string) {
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => void socket.end(Buffer.from(answer, 'latin1')))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port }
}

test('a response that comes before the end of the request reaches the client, and the rest of the body is dropped', async () => {
  const site = await startUpstream((_req, res) => {
    res.writeHead(413, { connection: 'close' })
    res.end('too large')
  })
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const socket = await openSocket(plaza)
  const piece = 'x'.repeat(64 * 1024)
  const pieces = 200
  socket.write(`POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${piece.length * pieces}\r\n\r\n${piece}`)
  expect(await nextChunk(socket)).toMatch(/^HTTP\/1\.1 413 [^]*too large/)
  for (let sent = 1; sent < pieces; sent++)
    if (!socket.write(piece)) await new Promise((done) => socket.once('drain', done))
  // The connection is reusable.
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  expect(await nextChunk(socket)).toMatch(/^HTTP\/1\.1 413 /)
})

test('informational responses are dropped, and non-ASCII bytes of headers arrive', async () => {
  const site = await rawSite(
    'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n' +
      'HTTP/1.1 200 Fin\u00e9\r\nX-Name: caf\u00e9\r\nVary: a\r\nVary: b\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
  )
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const answer = await sendRaw(plaza, `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  expect(answer).toMatch(/^HTTP\/1\.1 200 Fin\u00e9\r\n/)
  expect(answer).toContain('\r\nx-name: caf\u00e9\r\nvary: a, b\r\n')
  expect(answer).not.toMatch(/link:/i)
})

test('a response without a length ends with its connection, and one that is not HTTP is 502', async () => {
  const [endless, nonsense] = [await rawSite('HTTP/1.0 200 OK\r\n\r\nall of it'), await rawSite('SSH-2.0-x\r\n')]
  const { host } = await putDeployment(plaza, { endpoint_port: endless.port })
  expect(await requestHost(plaza, host)).toMatchObject({ status: 200, body: 'all of it' })
  const { host: other } = await putDeployment(plaza, { endpoint_port: nonsense.port })
  const reply = await requestHost(plaza, other)
  expect([reply.status, JSON.parse(reply.body)]).toEqual([
    502,
    { error: 'no_answer', message: 'This site did not answer.' },
  ])
})

test('pipelined requests of a disconnected client are no longer counted', async () => {
  const site = await startUpstream((_req, res) => void res.write('begun'))
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const socket = await openSocket(plaza)
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(connections_max))
  await waitUntil(async () => (await routerHealth(plaza)).visitors === connections_max)
  socket.resetAndDestroy()
  await untilRouterIdle(plaza)
  await waitUntil(() => site.sockets.size === 0)
})

test('a client that disconnects during a retry is no longer counted', async () => {
  const { host } = await putDeployment(plaza, { endpoint_port: await freePort() })
  for (let times = 0; times < 10; times++) {
    const socket = await openSocket(plaza)
    socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    await waitUntil(async () => (await routerHealth(plaza)).visitors > 0)
    socket.destroy()
  }
  await untilRouterIdle(plaza)
})

test('a slow client gets the complete response of a site that has closed its connection', async () => {
  const total = 16 * 1024 * 1024
  const site = await startUpstream((req, res) => {
    req.resume()
    res.writeHead(200, { connection: 'close', 'content-length': total })
    res.end(Buffer.alloc(total, 'x'))
  })
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  for (const method of ['GET', 'POST']) {
    const socket = await openSocket(plaza)
    socket.write(`${method} / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
    let bytes = 0
    socket.on('data', (chunk) => {
      bytes += chunk.length
      socket.pause()
      setImmediate(() => socket.resume())
    })
    await new Promise((done) => socket.once('close', done))
    expect(bytes).toBeGreaterThan(total)
  }
  await untilRouterIdle(plaza)
})

test('invalid HTTP during a response closes the connection without writing into the response', async () => {
  const site = await startUpstream((_req, res) => {
    res.writeHead(200, { 'content-length': 1_000 })
    res.write('begun')
  })
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const socket = await openSocket(plaza)
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  const closed = new Promise((done) => socket.once('close', done))
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  await waitUntil(() => text.endsWith('begun'))
  socket.write('nonsense\r\n\r\n')
  await closed
  expect(text).toMatch(/begun$/)
  await untilRouterIdle(plaza)
})

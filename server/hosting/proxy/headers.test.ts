import { expect, test } from 'vitest'
import { sharedService } from '../../test/harness.ts'
import { putDeployment, sendRaw, startUpstream, requestHost } from '../../test/router.ts'
import { router_settings } from '../../test/settings.ts'

const plaza = await sharedService(router_settings)

/** A site that responds with the header lines that it received. */
const headerSite = () => startUpstream((req, res) => void res.end(JSON.stringify(req.rawHeaders)))

/** The names and values of the header lines in such a response. */
function received(answer: string) {
  const list = JSON.parse(/\[.*\]/.exec(answer)?.[0] ?? '[]') as string[]
  return list.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), list[at + 1]]] : []))
}

const raw = (method: string, host: string, lines = '') =>
  `${method} / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${lines}\r\n`

test('a request without a body has a Content-Length if its method expects one, and is not chunked', async () => {
  const site = await headerSite()
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const framingOf = async (method: string, lines?: string) =>
    received(await sendRaw(plaza, raw(method, host, lines))).filter(([name]) =>
      /^(content-length|transfer-)/.test(name!),
    )
  for (const method of ['POST', 'PUT', 'PATCH', 'PROPFIND'])
    expect([method, await framingOf(method)]).toEqual([method, [['content-length', '0']]])
  for (const method of ['GET', 'OPTIONS', 'DELETE']) expect([method, await framingOf(method)]).toEqual([method, []])
  expect(await framingOf('POST', 'Content-Length: 0\r\n')).toEqual([['content-length', '0']])
})

test('headers that a request repeats reach the container as one, and no name twice', async () => {
  const site = await headerSite()
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const lines =
    'Accept: text/html\r\nAccept: text/plain\r\nCookie: a=1\r\nCookie: b=2\r\nContent-Type: one\r\nContent-Type: two\r\n'
  const list = received(await sendRaw(plaza, raw('GET', host, lines)))
  expect(Object.fromEntries(list)).toMatchObject({
    host,
    accept: 'text/html, text/plain',
    cookie: 'a=1; b=2',
    'content-type': 'one',
    connection: 'keep-alive',
  })
  expect(new Set(list.map(([name]) => name)).size).toBe(list.length)
})

test('a response to HEAD keeps its length and has no body; 204 and 304 have none either', async () => {
  const site = await startUpstream((req, res) => {
    const status = Number(req.url?.slice(1))
    res.writeHead(status, { ...(status === 200 && { 'content-length': 5 }), etag: '"x"' })
    res.end(req.method === 'HEAD' ? undefined : 'hello')
  })
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const head = await requestHost(plaza, host, { method: 'HEAD', path: '/200' })
  expect([head.status, head.headers['content-length'], head.body]).toEqual([200, '5', ''])
  for (const status of [204, 304]) {
    const { headers, body, ...reply } = await requestHost(plaza, host, { path: `/${status}` })
    expect([reply.status, headers.etag, body]).toEqual([status, '"x"', ''])
  }
})

test('a chunked response arrives whole, whether it ends with its first chunk or later', async () => {
  const site = await startUpstream((req, res) => {
    if (req.url === '/at-once') {
      res.write('a')
      return void res.end('b')
    }
    res.write('a')
    setTimeout(() => res.end('b'), 20)
    return undefined
  })
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  for (const path of ['/at-once', '/later']) {
    const { body, headers } = await requestHost(plaza, host, { path })
    expect([body, headers['transfer-encoding']]).toEqual(['ab', 'chunked'])
  }
})

import { once } from 'node:events'
import { Agent, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { countBy, startTestService } from '../../test/harness.ts'
import { putDeployment, requestHost, requestRouter, routerPort, startUpstream } from '../../test/router.ts'
import { api_and_router } from '../../test/settings.ts'

const plaza = await startTestService({ ...api_and_router, ROUTER_HOLD: '1' })

async function connected(port: number) {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

/** True if this port accepts a new connection. */
const isTaken = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

test('D-93: a router that drains serves every request and closes its connection; its stop finishes requests in flight', async () => {
  const site = await startUpstream((req, res) => {
    if (req.url === '/slow') res.write('begun, ')
    else res.end('at once')
  })
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const kept = await requestHost(plaza, host, { agent })
  expect([kept.status, kept.headers.connection]).toEqual([200, 'keep-alive'])
  const arrived = once(site.server, 'request') as Promise<[unknown, ServerResponse]>
  const slow = requestHost(plaza, host, { path: '/slow' })
  const [, slow_answer] = await arrived

  await plaza.service.drain(0)
  expect((await requestRouter(plaza, '/health')).status).toBe(503)
  // On the kept connection, and on a new one.
  for (const options of [{ agent }, {}]) {
    const { status, headers, body } = await requestHost(plaza, host, options)
    expect([status, headers.connection, body]).toEqual([200, 'close', 'at once'])
  }

  const port = routerPort(plaza)
  const stopped = plaza.stopAll()
  await expect.poll(() => isTaken(port)).toBe(false)
  slow_answer.end('finished')
  const { status, body } = await slow
  expect([status, body]).toEqual([200, 'begun, finished'])
  await stopped
})

test('D-93: a router that stops serves connections that it has not accepted yet, or whose first request is in transit', async () => {
  const router = await startTestService(api_and_router)
  const site = await startUpstream((_req, res) => void res.end('served'))
  const { host } = await putDeployment(router, { endpoint_port: site.port })
  await expect.poll(async () => (await requestHost(router, host)).status).toBe(200)
  const port = routerPort(router)
  const early = await Promise.all(Array.from({ length: 10 }, () => connected(port)))
  const late = Array.from({ length: 10 }, () => connected(port))
  // The system has completed the handshakes of the late connections. The router shares this event loop and has not accepted them yet.
  await new Promise((next) => process.nextTick(next))
  const stopped = router.stopAll()
  const sockets = [...early, ...(await Promise.all(late))]
  const heads = await Promise.all(
    sockets.map(async (socket) => {
      socket.write(`GET / HTTP/1.1\r\nhost: ${host}\r\n\r\n`)
      const [head] = (await once(socket, 'data')) as [Buffer]
      socket.destroy()
      return head.toString().split('\r\n')[0]
    }),
  )
  expect(countBy(heads, String)).toEqual({ 'HTTP/1.1 200 OK': 20 })
  await stopped
})

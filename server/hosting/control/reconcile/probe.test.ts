import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { probeHealth, probePort } from './probe.ts'

const own_address = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.family === 'IPv4' && !address.internal)?.address

async function listen(host: string, onConnection: (socket: Socket) => void) {
  const server = createServer(onConnection).listen(0, host)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { host, port: (server.address() as AddressInfo).port, server }
}

for (const host of ['127.0.0.1', ...(own_address === undefined ? [] : [own_address])]) {
  test(`an open port accepts connections, a closed one does not: ${host === '127.0.0.1' ? 'loopback' : 'another address'}`, async () => {
    const { server, ...port } = await listen(host, (socket) => socket.on('error', () => {}).resume())
    expect(await probePort(port)).toBe('accepts')
    server.close()
    await once(server, 'close')
    expect(await probePort(port)).toBe('refuses')
  })
}

test('a userland proxy that accepts and closes does not count as open', async () => {
  for (const close_ms of [0, 50]) {
    const { server, ...port } = await listen('127.0.0.1', (socket) => {
      setTimeout(() => socket.destroy(), close_ms)
    })
    expect(await probePort(port)).toBe('refuses')
    server.close()
  }
})

test('H11: a path must answer 2xx or 3xx', async () => {
  const server = createHttpServer(({ url }, response) => void response.writeHead(Number(url!.slice(1))).end())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const port = { host: '127.0.0.1', port: (server.address() as AddressInfo).port }
  const answers = await Promise.all([null, '/200', '/302', '/404', '/503'].map((path) => probeHealth(port, path)))
  expect(answers).toEqual(['accepts', 'accepts', 'accepts', 'refuses', 'refuses'])
  server.close()
  const { server: silent, ...other } = await listen('127.0.0.1', (socket) =>
    socket.on('error', () => {}).end('nothing'),
  )
  expect(await probeHealth(other, '/200')).toBe('refuses')
  silent.close()
})

test('a server that sends first counts as open', async () => {
  const { server, ...port } = await listen('127.0.0.1', (socket) => void socket.end('hello'))
  expect(await probePort(port)).toBe('accepts')
  server.close()
})

import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { acceptsConnections } from './probe.ts'

const own_address = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.family === 'IPv4' && !address.internal)?.address

async function listen(host: string, taken: (socket: Socket) => void) {
  const server = createServer(taken).listen(0, host)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { host, port: (server.address() as AddressInfo).port, server }
}

for (const host of ['127.0.0.1', ...(own_address === undefined ? [] : [own_address])]) {
  test(`a port that is listened on answers, a closed one does not: ${host === '127.0.0.1' ? 'loopback' : 'another address'}`, async () => {
    const { server, ...port } = await listen(host, (socket) => socket.on('error', () => {}).resume())
    expect(await acceptsConnections(port)).toBe(true)
    server.close()
    await once(server, 'close')
    expect(await acceptsConnections(port)).toBe(false)
  })
}

test("an engine's proxy that accepts for nobody and closes is no answer", async () => {
  for (const later_ms of [0, 50]) {
    const { server, ...port } = await listen('127.0.0.1', (socket) => {
      setTimeout(() => socket.destroy(), later_ms)
    })
    expect(await acceptsConnections(port)).toBe(false)
    server.close()
  }
})

test('who speaks first has answered', async () => {
  const { server, ...port } = await listen('127.0.0.1', (socket) => void socket.end('hello'))
  expect(await acceptsConnections(port)).toBe(true)
  server.close()
})

import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openEngineClient } from './http-client.ts'

/** A daemon that answers the version ping itself, and every other call with `answer`. */
async function fakeDaemon(answer: (socket: Socket) => void) {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-daemon-'))
  const path = join(folder, 'socket')
  const server = createServer((socket) => {
    socket
      .on('error', () => {})
      .once('data', (head) => {
        if (!head.toString().includes('/_ping')) return answer(socket)
        socket.end('HTTP/1.1 200 OK\r\nApi-Version: 1.41\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
      })
  })
  await new Promise<void>((done) => server.listen(path, done))
  const client = openEngineClient(path)
  onTestFinished(async () => {
    await client.close()
    server.close()
    await rm(folder, { recursive: true, force: true })
  })
  return client
}

const signal = () => AbortSignal.timeout(20_000)

test('a slow reader gets everything that an engine wrote before it closed the connection', async () => {
  for (const pieces of [1, 3, 4, 5, 8, 50]) {
    const ended: Promise<unknown>[] = []
    const client = await fakeDaemon((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n')
      const send = (left: number) => {
        if (left === 0) socket.end()
        else socket.write(Buffer.alloc(20_000, 'x'), () => setImmediate(send, left - 1))
      }
      ended.push(new Promise((done) => socket.once('finish', done)))
      send(pieces)
    })
    const chunks = await client.stream('GET', '/logs', { signal: signal() })
    // Few chunks fit into the socket buffers: the server has finished before the reader starts.
    if (pieces <= 5) await Promise.all(ended)
    for (let turns = 0; turns < 50; turns++) await new Promise((next) => setImmediate(next))
    let bytes = 0
    for await (const chunk of chunks) {
      bytes += chunk.length
      await new Promise((next) => setImmediate(next))
    }
    expect(bytes).toBe(pieces * 20_000)
  }
})

test('close ends open calls, and later calls are not sent', async () => {
  let asked = 0
  const client = await fakeDaemon(() => void asked++)
  const waiting = client.call('GET', '/info', { signal: signal() })
  waiting.catch(() => {})
  await expect.poll(() => asked).toBe(1)
  await client.close()
  await expect(waiting).rejects.toMatchObject({ fault: 'unreachable' })
  await expect(client.call('GET', '/info', { signal: signal() })).rejects.toMatchObject({ fault: 'unreachable' })
  expect(asked).toBe(1)
})

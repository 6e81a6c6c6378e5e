import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { limitPauses } from './forwarding.ts'
import type { VisitorResponse } from './visitor-response.ts'

const chunk = Buffer.alloc(64 * 1024)

/** A server that reads bodies as the router does, into a container that takes `read_ms` for each piece. */
async function startReader({
  read_ms,
  client_ms = 300,
  container_ms = 60_000,
}: Record<string, number> & { read_ms: number }) {
  let bytes = 0
  const server = createServer((req, res: ServerResponse) => {
    limitPauses(req, res as VisitorResponse, { client_ms, container_ms })
    const container = new Writable({
      write(piece: Buffer, _, done) {
        bytes += piece.length
        setTimeout(done, read_ms)
      },
    })
    req.on('error', () => {})
    req.pipe(container).on('finish', () => res.end('read'))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => server.closeAllConnections())
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  /** Sends a request; resolves with the status, or the error's code. */
  const post = (send: (write: (data: Buffer) => void, end: () => void) => void) =>
    new Promise<number | string | undefined>((done) => {
      const req = request({ port, host: '127.0.0.1', method: 'POST' }, (res) => done(res.resume().statusCode))
      req.on('error', ({ code }: NodeJS.ErrnoException) => done(code))
      send(
        (data) => void req.write(data),
        () => void req.end(),
      )
    })
  return { post, bytes: () => bytes }
}

test('a body that the container reads slowly is read to its end, even if the client is silent meanwhile', async () => {
  const { post, bytes } = await startReader({ read_ms: 400 })
  const status = await post((write, end) => {
    for (let n = 0; n < 4; n++) write(chunk)
    end()
  })
  expect([status, bytes()]).toEqual([200, 4 * chunk.length])
})

test('a client that stops in the middle of a body is cut off, unless it continues in time', async () => {
  const { post } = await startReader({ read_ms: 1 })
  expect(await post((write) => write(chunk))).toBe('ECONNRESET')
  const status = await post((write, end) => {
    void (async () => {
      for (let n = 0; n < 5; n++) {
        write(chunk)
        await pause(100)
      }
      end()
    })()
  })
  expect(status).toBe(200)
})

test('a body is ended after a while if the container does not read at all', async () => {
  const { post } = await startReader({ read_ms: 60_000, container_ms: 400 })
  const ended = await post((write) => {
    for (let n = 0; n < 20; n++) write(chunk)
  })
  expect(ended).toMatch(/ECONNRESET|EPIPE/)
})

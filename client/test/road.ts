import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { freePort } from '../../server/test/free-port.ts'

/** A proxy in front of the service that can lose responses. */
export interface Road {
  url: string
  /** The requests in order: `POST /api/external/points/spend`. */
  requests: { line: string; headers: IncomingMessage['headers'] }[]
  /**
   * Closes the connections of the next `count` requests after the service has responded; with Infinity, of all until
   * changed.
   */
  loseAnswers(count: number): void
  /** Closes the connection after this many bytes of the next response body. */
  breakAnswerAfter(bytes: number): void
  /** Answers the next requests with this response instead of forwarding them. */
  answerNext(count: number, status: number, body: string, headers?: Record<string, string>): void
  /** Forwards the next requests, and withholds the responses until the client gives up. */
  holdAnswers(count: number): void
  /** Closes all connections. */
  cut(): void
  /** The number of requests in progress. */
  open(): number
}

/** Opens a proxy to a service; it closes at the end of the test. */
export async function openRoad(to: { url: string }): Promise<Road> {
  const requests: Road['requests'] = []
  const sockets = new Set<Socket>()
  const open = new Set<ServerResponse>()
  let [lost, held] = [0, 0]
  let break_after: number | undefined
  let instead: { count: number; status: number; body: string; headers: Record<string, string> } | undefined

  function pass(answer: IncomingMessage, response: ServerResponse, socket: Socket) {
    if (lost-- > 0) return void answer.resume().on('end', () => socket.destroy())
    if (held-- > 0) return void answer.resume()
    const { connection: _, 'keep-alive': __, ...headers } = answer.headers
    response.writeHead(answer.statusCode ?? 500, headers)
    response.flushHeaders()
    let left = break_after
    break_after = undefined
    answer.on('data', (part: Buffer) => {
      if (left === undefined) return void response.write(part)
      if (left > 0) response.write(part.subarray(0, left), () => left !== undefined && left <= 0 && socket.destroy())
      left -= part.length
    })
    answer.on('end', () => (left === undefined || left > 0) && response.end()).on('error', () => socket.destroy())
  }

  const server = createServer((incoming, response) => {
    const { method, url = '', headers, socket } = incoming
    requests.push({ line: `${method} ${url}`, headers })
    if (instead && instead.count-- > 0) {
      response.writeHead(instead.status, instead.headers).end(instead.body)
      return
    }
    open.add(response)
    const outgoing = request(`${to.url}${url}`, { method, headers, agent: false })
    outgoing.on('response', (answer) => pass(answer, response, socket)).on('error', () => socket.destroy())
    response.on('close', () => {
      open.delete(response)
      outgoing.destroy()
    })
    incoming.pipe(outgoing)
  })
  server.on('connection', (socket) =>
    sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => {})),
  )
  const port = await freePort()
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  const cut = () => sockets.forEach((socket) => socket.destroy())
  onTestFinished(() => {
    cut()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    loseAnswers: (count) => (lost = count),
    breakAnswerAfter: (bytes) => (break_after = bytes),
    answerNext: (count, status, body, headers = {}) => (instead = { count, status, body, headers }),
    holdAnswers: (count) => (held = count),
    cut,
    open: () => open.size,
  }
}

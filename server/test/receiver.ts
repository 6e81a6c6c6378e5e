import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { atEnd } from './at-end.ts'
import { waitUntil } from './wait.ts'

/** A request that a receiver got. */
export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** The parsed body; for a form, its fields. */
  event: { id: string; type: string; timestamp: string; data: Record<string, unknown> }
}

/** An app's web server that receives webhooks. */
export interface TestReceiver {
  url: string
  /** All requests, in order. */
  received: Received[]
  /** Answers each request from now on; 204 without a body by default. */
  answer(handler: (response: ServerResponse, request: Received) => void): void
  /** Waits until this many requests have arrived in total, and returns the last of them. */
  nth(count: number): Promise<Received>
}

const eventIn = (type: string | undefined, body: string) =>
  (type === 'application/x-www-form-urlencoded'
    ? { data: Object.fromEntries(new URLSearchParams(body)) }
    : JSON.parse(body)) as Received['event']

/** Starts a receiver on a loopback address; stopped after the test file. */
export async function startReceiver(address = '127.0.0.1', port = 0): Promise<TestReceiver> {
  const received: Received[] = []
  let handle = (response: ServerResponse, _request: Received): void => {
    response.writeHead(204).end()
  }
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => (body += part))
    request.on('end', () => {
      const got = {
        path: request.url ?? '',
        headers: request.headers,
        body,
        event: eventIn(request.headers['content-type'], body),
      }
      received.push(got)
      handle(response, got)
    })
  })
  await new Promise<void>((done) => server.listen(port, address, done))
  atEnd(() => {
    server.close()
    server.closeAllConnections()
  })
  const at = server.address() as { port: number }
  return {
    url: `http://${address}:${at.port}`,
    received,
    answer: (handler) => (handle = handler),
    async nth(count) {
      await waitUntil(
        () => received.length >= count,
        () => `request ${count} (${received.length} came)`,
        { timeout_ms: 30_000 },
      )
      return received[count - 1]!
    },
  }
}

import { createServer, request as forwardTo } from 'node:http'
import { onTestFinished } from 'vitest'
import type { TestService } from './harness.ts'

/** Forwards requests to the service, and cuts connections to its clients. */
export interface Forwarder {
  url: string
  /** The number of requests, without preflights. */
  requests(): number
  /** Drops the answer to the next request after the service has processed it. */
  loseNextAnswer(): void
  /** Cuts all connections. */
  cut(): void
}

/** Starts a forwarder, which stops when the test ends. */
export async function startForwarder(plaza: TestService): Promise<Forwarder> {
  let requests = 0
  let loses = false
  const server = createServer((incoming, outgoing) => {
    if (incoming.method !== 'OPTIONS') requests += 1
    const is_lost = loses
    loses = false
    const { method = 'GET', headers, url = '/' } = incoming
    const forwarded = forwardTo(plaza.url + url, { method, headers }, (answer) => {
      if (is_lost) return void answer.resume().on('end', () => outgoing.destroy())
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      outgoing.flushHeaders()
      answer.pipe(outgoing)
      outgoing.on('close', () => answer.destroy())
    })
    forwarded.on('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => requests,
    loseNextAnswer: () => (loses = true),
    cut: () => server.closeAllConnections(),
  }
}

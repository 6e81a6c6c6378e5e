import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { accept_backlog_max } from '../platform/listening.ts'
import { trackConnections } from './connection-draining.ts'

export interface ListeningServer {
  /** The base URL of the server. */
  address: string
  /** Continues to serve, but closes each connection after its response. */
  drain(): void
  /** Accepts no new connection, finishes pending requests, destroys those that take longer than `finish_ms`, and closes. */
  close(finish_ms: number): Promise<void>
}

/**
 * Listens on all addresses of a host: `localhost` has two. Fastify does that too, but does not close the connections of the second server.
 * Fails with the system's error, such as EADDRINUSE.
 */
export async function listen(
  fastify: FastifyInstance,
  { host, port }: { host: string; port: number },
): Promise<ListeningServer> {
  const connections = trackConnections()
  const [first = host, ...more] = await addressesOf(host)
  connections.track(fastify.server)
  fastify.addHook('preClose', async () => {
    connections.closeAfterNextResponse()
    connections.closeIdle()
    // Must be the last step: Fastify stops listening right after this hook.
    await connections.backlogAccepted()
  })
  const address = await fastify.listen({ host: first, port, backlog: accept_backlog_max })
  const bound = fastify.server.address() as AddressInfo
  const others: Server[] = []
  for (const other of more) {
    const server = secondServer(fastify)
    connections.track(server)
    if (await isListening(server, { host: other, port: bound.port })) others.push(server)
  }
  return {
    address,
    drain: connections.closeAfterNextResponse,
    async close(finish_ms) {
      const timer = setTimeout(connections.destroyAll, finish_ms)
      const ended = others.map((server) => new Promise((done) => server.close(done)))
      await Promise.all([fastify.close(), ...ended]).finally(() => clearTimeout(timer))
    },
  }
}

/** Disabled in Node, which would answer a missing Host in its own format. The server's first hook checks it instead. */
export const host_is_checked_here = { requireHostHeader: false }

/** Only `localhost` is resolved: a network name may resolve to several machines. */
const addressesOf = async (host: string) =>
  host === 'localhost' ? [...new Set((await lookup(host, { all: true })).map(({ address }) => address))] : [host]

/** A further server with the routes and settings of the first. */
function secondServer(fastify: FastifyInstance) {
  const { keepAliveTimeout, requestTimeout, headersTimeout, timeout } = fastify.server
  const server = createServer({ keepAliveTimeout, requestTimeout, headersTimeout, ...host_is_checked_here })
  server.timeout = timeout
  server.on('request', (request, response) => fastify.routing(request, response))
  for (const listener of fastify.server.listeners('clientError')) server.on('clientError', listener as () => void)
  return server
}

/** True if the server listens. `localhost` may resolve to an address that the machine lacks; one address is enough. */
async function isListening(server: Server, options: { host: string; port: number }) {
  server.listen({ ...options, backlog: accept_backlog_max })
  try {
    await once(server, 'listening')
    return true
  } catch {
    return false
  }
}

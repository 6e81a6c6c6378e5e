import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { trackConnections } from './connection-draining.ts'

export interface ListeningServer {
  /** Where it listens, as a URL. */
  address: string
  /** Serves on, but every answer ends its connection. */
  drain(): void
  /** Takes no new connection, finishes the requests under way, cutting off those that take longer than this, and ends. */
  close(finish_ms: number): Promise<void>
}

/**
 * Listens for a server on all addresses of a host: `localhost` has two. Fastify would do that too, but forget the
 * connections of the second one when it closes. Fails with the system's error, such as EADDRINUSE.
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
    // The last of all: Fastify stops listening right after.
    await connections.backlogAccepted()
  })
  const address = await fastify.listen({ host: first, port })
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

/** Not those of a name of the network: it may stand for several machines. */
const addressesOf = async (host: string) =>
  host === 'localhost' ? [...new Set((await lookup(host, { all: true })).map(({ address }) => address))] : [host]

/** A server that answers as the first one does. */
function secondServer(fastify: FastifyInstance) {
  const { keepAliveTimeout, requestTimeout, headersTimeout, timeout } = fastify.server
  const server = createServer({ keepAliveTimeout, requestTimeout, headersTimeout })
  server.timeout = timeout
  server.on('request', (request, answer) => fastify.routing(request, answer))
  for (const listener of fastify.server.listeners('clientError')) server.on('clientError', listener as () => void)
  return server
}

/** A machine may have a name for an address that it does not have: one of several is enough. */
async function isListening(server: Server, options: { host: string; port: number }) {
  server.listen(options)
  try {
    await once(server, 'listening')
    return true
  } catch {
    return false
  }
}

import type { FastifyInstance } from 'fastify'
import type { Socket } from 'node:net'

/**
 * Closes, when the server stops, connections on which no request has come yet: clients open them in advance, and Node
 * would wait a minute for their first request.
 */
export function closeUnusedConnections(fastify: FastifyInstance) {
  const unused = new Set<Socket>()
  fastify.server.on('connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  fastify.server.on('request', ({ socket }) => unused.delete(socket))
  fastify.addHook('preClose', async () => {
    for (const socket of unused) socket.destroy()
  })
}

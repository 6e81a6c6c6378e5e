import type { FastifyInstance } from 'fastify'
import type { Socket } from 'node:net'

/**
 * Closes, when the server stops, the connections that Node would wait a minute for: those that clients opened in advance
 * and sent nothing on yet, and those whose last request is still being answered, once it is.
 */
export function closeConnectionsAtStop(fastify: FastifyInstance) {
  const unused = new Set<Socket>()
  fastify.server.on('connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  fastify.server.on('request', ({ socket }) => unused.delete(socket))
  fastify.addHook('preClose', async () => {
    for (const socket of unused) socket.destroy()
    // Read when an answer is sent: so long its connection may wait for the next request.
    fastify.server.keepAliveTimeout = 1
  })
}

import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Tracks the connections of HTTP servers and closes them without losing a request. */
export interface ConnectionTracker {
  /** Call before the server listens. */
  track(server: Server): void
  /** Makes every response close its connection (`Connection: close`), including pending ones. Idle connections stay open. */
  closeAfterNextResponse(): void
  /** Closes idle connections, and after `first_request_ms` those without a request yet: a request may be in transit. */
  closeIdle(): void
  /** Resolves when the accept backlogs are empty. */
  backlogAccepted(): Promise<void>
  /** Destroys all connections. */
  destroyAll(): void
}

/** How long a new connection may take to send its first request while its server closes. */
export const first_request_ms = 1_000
/** The maximum duration of `acceptBacklog`; under constant load the rest of the backlog is reset. */
const accept_backlog_ms = 2_000

/**
 * Reduces the accept backlog of a listening server to one connection; further clients retry after a second. Node has no API for this, so it
 * calls `listen` of the handle, if there is one.
 */
function shrinkBacklog(server: Server) {
  const { _handle: handle } = server as { _handle?: { listen?: (backlog: number) => number } | null }
  handle?.listen?.(0)
}

/** Resolves when the accept backlog of a server is empty: connections in it are reset when listening ends. */
export async function acceptBacklog(server: Server) {
  let accepted = 0
  const count = () => void accepted++
  server.on('connection', count)
  shrinkBacklog(server)
  const started = performance.now()
  // Node accepts one connection per turn of its event loop. The first turn may end before it checks the backlog.
  for (let quiet_turns = 0; quiet_turns < 2 && performance.now() - started < accept_backlog_ms;) {
    const before = accepted
    await new Promise((next) => setImmediate(next))
    quiet_turns = accepted === before ? quiet_turns + 1 : 0
  }
  server.off('connection', count)
}

export function trackConnections(): ConnectionTracker {
  const servers: Server[] = []
  /** Connections without a request yet; Node waits a minute for the first one. */
  const unused = new Set<Socket>()
  /** The newest response of each connection, whether sent or not. A listener on each response would cost more. */
  const newest = new Map<Socket, ServerResponse>()
  let ending = false

  function onRequest(socket: Socket, response: ServerResponse) {
    unused.delete(socket)
    const previous = newest.get(socket)
    newest.set(socket, response)
    if (!ending) return
    // Of pipelined requests, the response to the last one closes the connection.
    if (previous && !previous.headersSent) previous.shouldKeepAlive = true
    response.shouldKeepAlive = false
  }

  return {
    track(server) {
      servers.push(server)
      server.on('connection', (socket: Socket) => {
        unused.add(socket)
        socket.once('close', () => {
          unused.delete(socket)
          newest.delete(socket)
        })
      })
      server.prependListener('request', ({ socket }, response) => onRequest(socket, response))
    },
    closeAfterNextResponse() {
      ending = true
      for (const response of newest.values()) if (!response.headersSent) response.shouldKeepAlive = false
    },
    closeIdle() {
      setTimeout(() => {
        for (const socket of unused) socket.destroy()
      }, first_request_ms)
      for (const server of servers) {
        // Node reads this when a response is sent, as the time that the connection may stay idle.
        server.keepAliveTimeout = 1
        server.closeIdleConnections()
      }
    },
    async backlogAccepted() {
      await Promise.all(servers.map(acceptBacklog))
    },
    destroyAll() {
      for (const server of servers) server.closeAllConnections()
    },
  }
}

import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The connections of one or several HTTP servers, and how they end without a request being lost (D-93). */
export interface ConnectionTracker {
  /** Before the server listens. */
  track(server: Server): void
  /** From now on every answer ends its connection (`Connection: close`), those under way too. Idle connections stay open. */
  closeAfterNextResponse(): void
  /** Ends idle connections, and in a moment those on which nothing was asked yet: what they ask may be on its way. */
  closeIdle(): void
  /** Resolves when every connection that the system has made for us was taken: what waits is reset when listening ends. */
  backlogAccepted(): Promise<void>
  /** Cuts off whatever is still under way. */
  destroyAll(): void
}

/** A connection that was opened a moment ago has this time to bring its request. */
const first_request_ms = 1_000
/** Under a load that never pauses, some connections will be reset. */
const accept_backlog_ms = 2_000

/**
 * Lets the system hold one connection at most until we take it; who comes while there is one tries again in a second. Node
 * has no name for this, so that it is asked of the handle, and left where there is none.
 */
function shrinkBacklog(server: Server) {
  const { _handle: handle } = server as { _handle?: { listen?: (backlog: number) => number } | null }
  handle?.listen?.(0)
}

export function trackConnections(): ConnectionTracker {
  const servers: Server[] = []
  /** Opened in advance: Node would wait a minute for their first request. */
  const unused = new Set<Socket>()
  /** The newest answer that is owed on each connection. */
  const owed = new Map<Socket, ServerResponse>()
  let ending = false
  let taken = 0

  function note(socket: Socket, answer: ServerResponse) {
    unused.delete(socket)
    const before = owed.get(socket)
    owed.set(socket, answer)
    answer.once('close', () => {
      if (owed.get(socket) === answer) owed.delete(socket)
    })
    if (!ending) return
    // Of requests sent one behind the other, the last one's answer ends the connection.
    if (before && !before.headersSent) before.shouldKeepAlive = true
    answer.shouldKeepAlive = false
  }

  return {
    track(server) {
      servers.push(server)
      server.on('connection', (socket: Socket) => {
        taken++
        unused.add(socket)
        socket.once('close', () => unused.delete(socket))
      })
      server.prependListener('request', ({ socket }, answer) => note(socket, answer))
    },
    closeAfterNextResponse() {
      ending = true
      for (const answer of owed.values()) if (!answer.headersSent) answer.shouldKeepAlive = false
    },
    closeIdle() {
      setTimeout(() => {
        for (const socket of unused) socket.destroy()
      }, first_request_ms)
      for (const server of servers) {
        // Read when an answer is sent: so long its connection may wait for the next request.
        server.keepAliveTimeout = 1
        server.closeIdleConnections()
      }
    },
    async backlogAccepted() {
      for (const server of servers) shrinkBacklog(server)
      const begun = performance.now()
      // In each turn of its loop Node takes one connection, if any waits.
      for (let before = -1; before !== taken && performance.now() - begun < accept_backlog_ms;) {
        before = taken
        await new Promise((next) => setImmediate(next))
      }
    },
    destroyAll() {
      for (const server of servers) server.closeAllConnections()
    },
  }
}

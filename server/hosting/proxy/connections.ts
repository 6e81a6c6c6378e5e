import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { first_request_ms } from '../../http/connection-draining.ts'
import { createCounters } from '../../platform/counts.ts'

/** Limits the requests and WebSockets in progress per deployment. */
export function openConnectionLimiter(connections_max: number) {
  const counts = createCounters()
  let total = 0
  return {
    total: () => total,
    /** Counts one more and returns true; returns false at the deployment's limit. Counts nothing without a deployment. */
    enter(deployment_id: string | undefined) {
      if (deployment_id === undefined) return true
      if (counts.of(deployment_id) >= connections_max) return false
      counts.add(deployment_id, 1)
      total++
      return true
    },
    leave(deployment_id: string | undefined) {
      if (deployment_id === undefined) return
      counts.add(deployment_id, -1)
      total--
    },
  }
}

export type ConnectionLimiter = ReturnType<typeof openConnectionLimiter>

/** How long a response may pause after its visitor has closed its side of the connection. */
const half_closed_ms = 5_000

interface SocketState {
  /** Responses in progress, and those of pipelined requests behind them. */
  responses: Set<ServerResponse>
  upgraded: boolean
  /** True once a request has arrived. */
  used: boolean
}

/** Tracks every connection of a server and the responses in progress on it. */
export function trackSockets(server: Server) {
  const states = new Map<Socket, SocketState>()
  const isIdle = ({ responses, upgraded }: SocketState) => responses.size === 0 && !upgraded
  server.on('connection', (socket) => {
    const state: SocketState = { responses: new Set(), upgraded: false, used: false }
    states.set(socket, state)
    // A visitor that ended its side may have disconnected.
    socket.once('end', () => {
      let written = socket.bytesWritten
      const timer = setInterval(() => {
        if (!state.upgraded && socket.bytesWritten === written) socket.destroy()
        written = socket.bytesWritten
      }, half_closed_ms)
      socket.once('close', () => clearInterval(timer))
    })
    socket.once('close', () => {
      states.delete(socket)
      // Node emits `close` on the current response only, not on those of pipelined requests behind it.
      for (const res of state.responses) {
        if (res.socket !== null) continue
        res.destroy()
        res.emit('close')
      }
    })
  })
  function forget(this: ServerResponse) {
    states.get(this.req.socket)?.responses.delete(this)
  }
  server.on('request', ({ socket }, res) => {
    const state = states.get(socket)
    if (!state) return
    state.used = true
    state.responses.add(res)
    res.on('close', forget)
  })
  server.on('upgrade', ({ socket }) => {
    const state = states.get(socket)
    if (state) state.upgraded = true
  })
  const responsesOn = (socket: Socket) => [...(states.get(socket)?.responses ?? [])]
  return {
    /** True while a request on this connection has no complete response. */
    hasPendingResponse: (socket: Socket) => responsesOn(socket).length > 0,
    /** True while a response on this connection is partly sent. */
    hasStartedResponse: (socket: Socket) => responsesOn(socket).some(({ headersSent }) => headersSent),
    /** Makes responses whose headers are not sent yet close their connection. */
    closeAfterNextResponse() {
      for (const { responses } of states.values()) {
        const newest = [...responses].at(-1)
        if (newest && !newest.headersSent) newest.shouldKeepAlive = false
      }
    },
    destroyAll() {
      for (const socket of states.keys()) socket.destroy()
    },
    /**
     * Closes idle connections. Connections without a request yet are closed after `first_request_ms`, because a request may be in transit.
     */
    closeIdle() {
      const idle = () => [...states].filter(([, state]) => isIdle(state))
      setTimeout(() => {
        for (const [socket] of idle()) socket.destroy()
      }, first_request_ms).unref()
      for (const [socket, { used }] of idle()) if (used) socket.destroy()
    },
  }
}

export type SocketTracker = ReturnType<typeof trackSockets>

/** Runs `work` with a signal that aborts when the connection closes first. */
export async function withCloseSignal<Result>(
  connection: Socket | ServerResponse,
  work: (signal: AbortSignal) => Promise<Result>,
) {
  const closed = new AbortController()
  const abort = () => closed.abort()
  connection.once('close', abort)
  try {
    return await work(closed.signal)
  } finally {
    connection.off('close', abort)
  }
}

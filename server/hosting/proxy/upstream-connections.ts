import { Agent, type ClientRequest, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Target } from './routing.rules.ts'

/** The connection failed: no part of the request was sent. */
export class ConnectFailure extends Error {
  readonly code: string
  constructor(cause: NodeJS.ErrnoException) {
    super(cause.message, { cause })
    this.name = 'ConnectFailure'
    this.code = cause.code ?? 'unknown'
  }
}

const no_answer_codes = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN'])

/** True if nothing answered at the address, as after the loss of its host. Another attempt would wait as long. */
export const isWithoutAnswer = (error: unknown) => error instanceof ConnectFailure && no_answer_codes.has(error.code)

/** TCP keep-alive ends responses and WebSockets whose host is gone. They would otherwise never end. */
const keep_alive_ms = 15_000

/** Connects to a target; rejects with a `ConnectFailure`, at the latest after `ms`. */
export function connectTo({ host, port }: Pick<Target, 'host' | 'port'>, ms: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: keep_alive_ms })
    const fail = (error: NodeJS.ErrnoException) => {
      clearTimeout(timer)
      socket.destroy()
      reject(new ConnectFailure(error))
    }
    const timer = setTimeout(() => fail(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' })), ms)
    socket.once('error', fail)
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.off('error', fail)
      resolve(socket)
    })
  })
}

/** Many servers close idle connections after 5 s. The router closes them earlier, so that none is reused while it closes. */
const idle_timeout_ms = 4_000
/** How much earlier than the announced time the router closes a connection. */
const idle_margin_ms = 1_000
const idle_sockets_max = 64

interface TargetAgentOptions {
  connect_timeout_ms: number
  keepAlive: boolean
}

/** Node passes a request its connection or the error through this method. Its types omit the error. */
type WaitingRequest = ClientRequest & { onSocket(socket: undefined, error: Error): void }

/** `close` follows every `error` of a socket and is handled; an unhandled `error` would end the process. */
const ignoreError = () => {}

/**
 * Connections to one instance; the host and port of a request are ignored. A request gets its socket only after the
 * connection is established, so that its body is not read before. Node's own agent identifies connections by a name
 * that it builds from each request's options, which costs a tenth of a forwarded request.
 */
export class TargetAgent extends Agent {
  private readonly target: Target
  private readonly connect_timeout_ms: number
  private readonly is_reusing: boolean
  /** Idle connections, most recently used last. */
  private readonly idle: Socket[] = []
  private retired = false

  constructor(target: Target, { connect_timeout_ms, keepAlive }: TargetAgentOptions) {
    super({ keepAlive })
    this.target = target
    this.connect_timeout_ms = connect_timeout_ms
    this.is_reusing = keepAlive
  }

  /** Assigns a connection to a request. Node calls it for each request. */
  addRequest(request: ClientRequest) {
    for (let socket = this.idle.pop(); socket; socket = this.idle.pop()) {
      if (!socket.writable) continue
      request.reusedSocket = true
      return request.onSocket(socket)
    }
    connectTo(this.target, this.connect_timeout_ms).then(
      (socket) => {
        this.adopt(socket)
        request.onSocket(socket)
      },
      (error: Error) => (request as WaitingRequest).onSocket(undefined, error),
    )
  }

  /** Records when a server closes idle connections (`Keep-Alive: timeout=…`), so that the router closes them earlier. */
  noteAnnouncedTimeout({ headers, socket }: IncomingMessage) {
    const [, seconds] = /^timeout=(\d+)/.exec(String(headers['keep-alive'])) ?? []
    if (seconds === undefined) return
    const ms = Math.max(1, Math.min(idle_timeout_ms, Number(seconds) * 1_000 - idle_margin_ms))
    if (socket.timeout !== ms) socket.setTimeout(ms)
  }

  /** Closes idle connections; those in use close after their request. */
  retire() {
    this.retired = true
    for (const socket of this.idle.splice(0)) socket.destroy()
  }

  private adopt(socket: Socket) {
    const leaveIdle = () => {
      const place = this.idle.indexOf(socket)
      if (place >= 0) this.idle.splice(place, 1)
      return place >= 0
    }
    socket.setTimeout(idle_timeout_ms)
    socket.on('error', ignoreError).on('close', leaveIdle)
    // Without effect during a request, which may be silent for longer.
    socket.on('timeout', () => leaveIdle() && socket.destroy())
    // Emitted by Node when the response to the request is complete, unless the connection closes.
    socket.on('free', () => this.release(socket))
  }

  private release(socket: Socket) {
    if (this.retired || !this.is_reusing || !socket.writable || this.idle.length >= idle_sockets_max) socket.destroy()
    else this.idle.push(socket)
  }
}

/** Uses an established connection for one request. */
export class SingleSocketAgent extends Agent {
  private readonly socket: Socket
  constructor(socket: Socket) {
    super({ keepAlive: false })
    this.socket = socket
  }
  override createConnection() {
    return this.socket
  }
}

import { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
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

/** Connects to a target; rejects with a `ConnectFailure`, at the latest after `ms`. */
export function connectTo({ host, port }: Target, ms: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true })
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
const idle_sockets_max = 64

interface TargetAgentOptions {
  connect_timeout_ms: number
  keepAlive: boolean
}

/**
 * Connections to one generation of one deployment; the host and port of a request are ignored. A request gets its socket
 * only after the connection is established, so that none of its body is read before.
 */
class TargetAgent extends Agent {
  private readonly target: Target
  private readonly connect_timeout_ms: number
  private retired = false

  constructor(target: Target, { connect_timeout_ms, keepAlive }: TargetAgentOptions) {
    super({ keepAlive, timeout: idle_timeout_ms, maxFreeSockets: idle_sockets_max, scheduling: 'lifo' })
    this.target = target
    this.connect_timeout_ms = connect_timeout_ms
  }

  override createConnection(_options: unknown, callback?: (error: Error | null, stream: Duplex) => void) {
    connectTo(this.target, this.connect_timeout_ms).then(
      (socket) => callback?.(null, socket),
      (error: Error) => callback?.(error, undefined as unknown as Duplex),
    )
    return undefined
  }

  override keepSocketAlive(socket: Duplex): boolean {
    return !this.retired && (super.keepSocketAlive(socket) as unknown as boolean)
  }

  /** Closes idle connections; those in use close after their request. */
  retire() {
    this.retired = true
    for (const socket of Object.values(this.freeSockets).flat()) socket?.destroy()
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

/** The connections to all targets. */
export function openUpstreams(connect_timeout_ms: number) {
  const pools = new Map<string, { target: Target; reused: TargetAgent; single: TargetAgent }>()
  const isSame = (a: Target, b: Target) => a.generation === b.generation && a.host === b.host && a.port === b.port
  const release = (deployment_id: string) => {
    pools.get(deployment_id)?.reused.retire()
    pools.delete(deployment_id)
  }
  return {
    /** The agent for one request: with connection reuse, or with `new_connection` without. */
    agentOf(target: Target, { new_connection }: { new_connection: boolean }): Agent {
      let agents = pools.get(target.deployment_id)
      if (!agents || !isSame(agents.target, target)) {
        release(target.deployment_id)
        agents = {
          target,
          reused: new TargetAgent(target, { connect_timeout_ms, keepAlive: true }),
          single: new TargetAgent(target, { connect_timeout_ms, keepAlive: false }),
        }
        pools.set(target.deployment_id, agents)
      }
      return new_connection ? agents.single : agents.reused
    },
    /** Closes the idle connections of a deployment whose target has changed. */
    setTarget(deployment_id: string, target: Target | undefined) {
      const agents = pools.get(deployment_id)
      if (agents && !(target && isSame(agents.target, target))) release(deployment_id)
    },
    close() {
      for (const id of pools.keys()) release(id)
    },
  }
}

export type Upstreams = ReturnType<typeof openUpstreams>

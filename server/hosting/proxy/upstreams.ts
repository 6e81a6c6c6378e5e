import { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Target } from './routing.rules.ts'

/** No connection could be made: nothing of the request was sent. */
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

/** Programs close a connection on which nothing comes, many after 5 s: ours goes first, before it is used again. */
const idle_ms = 4_000
const idle_max = 64

interface TargetAgentOptions {
  connect_ms: number
  keepAlive: boolean
}

/**
 * Connections to one generation of one deployment, and to nothing else, whatever a request says. A request gets its
 * connection only once it stands, so that one that failed has not been read from yet.
 */
class TargetAgent extends Agent {
  private readonly target: Target
  private readonly connect_ms: number
  private retired = false

  constructor(target: Target, { connect_ms, keepAlive }: TargetAgentOptions) {
    super({ keepAlive, timeout: idle_ms, maxFreeSockets: idle_max, scheduling: 'lifo' })
    this.target = target
    this.connect_ms = connect_ms
  }

  override createConnection(_options: unknown, callback?: (error: Error | null, stream: Duplex) => void) {
    connectTo(this.target, this.connect_ms).then(
      (socket) => callback?.(null, socket),
      (error: Error) => callback?.(error, undefined as unknown as Duplex),
    )
    return undefined
  }

  override keepSocketAlive(socket: Duplex): boolean {
    return !this.retired && (super.keepSocketAlive(socket) as unknown as boolean)
  }

  /** Requests under way are finished; no connection is kept for another. */
  retire() {
    this.retired = true
    for (const socket of Object.values(this.freeSockets).flat()) socket?.destroy()
  }
}

/** Hands one connection that stands already to one request. */
export class OneConnection extends Agent {
  private readonly socket: Socket
  constructor(socket: Socket) {
    super({ keepAlive: false })
    this.socket = socket
  }
  override createConnection() {
    return this.socket
  }
}

/** The connections to every target that is in use. */
export function openUpstreams(connect_ms: number) {
  const kept = new Map<string, { target: Target; reused: TargetAgent; single: TargetAgent }>()
  const isSame = (a: Target, b: Target) => a.generation === b.generation && a.host === b.host && a.port === b.port
  const forget = (deployment_id: string) => {
    kept.get(deployment_id)?.reused.retire()
    kept.delete(deployment_id)
  }
  return {
    /** For one request: a kept connection, or with `fresh` a new one that is not kept. */
    agentOf(target: Target, { fresh }: { fresh: boolean }): Agent {
      let agents = kept.get(target.deployment_id)
      if (!agents || !isSame(agents.target, target)) {
        forget(target.deployment_id)
        agents = {
          target,
          reused: new TargetAgent(target, { connect_ms, keepAlive: true }),
          single: new TargetAgent(target, { connect_ms, keepAlive: false }),
        }
        kept.set(target.deployment_id, agents)
      }
      return fresh ? agents.single : agents.reused
    },
    /** The deployment's target is another now, or none. */
    settle(deployment_id: string, target: Target | undefined) {
      const agents = kept.get(deployment_id)
      if (agents && !(target && isSame(agents.target, target))) forget(deployment_id)
    },
    close() {
      for (const id of kept.keys()) forget(id)
    },
  }
}

export type Upstreams = ReturnType<typeof openUpstreams>

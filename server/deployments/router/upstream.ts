import { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'
import { Pool, type Dispatcher } from 'undici'
import type { Target } from '../router.rules.ts'

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

/** Who takes the answer of a request. */
export interface Taker extends Dispatcher.DispatchHandler {
  /** Called when the request has its connection, or will get none. */
  seated?: (() => void) | undefined
}

type Ask = Omit<Dispatcher.DispatchOptions, 'origin'>

/**
 * Connections to one generation of one deployment, and to nothing else, whatever a request says. Uploads and answers take
 * as long as they take: who passes them on watches the time.
 */
function openPool(target: Target, connect_ms: number) {
  let waiting = 0
  const pool = new Pool('http://target', {
    connect(_options, callback) {
      // undici would connect again for a request that was given up.
      if (waiting === 0) return callback(new ConnectFailure(new Error('nobody waits for it')), null)
      void connectTo(target, connect_ms).then(
        (socket) => callback(null, socket),
        (error: Error) => callback(error, null),
      )
    },
    connections: null,
    pipelining: 1,
    keepAliveTimeout: idle_ms,
    keepAliveMaxTimeout: idle_ms,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: 32_768,
  })
  return {
    send(ask: Ask, taker: Taker) {
      waiting++
      taker.seated = () => {
        waiting--
        taker.seated = undefined
      }
      pool.dispatch(ask, taker)
    },
    /** What is under way is finished; no connection is kept for another request. */
    close: () => void pool.close().catch(() => {}),
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

interface Pools {
  target: Target
  reused: ReturnType<typeof openPool>
  single: ReturnType<typeof openPool>
}

/** The connections to every target that is in use. */
export function openUpstreams(connect_ms: number) {
  const kept = new Map<string, Pools>()
  const isSame = (a: Target, b: Target) => a.generation === b.generation && a.host === b.host && a.port === b.port
  const forget = (deployment_id: string) => {
    const pools = kept.get(deployment_id)
    kept.delete(deployment_id)
    pools?.reused.close()
    pools?.single.close()
  }
  const poolsOf = (target: Target) => {
    const known = kept.get(target.deployment_id)
    if (known && isSame(known.target, target)) return known
    forget(target.deployment_id)
    const pools = { target, reused: openPool(target, connect_ms), single: openPool(target, connect_ms) }
    kept.set(target.deployment_id, pools)
    return pools
  }
  return {
    /**
     * Sends one request, on a kept connection, or with `fresh` on a new one that is not kept. Its body is not read from
     * before the connection stands; failing that, its taker gets a `ConnectFailure`.
     */
    send(target: Target, ask: Omit<Ask, 'reset'>, taker: Taker, { fresh }: { fresh: boolean }) {
      const { reused, single } = poolsOf(target)
      if (fresh) single.send({ ...ask, reset: true }, taker)
      else reused.send(ask, taker)
    },
    /** The deployment's target is another now, or none. */
    settle(deployment_id: string, target: Target | undefined) {
      const pools = kept.get(deployment_id)
      if (pools && !(target && isSame(pools.target, target))) forget(deployment_id)
    },
    close() {
      for (const id of kept.keys()) forget(id)
    },
  }
}

export type Upstreams = ReturnType<typeof openUpstreams>

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { createProxyServer } from 'httpxy'
import type { Logger } from '../../platform/log.ts'
import type { Heading, Target } from './routing.rules.ts'
import { refusals, refuseUpgrade } from './error-responses.ts'
import { dropHopByHop, setForwardedHeaders } from './headers.ts'
import { logFailure, type Destination } from './forwarding.ts'
import { ConnectFailure, connectTo, OneConnection } from './upstreams.ts'
import { isTarget, type TargetResolver } from './target-resolver.ts'

export interface UpgradesOptions {
  log: Logger
  whereabouts: TargetResolver
  connect_ms: number
  answer_ms: number
  isTrusted(address: string): boolean
}

export type Upgrades = ReturnType<typeof openUpgrades>

interface Crossing {
  heading: Heading
  target: Target
  upgraded: boolean
}

/** A peer that vanished without a word is noticed, and a middlebox kept awake. */
const keep_alive_ms = 60_000

/** A handshake is no work; while it lasts, a client that left is not noticed. */
const handshake_ms = 60_000

/** An error of a socket closes it, which is watched for; nobody listening would end the process. */
const ignoreError = () => {}

/** What carries a handshake over, and closes each side of a WebSocket with the other. */
function newProxy(log: Logger, crossings: WeakMap<IncomingMessage, Crossing>) {
  const proxy = createProxyServer()
  proxy.on('proxyReqWs', (outgoing, req, socket) => {
    // The site declines: nobody else reads from this connection, and would see that the client left.
    outgoing.on('response', () => void socket.once('finish', () => socket.destroy()).resume())
    outgoing.on('upgrade', (_answer, upstream: Socket) => {
      const crossing = crossings.get(req)
      if (crossing) crossing.upgraded = true
      // When one side is gone, the other gets what is still on its way, and goes too.
      upstream.on('error', ignoreError).on('close', () => socket.destroySoon())
      socket.on('close', () => upstream.destroySoon())
      if (socket.destroyed) upstream.destroy()
    })
  })
  proxy.on('error', (error, req, socket) => {
    const crossing = req && crossings.get(req)
    // A client that left is nobody's failure.
    if (!crossing || crossing.upgraded || !socket || !('connect' in socket) || socket.destroyed) return
    logFailure(log, req, crossing.heading, crossing.target, error)
    const { code } = error as NodeJS.ErrnoException
    refuseUpgrade(req, socket, code === 'ERR_UPSTREAM_UPGRADE_TIMEOUT' ? refusals.late_answer : refusals.no_answer)
  })
  return proxy
}

/** Joins WebSockets of clients with those of containers. */
export function openUpgrades({ log, whereabouts, connect_ms, answer_ms, isTrusted }: UpgradesOptions) {
  const crossings = new WeakMap<IncomingMessage, Crossing>()
  const proxy = newProxy(log, crossings)
  const sockets = new Set<Socket>()

  async function connectSomewhere(heading: Heading, first: Target, signal: AbortSignal) {
    try {
      return { target: first, upstream: await connectTo(first, connect_ms) }
    } catch (error) {
      if (!(error instanceof ConnectFailure)) throw error
      const found = await whereabouts.resolveAgain(heading.name, first, signal)
      return isTarget(found) ? { target: found, upstream: await connectTo(found, connect_ms) } : found
    }
  }

  /** Joins a client's connection with the container's; resolves when both are closed, or the upgrade was refused. */
  async function join(
    req: IncomingMessage,
    socket: Socket,
    head: Buffer,
    { heading, first, gone }: Destination & { gone: AbortSignal },
  ) {
    prepare(req, heading, isTrusted)
    socket.setKeepAlive(true, keep_alive_ms)
    sockets.add(socket)
    const closed = new Promise<void>((done) => {
      socket.once('close', () => {
        sockets.delete(socket)
        done()
      })
    })
    try {
      const found = await connectSomewhere(heading, first, gone)
      if (!('upstream' in found)) return refuseUpgrade(req, socket, found)
      const { target, upstream } = found
      upstream.on('error', ignoreError)
      if (socket.destroyed) return void upstream.destroy()
      crossings.set(req, { heading, target, upgraded: false })
      const to = { protocol: 'http:', hostname: target.host, port: target.port }
      const options = {
        target: to,
        agent: new OneConnection(upstream),
        upgradeTimeout: Math.min(answer_ms, handshake_ms),
      }
      await Promise.all([proxy.ws(req, socket, options, head), closed])
    } catch (error) {
      logFailure(log, req, heading, first, error as Error)
      refuseUpgrade(req, socket, refusals.no_answer)
    }
  }

  return {
    join,
    size: () => sockets.size,
    closeAll() {
      for (const socket of sockets) socket.destroySoon()
    },
  }
}

function prepare(req: IncomingMessage, { host, path }: Heading, isTrusted: (address: string) => boolean) {
  req.url = path
  dropHopByHop(req.headers)
  setForwardedHeaders(req.headers, { peer: req.socket.remoteAddress, host, isTrusted })
  req.headers.connection = 'Upgrade'
  req.headers.upgrade = 'websocket'
}

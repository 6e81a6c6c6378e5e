import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { createProxyServer } from 'httpxy'
import type { Logger } from '../../platform/log.ts'
import { isSameAddress, type RequestUri, type Target } from './routing.rules.ts'
import { error_responses, sendUpgradeError } from './error-responses.ts'
import { countRouterAnswer } from '../metrics.ts'
import { requestHeaders } from './headers.ts'
import { logFailure, type RoutedRequest } from './forwarding.ts'
import { ConnectFailure, connectTo, isWithoutAnswer, SingleSocketAgent } from './upstream-connections.ts'
import type { Upstreams } from './upstreams.ts'
import { isTarget, type TargetResolver } from './target-resolver.ts'
import { followFrames, restart_frame } from './websocket-frames.ts'

export interface WebSocketProxyOptions {
  log: Logger
  resolver: TargetResolver
  upstreams: Upstreams
  connect_timeout_ms: number
  response_timeout_ms: number
  isTrusted(address: string): boolean
}

export type WebSocketProxy = ReturnType<typeof openWebSocketProxy>

interface Handshake {
  uri: RequestUri
  target: Target
  upgraded: boolean
  /** Sends close code 1012 to the visitor, unless the container has ended the WebSocket itself. */
  sayRestart(): void
}

/** TCP keep-alive detects peers that are gone, and keeps connections in NAT tables. */
const keep_alive_ms = 60_000

/** The maximum duration of a handshake. A client's disconnect is not noticed during it. */
const handshake_timeout_ms = 60_000

/** `close` follows every `error` of a socket and is handled; an unhandled `error` would end the process. */
const ignoreError = () => {}

/** The proxy that forwards handshakes. When one side of a WebSocket closes, it closes the other. */
function newProxy(log: Logger, handshakes: WeakMap<IncomingMessage, Handshake>) {
  const proxy = createProxyServer()
  const readers = new WeakMap<Socket, (chunk: Buffer) => void>()
  // Not before both sides are connected: a listener would consume the first bytes.
  proxy.on('open', (upstream) => void upstream.on('data', readers.get(upstream)!))
  proxy.on('proxyReqWs', (outgoing, req, socket) => {
    // The container rejects the upgrade: the socket must be read to notice that the client closes it.
    outgoing.on('response', ({ statusCode = 0 }) => {
      countRouterAnswer(statusCode, 'container')
      socket.once('finish', () => socket.destroy()).resume()
    })
    outgoing.on('upgrade', (_answer, upstream: Socket) => {
      countRouterAnswer(101, 'container')
      const handshake = handshakes.get(req)
      const frames = followFrames()
      const sayRestart = () => void (frames.mayClose() && socket.writable && socket.write(restart_frame))
      if (handshake) Object.assign(handshake, { upgraded: true, sayRestart })
      readers.set(upstream, frames.read)
      upstream.once('end', sayRestart)
      // When one side closes, the other is closed after its buffered data is sent.
      upstream.on('error', ignoreError).on('close', () => {
        sayRestart()
        socket.destroySoon()
      })
      socket.on('close', () => upstream.destroySoon())
      if (socket.destroyed) upstream.destroy()
    })
  })
  proxy.on('error', (error, req, socket) => {
    const handshake = req && handshakes.get(req)
    // A client's disconnect is not logged as a failure.
    if (!handshake || handshake.upgraded || !socket || !('connect' in socket) || socket.destroyed) return
    logFailure(log, req, handshake.uri, handshake.target, error)
    const { code } = error as NodeJS.ErrnoException
    sendUpgradeError(
      req,
      socket,
      code === 'ERR_UPSTREAM_UPGRADE_TIMEOUT' ? error_responses.gateway_timeout : error_responses.bad_gateway,
    )
  })
  return proxy
}

/** Forwards WebSockets to containers. */
export function openWebSocketProxy({
  log,
  resolver,
  upstreams,
  connect_timeout_ms,
  response_timeout_ms,
  isTrusted,
}: WebSocketProxyOptions) {
  const handshakes = new WeakMap<IncomingMessage, Handshake>()
  const proxy = newProxy(log, handshakes)
  const open = new Map<Socket, IncomingMessage>()

  function closeOf(socket: Socket, req: IncomingMessage) {
    open.set(socket, req)
    return new Promise<void>((done) => {
      socket.once('close', () => {
        open.delete(socket)
        done()
      })
    })
  }

  /** Forwards an upgrade request; resolves when both connections are closed, or the upgrade was rejected. */
  async function forward(
    req: IncomingMessage,
    socket: Socket,
    head: Buffer,
    { uri, target: first, signal }: RoutedRequest & { signal: AbortSignal },
  ) {
    prepareRequest(req, uri, isTrusted)
    socket.setKeepAlive(true, keep_alive_ms)
    const closed = closeOf(socket, req)
    try {
      const found = await connectWithRetry({ resolver, connect_timeout_ms }, uri, first, signal)
      if (!('upstream' in found)) return sendUpgradeError(req, socket, found)
      const { target, upstream } = found
      upstream.on('error', ignoreError)
      if (socket.destroyed) return void upstream.destroy()
      handshakes.set(req, { uri, target, upgraded: false, sayRestart: () => {} })
      countOpen(upstreams, target, closed)
      const options = {
        target: { protocol: 'http:', hostname: target.host, port: target.port },
        agent: new SingleSocketAgent(upstream),
        upgradeTimeout: Math.min(response_timeout_ms, handshake_timeout_ms),
      }
      await Promise.all([proxy.ws(req, socket, options, head), closed])
    } catch (error) {
      logFailure(log, req, uri, first, error as Error)
      sendUpgradeError(req, socket, error_responses.bad_gateway)
    }
  }

  return {
    forward,
    size: () => open.size,
    closeAll() {
      for (const [socket, req] of open) {
        handshakes.get(req)?.sayRestart()
        socket.destroySoon()
      }
    },
  }
}

/** Connects to the target, or to another one after a failure. */
async function connectWithRetry(
  { resolver, connect_timeout_ms }: Pick<WebSocketProxyOptions, 'resolver' | 'connect_timeout_ms'>,
  { hostname }: RequestUri,
  target: Target,
  signal: AbortSignal,
) {
  try {
    return { target, upstream: await connectTo(target, connect_timeout_ms) }
  } catch (error) {
    if (!(error instanceof ConnectFailure)) throw error
    const found = await resolver.resolveAfterFailure(hostname, target, signal)
    if (!isTarget(found)) return found
    if (isWithoutAnswer(error) && isSameAddress(found, target)) throw error
    return { target: found, upstream: await connectTo(found, connect_timeout_ms) }
  }
}

/** A WebSocket counts as an open request, so a replica with many WebSockets gets fewer requests. */
function countOpen(upstreams: Upstreams, target: Target, closed: Promise<void>) {
  const upstream = upstreams.upstreamOf(target)
  upstream.open++
  void closed.then(() => upstream.open--)
}

function prepareRequest(req: IncomingMessage, { host, path }: RequestUri, isTrusted: (address: string) => boolean) {
  req.url = path
  const list = requestHeaders(req.headers, { peer: req.socket.remoteAddress, host, isTrusted })
  req.headers = { connection: 'Upgrade', upgrade: 'websocket' }
  for (let at = 0; at < list.length; at += 2) req.headers[list[at]!] = list[at + 1]
}

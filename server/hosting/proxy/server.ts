import { createServer, IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { acceptBacklog } from '../../http/connection-draining.ts'
import { accept_backlog_max } from '../../platform/listening.ts'
import type { Logger } from '../../platform/log.ts'
import type { Readiness } from '../../platform/readiness.ts'
import type { RouteTable } from './route-table.ts'
import { keep_alive_timeout_ms } from '../../platform/keep-alive.ts'
import { openConnectionLimiter, trackSockets, type SocketTracker } from './connections.ts'
import { router_in_progress, router_routes } from '../metrics.ts'
import type { RequestCounter } from './request-counts.ts'
import { openRequestHandler, type RequestHandler } from './request-handler.ts'
import { openNetworkMatcher, unmapAddress } from '../../platform/networks.ts'
import { openForwarder, requestFields } from './forwarding.ts'
import { openRequestIdentity } from './headers.ts'
import { openWebSocketProxy } from './websockets.ts'
import { openUpstreams } from './upstreams.ts'
import { openTargetResolver } from './target-resolver.ts'
import { VisitorResponse } from './visitor-response.ts'

export interface RouterSettings {
  host: string
  port: number
  /** How long a request waits for a deployment that is starting. */
  hold_seconds: number
  /** How long a container may take to accept a connection, and to send its response headers. */
  connect_seconds: number
  answer_seconds: number
  /** Requests and WebSockets in progress per deployment. */
  connections_max: number
}

export interface RouterOptions {
  settings: RouterSettings
  trusted_proxies: readonly string[]
  log: Logger
  table: RouteTable
  /** Counts the requests of each deployment. */
  requests: RequestCounter
  /** For `/readyz`. */
  readiness: Readiness
  /** True while the listeners of route changes are connected. For `/health`. */
  isListening(): boolean
}

/** `draining`: requests are served, but every response closes its connection. `stopping`: no new connections. */
type Phase = 'serving' | 'draining' | 'stopping'

export interface Router {
  address: string
  /** Keeps serving; every response closes its connection, and `/readyz` and `/health` are 503 (D-93). */
  drain(): void
  /** Accepts no new connections, closes WebSockets, and waits up to `finish_ms` for requests in progress. */
  stop(finish_ms: number): Promise<void>
}

/** Uploads and responses may take hours, so only request headers and idle connections have a timeout. */
const limits = {
  requestTimeout: 0,
  headersTimeout: 20_000,
  keepAliveTimeout: keep_alive_timeout_ms,
  maxHeaderSize: 32_768,
}

/** Starts the router: an HTTP server that forwards requests to containers by the route table. */
export async function startRouter(options: RouterOptions): Promise<Router> {
  let phase: Phase = 'serving'
  const server = newServer()
  const sockets = trackSockets(server)
  const { handler, upstreams, websockets, stopShowing } = openComponents(options, sockets, () => phase)
  attachHandlers(server, handler, sockets, options)
  const address = await listen(server, options.settings)
  return {
    address,
    drain() {
      phase = 'draining'
      options.readiness.stop()
      sockets.closeAfterNextResponse()
    },
    async stop(finish_ms) {
      phase = 'stopping'
      stopShowing()
      sockets.closeAfterNextResponse()
      websockets.closeAll()
      await acceptBacklog(server)
      const closed = new Promise<void>((done) => {
        server.close(() => done())
      })
      sockets.closeIdle()
      // Node reads this when a response ends, and then closes its connection immediately.
      server.keepAliveTimeout = 1
      const timer = setTimeout(sockets.destroyAll, finish_ms)
      await closed
      clearTimeout(timer)
      upstreams.close()
    },
  }
}

function openComponents(
  { settings, trusted_proxies, log, table, requests, readiness, isListening }: RouterOptions,
  { hasPendingResponse }: SocketTracker,
  phase: () => Phase,
) {
  const connect_timeout_ms = settings.connect_seconds * 1_000
  const response_timeout_ms = settings.answer_seconds * 1_000
  const isTrusted = openNetworkMatcher(trusted_proxies)
  const isAllowedPeer = openNetworkMatcher(['loopback', ...trusted_proxies])
  const upstreams = openUpstreams(connect_timeout_ms)
  table.onChange((id, route) =>
    upstreams.setTargets(id, route?.destination.state === 'target' ? route.destination.targets : []),
  )
  const resolver = openTargetResolver({ table, upstreams, hold_ms: settings.hold_seconds * 1_000 })
  const isDraining = () => phase() !== 'serving'
  const forward = openForwarder({
    log,
    resolver,
    upstreams,
    response_timeout_ms,
    silence_ms: connect_timeout_ms / 2,
    isTrusted,
    isDraining,
  })
  const websockets = openWebSocketProxy({
    log,
    resolver,
    upstreams,
    connect_timeout_ms,
    response_timeout_ms,
    isTrusted,
  })
  const limiter = openConnectionLimiter(settings.connections_max)
  const admin = {
    table,
    isAllowedPeer: (address: string) => isAllowedPeer(unmapAddress(address)),
    isDraining,
    readiness,
    metrics: () => ({ listening: isListening(), visitors: limiter.total(), websockets: websockets.size() }),
  }
  const handler = openRequestHandler({
    admin,
    resolver,
    limiter,
    requests,
    forward,
    websockets,
    hasPendingResponse,
    isDraining,
    isStopping: () => phase() === 'stopping',
  })
  const shown = [
    router_routes.read(() => table.size()),
    router_in_progress.read(() => [
      { labels: { kind: 'requests' }, value: limiter.total() },
      { labels: { kind: 'websockets' }, value: websockets.size() },
    ]),
  ]
  return { handler, upstreams, websockets, stopShowing: () => shown.forEach((stop) => stop()) }
}

/**
 * Allows a visitor to end its side of the connection after it has sent its request and still get the response
 * (`httpAllowHalfOpen`, which Node's types lack).
 */
const newServer = () =>
  Object.assign(createServer({ ...limits, IncomingMessage, ServerResponse: VisitorResponse }), {
    httpAllowHalfOpen: true,
  })

type RouterServer = ReturnType<typeof newServer>

function attachHandlers(
  server: RouterServer,
  { serve, serveUpgrade }: RequestHandler,
  { hasStartedResponse }: SocketTracker,
  { log, trusted_proxies }: RouterOptions,
) {
  const identify = openRequestIdentity(trusted_proxies)
  server.on('request', (req, res) => {
    identify(req)
    serve(req, res).catch((error: unknown) => {
      log.error({ ...requestFields(req), err: error }, 'a request failed in the router')
      res.destroy()
    })
  })
  server.on('upgrade', (req, socket: Socket, head) => {
    identify(req)
    serveUpgrade(req, socket, head).catch((error: unknown) => {
      log.error({ ...requestFields(req), err: error }, 'an upgrade failed in the router')
      socket.destroy()
    })
  })
  // Input that is not valid HTTP.
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable || hasStartedResponse(socket)) return void socket.destroy()
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
    socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
  })
}

async function listen(server: RouterServer, { host, port }: RouterSettings) {
  await new Promise<void>((done, failed) => {
    server.once('error', failed)
    server.listen({ host, port, backlog: accept_backlog_max }, () => {
      server.off('error', failed)
      done()
    })
  })
  const bound = server.address() as AddressInfo
  return `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`
}

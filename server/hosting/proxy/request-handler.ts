import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { framingError, parseRequestUri, isRouterHostname, type RequestUri } from './routing.rules.ts'
import { badRequest, error_responses, sendError, sendUpgradeError, type ErrorResponse } from './error-responses.ts'
import { withCloseSignal, type ConnectionLimiter } from './connections.ts'
import { answerAdminEndpoint, type AdminEndpointsOptions } from './admin-endpoints.ts'
import { hasBody, type Forward } from './forwarding.ts'
import type { WebSocketProxy } from './websockets.ts'
import { openResponseCounter, type RequestCounter } from './request-counts.ts'
import { isTarget, type TargetResolver } from './target-resolver.ts'
import { VisitorResponse } from './visitor-response.ts'

export interface RequestHandlerOptions {
  admin: AdminEndpointsOptions
  resolver: TargetResolver
  limiter: ConnectionLimiter
  requests: RequestCounter
  forward: Forward
  websockets: WebSocketProxy
  /** True while a request on this connection has no complete response. */
  hasPendingResponse(socket: Socket): boolean
  /** True if responses must close their connection. */
  isDraining(): boolean
  /** True if new WebSockets are rejected. */
  isStopping(): boolean
}

export type RequestHandler = ReturnType<typeof openRequestHandler>

const deploymentOf = ({ table }: AdminEndpointsOptions, { hostname }: RequestUri) => table.find(hostname)?.row.id

/** Handles a request: rejects it, answers it from the admin endpoints, or forwards it. */
export function openRequestHandler({
  admin,
  resolver,
  limiter,
  requests,
  forward,
  websockets,
  hasPendingResponse,
  isDraining,
  isStopping,
}: RequestHandlerOptions) {
  const countIfSent = openResponseCounter(requests)
  /** Connections that close after their current response. */
  const closing = new WeakSet<Socket>()

  async function serve(req: IncomingMessage, res: VisitorResponse) {
    // Requests pipelined behind one that closes the connection are not served (RFC 9112 9.6).
    if (closing.has(req.socket)) return
    res.on('close', countIfSent)
    const uri = readRequestUri(req)
    if (isDraining()) {
      res.shouldKeepAlive = false
      closing.add(req.socket)
    }
    if ('status' in uri) {
      closing.add(req.socket)
      return sendError(req, res, uri, { close: true })
    }
    if (isRouterHostname(uri.hostname)) return answerAdminEndpoint(req, res, uri.path, admin)
    const { hostname } = uri
    const deployment_id = (res.deployment_id = deploymentOf(admin, uri))
    if (!limiter.enter(deployment_id)) return sendError(req, res, error_responses.too_many_connections)
    try {
      const found =
        resolver.resolveNow(hostname) ?? (await withCloseSignal(res, (signal) => resolver.resolve(hostname, signal)))
      if (isTarget(found)) await forward(req, res, { uri, target: found })
      else sendError(req, res, found)
    } finally {
      limiter.leave(deployment_id)
    }
  }

  async function serveUpgrade(req: IncomingMessage, socket: Socket, head: Buffer) {
    // An unhandled socket error would end the process.
    socket.on('error', () => socket.destroy())
    // An upgrade pipelined behind a pending request would write into the middle of its response.
    if (closing.has(socket) || hasPendingResponse(socket)) return void socket.destroy()
    const uri = isStopping() ? error_responses.restarting : readRequestUri(req)
    if ('status' in uri) return sendUpgradeError(req, socket, uri)
    if (hasBody(req)) return sendUpgradeError(req, socket, badRequest('A request to upgrade has no body here.'))
    // Another protocol would bypass the router's checks; a server may ignore an Upgrade header (RFC 9110 7.8).
    if (req.headers.upgrade?.toLowerCase() !== 'websocket' || req.method !== 'GET' || isRouterHostname(uri.hostname))
      return serve(req, responseOnSocket(req, socket))
    const deployment_id = deploymentOf(admin, uri)
    if (!limiter.enter(deployment_id)) return sendUpgradeError(req, socket, error_responses.too_many_connections)
    try {
      await withCloseSignal(socket, async (signal) => {
        const found = await resolver.resolve(uri.hostname, signal)
        if (isTarget(found)) await websockets.forward(req, socket, head, { uri, target: found, signal })
        else sendUpgradeError(req, socket, found)
      })
    } finally {
      limiter.leave(deployment_id)
    }
  }

  return { serve, serveUpgrade }
}

/** The URI of a request, or a 400 if its headers are ambiguous. */
function readRequestUri(req: IncomingMessage): RequestUri | ErrorResponse {
  const error = framingError(req.headers, req.httpVersion)
  if (error !== undefined) return badRequest(error)
  const uri = parseRequestUri(req.url ?? '', hostsOf(req))
  return typeof uri === 'string' ? badRequest(uri) : uri
}

/** The Host headers; Node keeps the first one only. */
function hostsOf({ rawHeaders }: IncomingMessage) {
  const hosts: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[at + 1]!)
  }
  return hosts
}

/** An HTTP response to a request whose Upgrade header is ignored; the connection closes after it. */
function responseOnSocket(req: IncomingMessage, socket: Socket) {
  const res = new VisitorResponse(req)
  res.shouldKeepAlive = false
  res.assignSocket(socket)
  // Node has detached its listeners from this socket: `drain` must be forwarded, and the socket read to notice its close.
  socket.on('drain', () => res.emit('drain')).resume()
  res.once('finish', () => {
    res.detachSocket(socket)
    socket.destroySoon()
    // Node emits `close` only for responses that it created itself.
    res.emit('close')
  })
  return res
}

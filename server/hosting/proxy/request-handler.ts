import { ServerResponse, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { framingError, parseRequestUri, isRouterHostname, type RequestUri } from './routing.rules.ts'
import { badRequest, error_responses, sendError, sendUpgradeError, type ErrorResponse } from './error-responses.ts'
import { withCloseSignal, type ConnectionLimiter } from './connections.ts'
import { answerAdminEndpoint, type AdminEndpointsOptions } from './admin-endpoints.ts'
import { hasBody, type Forward } from './forwarding.ts'
import type { WebSocketProxy } from './websockets.ts'
import { countWhenSent, type RequestCounter } from './request-counts.ts'
import { isTarget, type TargetResolver } from './target-resolver.ts'

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

/** Handles a request: rejects it, answers it by the admin endpoints, or forwards it. */
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
  const deploymentOf = ({ hostname }: RequestUri) => admin.table.find(hostname)?.row.id
  /** Connections that close after their current response. */
  const closing = new WeakSet<Socket>()

  async function serve(req: IncomingMessage, res: ServerResponse) {
    // Requests pipelined behind one that closes the connection are not served (RFC 9112 9.6).
    if (closing.has(req.socket)) return
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
    const resolveAndForward = async () => {
      const found =
        resolver.resolveNow(uri.hostname) ??
        (await withCloseSignal(res, (signal) => resolver.resolve(uri.hostname, signal)))
      if (isTarget(found)) await forward(req, res, { uri, target: found })
      else sendError(req, res, found)
    }
    const deployment_id = deploymentOf(uri)
    if (deployment_id !== undefined) countWhenSent(requests, res, deployment_id)
    if (!(await limiter.run(deployment_id, resolveAndForward)))
      sendError(req, res, error_responses.too_many_connections)
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
    const connect = async (signal: AbortSignal) => {
      const found = await resolver.resolve(uri.hostname, signal)
      if (isTarget(found)) await websockets.forward(req, socket, head, { uri, target: found, signal })
      else sendUpgradeError(req, socket, found)
    }
    const admitted = await limiter.run(deploymentOf(uri), () => withCloseSignal(socket, connect))
    return admitted ? undefined : sendUpgradeError(req, socket, error_responses.too_many_connections)
  }

  return { serve, serveUpgrade }
}

/** The URI of a request, or a 400 if its headers are ambiguous. */
function readRequestUri(req: IncomingMessage): RequestUri | ErrorResponse {
  const hosts = req.rawHeaders.filter((_, at) => at % 2 === 1 && req.rawHeaders[at - 1]?.toLowerCase() === 'host')
  const error = framingError(req.headers, req.httpVersion)
  if (error !== undefined) return badRequest(error)
  const uri = parseRequestUri(req.url ?? '', hosts)
  return typeof uri === 'string' ? badRequest(uri) : uri
}

/** An HTTP response to a request whose Upgrade header is ignored; the connection closes after it. */
function responseOnSocket(req: IncomingMessage, socket: Socket) {
  const res = new ServerResponse(req)
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

import { ServerResponse, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { framingError, headingOf, isOwnName, type Heading } from './routing.rules.ts'
import { badRequest, refusals, refuse, refuseUpgrade, type Refusal } from './error-responses.ts'
import { whileOpen, type Visitors } from './connections.ts'
import { answerAdminEndpoint, type AdminEndpointsOptions } from './admin-endpoints.ts'
import { hasBody, type Forward } from './forwarding.ts'
import type { Upgrades } from './websockets.ts'
import { isTarget, type TargetResolver } from './target-resolver.ts'

export interface RequestHandlerOptions {
  admin: AdminEndpointsOptions
  resolver: TargetResolver
  visitors: Visitors
  forward: Forward
  upgrades: Upgrades
  /** Is an answer still owed on this connection? */
  isBusy(socket: Socket): boolean
  /** Must answers end their connection? */
  isDraining(): boolean
  /** Is nothing that would last taken any more? */
  isLeaving(): boolean
}

export type RequestHandler = ReturnType<typeof openRequestHandler>

/** Decides what becomes of a request: refused, answered by the router itself, or passed on. */
export function openRequestHandler({
  admin,
  resolver,
  visitors,
  forward,
  upgrades,
  isBusy,
  isDraining,
  isLeaving,
}: RequestHandlerOptions) {
  const deploymentOf = ({ name }: Heading) => admin.table.find(name)?.row.id
  /** Connections that end with the answer they get. */
  const ending = new WeakSet<Socket>()

  async function serve(req: IncomingMessage, res: ServerResponse) {
    // What was sent behind a request that ends its connection is not served (RFC 9112 9.6).
    if (ending.has(req.socket)) return
    const heading = readHeading(req)
    if (isDraining()) {
      res.shouldKeepAlive = false
      ending.add(req.socket)
    }
    if ('status' in heading) {
      ending.add(req.socket)
      return refuse(req, res, heading, { close: true })
    }
    if (isOwnName(heading.name)) return answerAdminEndpoint(req, res, heading.path, admin)
    const passThrough = async () => {
      const found = resolver.now(heading.name) ?? (await whileOpen(res, (gone) => resolver.resolve(heading.name, gone)))
      if (isTarget(found)) await forward(req, res, { heading, first: found })
      else refuse(req, res, found)
    }
    if (!(await visitors.admit(deploymentOf(heading), passThrough))) refuse(req, res, refusals.busy)
  }

  async function serveUpgrade(req: IncomingMessage, socket: Socket, head: Buffer) {
    // Whatever becomes of this connection, an error of it must not end the process.
    socket.on('error', () => socket.destroy())
    // What is sent behind a request that has no answer yet would be written into the midst of that.
    if (ending.has(socket) || isBusy(socket)) return void socket.destroy()
    const heading = isLeaving() ? refusals.leaving : readHeading(req)
    if ('status' in heading) return refuseUpgrade(req, socket, heading)
    if (hasBody(req)) return refuseUpgrade(req, socket, badRequest('A request to upgrade has no body here.'))
    // Another protocol would carry requests past this router's checks; every server may ignore the wish (RFC 9110 7.8).
    if (req.headers.upgrade?.toLowerCase() !== 'websocket' || req.method !== 'GET' || isOwnName(heading.name))
      return serve(req, plainResponse(req, socket))
    const join = async (gone: AbortSignal) => {
      const found = await resolver.resolve(heading.name, gone)
      if (isTarget(found)) await upgrades.join(req, socket, head, { heading, first: found, gone })
      else refuseUpgrade(req, socket, found)
    }
    const admitted = await visitors.admit(deploymentOf(heading), () => whileOpen(socket, join))
    return admitted ? undefined : refuseUpgrade(req, socket, refusals.busy)
  }

  return { serve, serveUpgrade }
}

/** Which site a request is for, unless its head is not plain enough to be passed on. */
function readHeading(req: IncomingMessage): Heading | Refusal {
  const hosts = req.rawHeaders.filter((_, at) => at % 2 === 1 && req.rawHeaders[at - 1]?.toLowerCase() === 'host')
  const fault = framingError(req.headers, req.httpVersion)
  if (fault !== undefined) return badRequest(fault)
  const heading = headingOf(req.url ?? '', hosts)
  return typeof heading === 'string' ? badRequest(heading) : heading
}

/** For a request that wished for another protocol: it is answered in the one it came in, and the connection closed. */
function plainResponse(req: IncomingMessage, socket: Socket) {
  const res = new ServerResponse(req)
  res.shouldKeepAlive = false
  res.assignSocket(socket)
  // Node listens to this connection no more: that there is room again, and that the client left, is heard here.
  socket.on('drain', () => res.emit('drain')).resume()
  res.once('finish', () => {
    res.detachSocket(socket)
    socket.destroySoon()
    // Node tells only those that it made itself.
    res.emit('close')
  })
  return res
}

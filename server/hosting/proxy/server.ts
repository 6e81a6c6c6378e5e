import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Logger } from '../../platform/log.ts'
import type { RouteTable } from './route-table.ts'
import { countVisitors, idle_connection_ms, watchSockets, type Sockets } from './connections.ts'
import { openRequestHandler, type RequestHandler } from './request-handler.ts'
import { networkCheck, plainAddress } from './peers.ts'
import { openForwarding } from './forwarding.ts'
import { openUpgrades } from './websockets.ts'
import { openUpstreams } from './upstreams.ts'
import { openTargetResolver } from './target-resolver.ts'

export interface RouterSettings {
  host: string
  port: number
  /** How long a request waits for a deployment that is on its way. */
  hold_seconds: number
  /** How long a container may take to accept a connection, and to begin its answer. */
  connect_seconds: number
  answer_seconds: number
  /** Requests and WebSockets that one deployment may have at once. */
  connections_max: number
}

export interface RouterOptions {
  settings: RouterSettings
  trusted_proxies: readonly string[]
  log: Logger
  table: RouteTable
  /** Are changes of routes heard? For `/health`. */
  isListening(): boolean
}

/** `draining`: everything is served, but connections end with their next answer. `leaving`: nothing new is taken. */
type Phase = 'serving' | 'draining' | 'leaving'

export interface Router {
  address: string
  /** Serves on, but every answer ends its connection (D-93); `/health` tells the edge proxy. */
  drain(): void
  /** Takes no new connection, finishes requests under way in this time, closes WebSockets and then everything. */
  stop(finish_ms: number): Promise<void>
}

/**
 * Node's own limits are for short requests: an upload may take hours, an answer too. What has a limit here is the head
 * of a request, and a connection on which nothing is asked (longer than an edge proxy keeps it, so that it goes first).
 */
const limits = {
  requestTimeout: 0,
  headersTimeout: 20_000,
  keepAliveTimeout: idle_connection_ms,
  maxHeaderSize: 32_768,
}

/** Starts the router: an HTTP server that passes requests on to containers, by the table alone. */
export async function startRouter(options: RouterOptions): Promise<Router> {
  let phase: Phase = 'serving'
  const server = newServer()
  const sockets = watchSockets(server)
  const { front, upstreams, upgrades } = openParts(options, sockets, () => phase)
  serveWith(server, front, sockets, options.log)
  const address = await listen(server, options.settings)
  return {
    address,
    drain() {
      phase = 'draining'
      sockets.endWithNextAnswer()
    },
    async stop(finish_ms) {
      phase = 'leaving'
      sockets.endWithNextAnswer()
      const closed = new Promise<void>((done) => {
        server.close(() => done())
      })
      upgrades.closeAll()
      sockets.destroyIdle()
      // Read when an answer is sent: so long its connection may wait for the next request.
      server.keepAliveTimeout = 1
      const timer = setTimeout(sockets.destroyAll, finish_ms)
      await closed
      clearTimeout(timer)
      upstreams.close()
    },
  }
}

function openParts(
  { settings, trusted_proxies, log, table, isListening }: RouterOptions,
  { isBusy }: Sockets,
  phase: () => Phase,
) {
  const connect_ms = settings.connect_seconds * 1_000
  const answer_ms = settings.answer_seconds * 1_000
  const isTrusted = networkCheck(trusted_proxies)
  const isNeighbour = networkCheck(['loopback', ...trusted_proxies])
  const upstreams = openUpstreams(connect_ms)
  table.onChange((id, route) =>
    upstreams.settle(id, route?.destination.to === 'target' ? route.destination.target : undefined),
  )
  const resolver = openTargetResolver(table, settings.hold_seconds * 1_000)
  const isDraining = () => phase() !== 'serving'
  const forward = openForwarding({ log, resolver: resolver, upstreams, answer_ms, isTrusted, isDraining })
  const upgrades = openUpgrades({ log, whereabouts: resolver, connect_ms, answer_ms, isTrusted })
  const visitors = countVisitors(settings.connections_max)
  const admin = {
    table,
    isNeighbour: (address: string) => isNeighbour(plainAddress(address)),
    isDraining,
    figures: () => ({ listening: isListening(), visitors: visitors.total(), websockets: upgrades.size() }),
  }
  const isLeaving = () => phase() === 'leaving'
  const front = openRequestHandler({ admin, resolver, visitors, forward, upgrades, isBusy, isDraining, isLeaving })
  return { front, upstreams, upgrades }
}

const newServer = () => createServer(limits)

function serveWith(server: Server, { serve, serveUpgrade }: RequestHandler, { isAnswering }: Sockets, log: Logger) {
  server.on('request', (req, res) => {
    serve(req, res).catch((error: unknown) => {
      log.error({ err: error }, 'the router failed at a request')
      res.destroy()
    })
  })
  server.on('upgrade', (req, socket: Socket, head) => {
    serveUpgrade(req, socket, head).catch((error: unknown) => {
      log.error({ err: error }, 'the router failed at an upgrade')
      socket.destroy()
    })
  })
  // What is not even HTTP.
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) return void socket.destroy()
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
    socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
  })
}

async function listen(server: Server, { host, port }: RouterSettings) {
  await new Promise<void>((done, failed) => {
    server.once('error', failed)
    server.listen({ host, port }, () => {
      server.off('error', failed)
      done()
    })
  })
  const bound = server.address() as AddressInfo
  return `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RouteTable } from './route-table.ts'
import { hostName } from './routing.rules.ts'
import { refusals, refuse } from './error-responses.ts'

export interface AdminEndpointsOptions {
  table: RouteTable
  /** May the peer of this connection ask the router itself? */
  isNeighbour(address: string): boolean
  isDraining(): boolean
  figures(): Record<string, number | boolean>
}

const forwarding = ['x-forwarded-for', 'x-forwarded-host', 'forwarded', 'via'] as const

/**
 * The router's own two addresses, under its own names only (`localhost`, an IP address), which no deployment can have:
 * - `/ask?domain=…` tells an edge proxy whether it may get a certificate for a name: 200 for the name of a deployment,
 *   404 for any other. It is answered from memory, so that strangers who try names cost nothing, and while the
 *   database is away too.
 * - `/health` tells how the router does: 503 before it knows its routes, and once it is about to stop.
 * Only neighbours get an answer: this machine and trusted proxies, and not on behalf of somebody else.
 */
export function answerAdminEndpoint(
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
  { table, isNeighbour, isDraining, figures }: AdminEndpointsOptions,
) {
  const is_neighbour = isNeighbour(req.socket.remoteAddress ?? '') && forwarding.every((name) => !(name in req.headers))
  if (!is_neighbour || (req.method !== 'GET' && req.method !== 'HEAD')) return refuse(req, res, refusals.unknown_host)
  // Not by `new URL`: it takes what follows two slashes for a host, and throws where that is none.
  const [pathname = '', query = ''] = path.split('?', 2)
  if (pathname === '/health') {
    const is_ready = table.loadedAt() > 0 && !isDraining()
    return say(res, is_ready ? 200 : 503, { routes: table.size(), ...figures() })
  }
  if (pathname !== '/ask') return refuse(req, res, refusals.unknown_host)
  const name = hostName(new URLSearchParams(query).get('domain') ?? '')
  if (table.loadedAt() === 0) return refuse(req, res, refusals.unready)
  if (name === undefined || !table.find(name)) return refuse(req, res, refusals.unknown_host)
  return say(res, 200, { domain: name })
}

function say(res: ServerResponse, status: number, value: Record<string, unknown>) {
  const body = `${JSON.stringify(value)}\n`
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  })
  res.end(body)
}

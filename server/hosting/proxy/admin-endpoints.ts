import type { IncomingMessage } from 'node:http'
import { probeResponse } from '../../http/probes.ts'
import { parseHost } from '../../platform/hosts.ts'
import type { Readiness } from '../../platform/readiness.ts'
import type { RouteTable } from './route-table.ts'
import { error_responses, sendError } from './error-responses.ts'
import type { VisitorResponse } from './visitor-response.ts'

export interface AdminEndpointsOptions {
  table: RouteTable
  /** True for peers that may call the admin endpoints. */
  isAllowedPeer(address: string): boolean
  isDraining(): boolean
  readiness: Readiness
  metrics(): Record<string, number | boolean>
}

const forwarding_headers = ['x-forwarded-for', 'x-forwarded-host', 'forwarded', 'via'] as const

/**
 * The router's endpoints. They exist only under its own hostnames (an IP address, a name without a dot), which no
 * deployment can have:
 * - `/ask?domain=…` is for an edge proxy that issues certificates on demand: 200 for the hostname of a deployment, 404
 *   for any other. It is answered from memory: requests for unknown names cause no query, and it works without the
 *   database.
 * - `/health` returns metrics. It is 503 before the routes are loaded and while the router drains.
 * - `/livez` and `/readyz` are probes for load balancers in front of several routers (D-93).
 * Only loopback and trusted proxies get an answer, and only to requests that they do not forward.
 */
export async function answerAdminEndpoint(
  req: IncomingMessage,
  res: VisitorResponse,
  path: string,
  { table, isAllowedPeer, isDraining, readiness, metrics }: AdminEndpointsOptions,
) {
  const is_allowed =
    isAllowedPeer(req.socket.remoteAddress ?? '') && forwarding_headers.every((name) => !(name in req.headers))
  if (!is_allowed || (req.method !== 'GET' && req.method !== 'HEAD'))
    return sendError(req, res, error_responses.unknown_host)
  // `new URL` would parse the text after two slashes as a host, and throw if it is invalid.
  const [pathname = '', query = ''] = path.split('?', 2)
  if (pathname === '/health') {
    const is_ready = table.loadedAt() > 0 && !isDraining()
    return sendJson(res, is_ready ? 200 : 503, { routes: table.size(), ...metrics() })
  }
  const probe = await probeResponse(pathname, readiness)
  if (probe) return sendJson(res, probe.status, probe.body)
  if (pathname !== '/ask') return sendError(req, res, error_responses.unknown_host)
  const name = parseHost(new URLSearchParams(query).get('domain') ?? '')
  if (table.loadedAt() === 0) return sendError(req, res, error_responses.not_ready)
  if (name === undefined || !table.find(name)) return sendError(req, res, error_responses.unknown_host)
  return sendJson(res, 200, { domain: name })
}

function sendJson(res: VisitorResponse, status: number, value: Record<string, unknown>) {
  const body = `${JSON.stringify(value)}\n`
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  })
  res.end(body)
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { readyzBody, type Readiness } from '../platform/readiness.ts'

/** The response to a probe at `/livez` or `/readyz` (D-93); undefined for other paths. */
export async function probeResponse(pathname: string, readiness: Readiness) {
  if (pathname === '/livez') return { status: 200, body: { status: 'ok' } }
  if (pathname !== '/readyz') return undefined
  const report = await readiness.report()
  return { status: report.is_ready ? 200 : 503, body: readyzBody(report) }
}

/** A server that only answers probes, for processes without other endpoints. It does not listen yet. */
export const createProbeServer = (readiness: Readiness): Server =>
  createServer((request, response) => {
    respond(request, response, readiness).catch(() => response.destroy())
  })

async function respond({ method, url = '' }: IncomingMessage, response: ServerResponse, readiness: Readiness) {
  const is_read = method === 'GET' || method === 'HEAD'
  const probe = is_read ? await probeResponse(url.split('?', 1)[0] ?? '', readiness) : undefined
  const { status, body } = probe ?? { status: 404, body: { errors: { detail: 'Not Found' } } }
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
  response.end(`${JSON.stringify(body)}\n`)
}

import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { html } from '../../http/html.ts'
import { countRouterAnswer } from '../metrics.ts'

/** A response of the router itself, in place of a container's. */
export interface ErrorResponse {
  status: number
  code: string
  message: string
  retry_after_seconds?: number
}

export const error_responses = {
  unknown_host: { status: 404, code: 'unknown_host', message: 'There is no site at this address.' },
  stopped: { status: 503, code: 'stopped', message: 'This site is switched off.', retry_after_seconds: 300 },
  suspended: { status: 503, code: 'suspended', message: 'This site is suspended.', retry_after_seconds: 3_600 },
  failed: { status: 503, code: 'not_running', message: 'This site could not be started.', retry_after_seconds: 60 },
  starting: { status: 503, code: 'starting', message: 'This site is just starting.', retry_after_seconds: 5 },
  too_many_connections: {
    status: 503,
    code: 'busy',
    message: 'This site has too many visitors at once.',
    retry_after_seconds: 1,
  },
  restarting: { status: 503, code: 'restarting', message: 'This server is restarting.', retry_after_seconds: 5 },
  not_ready: { status: 503, code: 'unready', message: 'This server has just started.', retry_after_seconds: 2 },
  bad_gateway: { status: 502, code: 'no_answer', message: 'This site did not answer.' },
  gateway_timeout: { status: 504, code: 'late_answer', message: 'This site took too long to answer.' },
} as const satisfies Record<string, ErrorResponse>

export const badRequest = (message: string): ErrorResponse => ({ status: 400, code: 'bad_request', message })

/** Headers and body: an HTML page if the client accepts HTML, else JSON. No cookie, not cacheable. */
function render({ status, code, message, retry_after_seconds }: ErrorResponse, accept = '') {
  const wants_html = /\btext\/html\b/.test(accept)
  const body = wants_html ? errorPage(status, message) : `${JSON.stringify({ error: code, message })}\n`
  const headers: Record<string, string> = {
    'content-type': wants_html ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(retry_after_seconds !== undefined && { 'retry-after': String(retry_after_seconds) }),
  }
  return { headers, body }
}

const errorPage = (status: number, message: string) =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${message}</title>
      </head>
      <body>
        <h1>${message}</h1>
        <p>${status} ${STATUS_CODES[status]}</p>
      </body>
    </html>`.text

const own_answers = new WeakSet<ServerResponse>()

/** Whether this response is one of the router itself. */
export const isOwnAnswer = (res: ServerResponse) => own_answers.has(res)

/** Sends an error response. `close` closes the connection after it. */
export function sendError(req: IncomingMessage, res: ServerResponse, refusal: ErrorResponse, { close = false } = {}) {
  if (res.headersSent || res.destroyed) return
  own_answers.add(res)
  const { headers, body } = render(refusal, req.headers.accept)
  // The rest of an unread body is not awaited.
  if (close || !req.complete) res.setHeader('connection', 'close')
  res.writeHead(refusal.status, STATUS_CODES[refusal.status], headers).end(req.method === 'HEAD' ? undefined : body)
}

/** Sends an error response to an upgrade request and closes the connection. */
export function sendUpgradeError(req: IncomingMessage, socket: Duplex, refusal: ErrorResponse) {
  if (!socket.writable) return
  countRouterAnswer(refusal.status, 'router')
  const { headers, body } = render(refusal, req.headers.accept)
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`)
  const text = `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n${body}`
  // The socket is not read any more, so a close by the client would not be noticed.
  socket.end(text, () => socket.destroy())
}

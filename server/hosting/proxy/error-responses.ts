import { STATUS_CODES, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { countRouterAnswer } from '../metrics.ts'
import { errorPage, page_security_policy, type ErrorPage } from './error-page.ts'
import type { VisitorResponse } from './visitor-response.ts'

/** A response of the router itself instead of a container's. */
export interface ErrorResponse extends ErrorPage {
  code: string
  retry_after_seconds?: number
  /** The page reloads after this time, because the cause is temporary. */
  reload_seconds?: number
}

const later = 'Please come back later.'

export const error_responses = {
  unknown_host: {
    status: 404,
    code: 'unknown_host',
    message: 'There is no site at this address.',
    advice: 'Check the spelling of the address. The site may have moved or been removed.',
  },
  stopped: {
    status: 503,
    code: 'stopped',
    message: 'This site is switched off.',
    advice: `Its owner can switch it on again. ${later}`,
    retry_after_seconds: 300,
  },
  suspended: {
    status: 503,
    code: 'suspended',
    message: 'This site is suspended.',
    advice: `Its owner can find out why, and what to do about it. ${later}`,
    retry_after_seconds: 3_600,
  },
  failed: {
    status: 503,
    code: 'not_running',
    message: 'This site could not be started.',
    advice: `Its owner can find out why. ${later}`,
    retry_after_seconds: 60,
  },
  starting: {
    status: 503,
    code: 'starting',
    message: 'This site is just starting.',
    advice: 'It usually takes a few seconds. This page looks again by itself.',
    retry_after_seconds: 5,
    reload_seconds: 5,
  },
  too_many_connections: {
    status: 503,
    code: 'busy',
    message: 'This site has too many visitors at once.',
    advice: 'Please try again in a moment.',
    retry_after_seconds: 1,
  },
  restarting: {
    status: 503,
    code: 'restarting',
    message: 'This server is restarting.',
    advice: 'It usually takes a few seconds. This page looks again by itself.',
    retry_after_seconds: 5,
    reload_seconds: 5,
  },
  not_ready: {
    status: 503,
    code: 'unready',
    message: 'This server has just started.',
    advice: 'It usually takes a few seconds. This page looks again by itself.',
    retry_after_seconds: 2,
    reload_seconds: 2,
  },
  bad_gateway: {
    status: 502,
    code: 'no_answer',
    message: 'This site did not answer.',
    advice: 'Please try again in a moment. If it stays like this, its owner should look after it.',
  },
  gateway_timeout: {
    status: 504,
    code: 'late_answer',
    message: 'This site took too long to answer.',
    advice: 'Please try again in a moment. Your request may have arrived nevertheless.',
  },
} as const satisfies Record<string, ErrorResponse>

export const badRequest = (message: string): ErrorResponse => ({
  status: 400,
  code: 'bad_request',
  message,
  advice: 'Your program sent a request that this server cannot read. Another browser may help.',
})

/** Headers and body: an HTML page if the client prefers HTML, else JSON. No cookie, not cacheable. */
function render(refusal: ErrorResponse, { method, headers: { accept = '' } }: IncomingMessage) {
  const { code, message, retry_after_seconds, reload_seconds } = refusal
  const wants_html = prefersHtml(accept)
  const body = wants_html ? errorPage(refusal) : `${JSON.stringify({ error: code, message })}\n`
  const headers: Record<string, string> = {
    'content-type': wants_html ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'content-security-policy': wants_html ? page_security_policy : "default-src 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(retry_after_seconds !== undefined && { 'retry-after': String(retry_after_seconds) }),
    // A reload is a GET, so it would lose the body of another method.
    ...(wants_html && method === 'GET' && reload_seconds !== undefined && { refresh: String(reload_seconds) }),
  }
  return { headers, body }
}

/** True if the client names HTML with at least the weight of JSON (RFC 9110 12.5.1). A wildcard alone does not select a page. */
function prefersHtml(accept: string) {
  const html_weight = weightOf('text/html', accept)
  return html_weight > 0 && html_weight >= weightOf('application/json', accept)
}

/** The weight of a media type that an Accept header names; 0 if it is not named. */
function weightOf(type: string, accept: string) {
  for (const range of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim())
    if (name !== type) continue
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0
  }
  return 0
}

/** Sends an error response. `close` closes the connection after it. */
export function sendError(req: IncomingMessage, res: VisitorResponse, refusal: ErrorResponse, { close = false } = {}) {
  if (res.headersSent || res.destroyed) return
  res.is_own = true
  const { headers, body } = render(refusal, req)
  // The rest of an unread body is not awaited.
  if (close || !req.complete) res.setHeader('connection', 'close')
  res.writeHead(refusal.status, STATUS_CODES[refusal.status], headers).end(req.method === 'HEAD' ? undefined : body)
}

/** Sends an error response to an upgrade request and closes the connection. */
export function sendUpgradeError(req: IncomingMessage, socket: Duplex, refusal: ErrorResponse) {
  if (!socket.writable) return
  countRouterAnswer(refusal.status, 'router')
  const { headers, body } = render(refusal, req)
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`)
  const text = `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n${body}`
  // The socket is no longer read, so a close by the client would not be noticed.
  socket.end(text, () => socket.destroy())
}

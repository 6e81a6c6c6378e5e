import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { html } from '../../http/html.ts'

/** An answer of the router itself, in place of a container's. */
export interface Refusal {
  status: number
  code: string
  message: string
  retry_after_seconds?: number
}

export const refusals = {
  unknown_host: { status: 404, code: 'unknown_host', message: 'There is no site at this address.' },
  stopped: { status: 503, code: 'stopped', message: 'This site is switched off.', retry_after_seconds: 300 },
  suspended: { status: 503, code: 'suspended', message: 'This site is suspended.', retry_after_seconds: 3_600 },
  failed: { status: 503, code: 'not_running', message: 'This site could not be started.', retry_after_seconds: 60 },
  starting: { status: 503, code: 'starting', message: 'This site is just starting.', retry_after_seconds: 5 },
  busy: { status: 503, code: 'busy', message: 'This site has too many visitors at once.', retry_after_seconds: 1 },
  leaving: { status: 503, code: 'restarting', message: 'This server is restarting.', retry_after_seconds: 5 },
  unready: { status: 503, code: 'unready', message: 'This server has just started.', retry_after_seconds: 2 },
  no_answer: { status: 502, code: 'no_answer', message: 'This site did not answer.' },
  late_answer: { status: 504, code: 'late_answer', message: 'This site took too long to answer.' },
} as const satisfies Record<string, Refusal>

export const badRequest = (message: string): Refusal => ({ status: 400, code: 'bad_request', message })

/** Headers and body: a small page for who asks for HTML, else JSON. Never a cookie, and nothing is kept. */
function render({ status, code, message, retry_after_seconds }: Refusal, accept = '') {
  const wants_html = /\btext\/html\b/.test(accept)
  const body = wants_html ? pageOf(status, message) : `${JSON.stringify({ error: code, message })}\n`
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

const pageOf = (status: number, message: string) =>
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

/** Answers a request that goes no further. `close` ends the connection with it. */
export function refuse(req: IncomingMessage, res: ServerResponse, refusal: Refusal, { close = false } = {}) {
  if (res.headersSent || res.destroyed) return
  const { headers, body } = render(refusal, req.headers.accept)
  // What is left of a body that nobody will read is not waited for.
  if (close || !req.complete) res.setHeader('connection', 'close')
  res.writeHead(refusal.status, STATUS_CODES[refusal.status], headers).end(req.method === 'HEAD' ? undefined : body)
}

/** The same where a connection was to become something else than HTTP; it is closed. */
export function refuseUpgrade(req: IncomingMessage, socket: Duplex, refusal: Refusal) {
  if (!socket.writable) return
  const { headers, body } = render(refusal, req.headers.accept)
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`)
  const text = `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n${body}`
  // Nobody reads from it, and would see that the client closes it too.
  socket.end(text, () => socket.destroy())
}

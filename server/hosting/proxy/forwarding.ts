import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '../../platform/log.ts'
import type { Heading, Target } from './routing.rules.ts'
import { refusals, refuse } from './error-responses.ts'
import { idle_connection_ms, whileOpen } from './connections.ts'
import { dropHopByHop, setForwardedHeaders, wantsClose } from './headers.ts'
import { UpstreamTimeout, proxyRequest } from './proxy-request.ts'
import { ConnectFailure, type Upstreams } from './upstreams.ts'
import { isTarget, type TargetResolver } from './target-resolver.ts'

export interface ForwardingOptions {
  log: Logger
  resolver: TargetResolver
  upstreams: Upstreams
  answer_ms: number
  isTrusted(address: string): boolean
  isDraining(): boolean
}

/** Where a request goes. */
export interface Destination {
  heading: Heading
  first: Target
}

export type Forward = ReturnType<typeof openForwarding>

/** A client that stops sending in the middle of a body is waited for this long. */
const body_idle_ms = 60_000

/** What changes nothing may be sent twice, unless there is a body of which a part is gone already. */
const safe_methods = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])
const lost_codes = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED'])

export const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** The line for a request that could not be passed on: where to, and why; of the address no query. */
export function logFailure(log: Logger, req: IncomingMessage, { name, path }: Heading, target: Target, error: Error) {
  const { deployment_id, generation } = target
  const [path_only = ''] = path.split('?', 1)
  const { code = error.name } = error as NodeJS.ErrnoException
  log.warn(
    { deployment_id, generation, host: name, method: req.method, path: path_only.slice(0, 200), why: code },
    'a request could not be passed on to a container',
  )
}

/** Passes requests on to containers, and their answers back, as streams. */
export function openForwarding({ log, resolver, upstreams, answer_ms, isTrusted, isDraining }: ForwardingOptions) {
  const pass = (req: IncomingMessage, res: ServerResponse, { target, fresh, last, has_body }: Try) =>
    proxyRequest(req, res, {
      agent: upstreams.agentOf(target, { fresh }),
      has_body,
      connection: () => (last || isDraining() ? 'close' : 'keep-alive'),
      answer_ms,
    })

  /**
   * Passes a request on. A target that cannot be connected to is asked for again and tried once more; so is one that
   * drops a request that may be sent twice. After that the client gets 502, or 504 when no answer came in time.
   */
  return async function passOn(req: IncomingMessage, res: ServerResponse, { heading, first }: Destination) {
    const has_body = hasBody(req)
    const repeatable = !has_body && safe_methods.has(req.method ?? '')
    // Clients of HTTP/1.0 keep no connection.
    const last = wantsClose(req.headers) || req.httpVersion === '1.0' || !res.shouldKeepAlive
    prepare(req, res, heading, { has_body, isTrusted })
    let target = first
    let failure = await pass(req, res, { target, fresh: !repeatable, last, has_body })
    if (failure && mayRepeat(failure, repeatable) && !res.headersSent && !res.destroyed) {
      const found = await whileOpen(res, (gone) => resolver.resolveAgain(heading.name, target, gone))
      if (!isTarget(found)) return refuse(req, res, found)
      target = found
      failure = await pass(req, res, { target, fresh: true, last, has_body })
    }
    if (!failure || res.destroyed) return
    logFailure(log, req, heading, target, failure)
    if (res.headersSent) res.destroy()
    else refuse(req, res, failure instanceof UpstreamTimeout ? refusals.late_answer : refusals.no_answer)
  }
}

interface Try {
  target: Target
  fresh: boolean
  /** The client wants no further answer on this connection. */
  last: boolean
  has_body: boolean
}

const mayRepeat = (failure: NodeJS.ErrnoException, repeatable: boolean) =>
  failure instanceof ConnectFailure || (repeatable && lost_codes.has(failure.code ?? ''))

/** Makes a request of the client one of ours. */
function prepare(
  req: IncomingMessage,
  res: ServerResponse,
  { host, path }: Heading,
  { has_body, isTrusted }: { has_body: boolean; isTrusted: (address: string) => boolean },
) {
  req.url = path
  dropHopByHop(req.headers)
  // It was answered when the request came in.
  delete req.headers.expect
  setForwardedHeaders(req.headers, { peer: req.socket.remoteAddress, host, isTrusted })
  if (has_body) {
    req.socket.setTimeout(body_idle_ms)
    // An answer may have been sent before: then the connection waits for the next request already.
    req.once('end', () => req.socket.setTimeout(res.writableFinished ? idle_connection_ms : 0))
  }
}

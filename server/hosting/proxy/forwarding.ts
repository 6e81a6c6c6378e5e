import type { IncomingMessage } from 'node:http'
import type { Logger } from '../../platform/log.ts'
import { traceOf } from '../../platform/trace-context.ts'
import { isSameAddress, type RequestUri, type Target } from './routing.rules.ts'
import { error_responses, sendError } from './error-responses.ts'
import { keep_alive_timeout_ms } from '../../platform/keep-alive.ts'
import { withCloseSignal } from './connections.ts'
import { requestHeaders, wantsClose, type HeaderList } from './headers.ts'
import { UpstreamGone, UpstreamTimeout, proxyRequest } from './proxy-request.ts'
import { ConnectFailure, isWithoutAnswer } from './upstream-connections.ts'
import type { Upstreams } from './upstreams.ts'
import { isTarget, type TargetResolver } from './target-resolver.ts'
import type { VisitorResponse } from './visitor-response.ts'

export interface ForwarderOptions {
  log: Logger
  resolver: TargetResolver
  upstreams: Upstreams
  response_timeout_ms: number
  /** After each such time without a response, the router checks that the container is still reachable. */
  silence_ms: number
  isTrusted(address: string): boolean
  isDraining(): boolean
}

export interface RoutedRequest {
  uri: RequestUri
  target: Target
}

export type Forward = ReturnType<typeof openForwarder>

/** Timeouts of a body if the client stops sending, or the container stops reading, before its end. */
const body_timeouts = { client_ms: 60_000, container_ms: 600_000 }

const retries_max = 2

/** Safe methods (RFC 9110 9.2.1) may be sent twice, unless part of a body was sent already. */
const safe_methods = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])
/** Methods without an expected body. Requests with other methods state a length even if it is 0 (RFC 9110 8.6). */
const bodyless_methods = new Set([...safe_methods, 'DELETE'])

const connection_lost_codes = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED'])

export const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** The log fields that identify a request in other logs: its id, and the trace that its client names. */
export const requestFields = ({ headers }: IncomingMessage) => ({
  request_id: headers['x-request-id'],
  ...traceOf(headers),
})

/** Logs a request that could not be forwarded, with its target and the error code. The path is logged without its query. */
export function logFailure(
  log: Logger,
  req: IncomingMessage,
  { hostname, path }: RequestUri,
  target: Target,
  error: Error,
) {
  const { deployment_id, generation } = target
  const [path_only = ''] = path.split('?', 1)
  const { code = error.name } = error as NodeJS.ErrnoException
  const path_shown = path_only.slice(0, 200)
  log.warn(
    {
      ...requestFields(req),
      deployment_id,
      generation,
      host: hostname,
      method: req.method,
      path: path_shown,
      why: code,
    },
    'a request could not be forwarded to a container',
  )
}

/** Forwards requests to containers, and their responses back, as streams. */
export function openForwarder(parts: ForwarderOptions) {
  const { log, resolver, upstreams, response_timeout_ms, silence_ms, isTrusted, isDraining } = parts
  async function attempt(req: IncomingMessage, res: VisitorResponse, options: Attempt) {
    const { target, close, path, headers, has_body } = options
    const upstream = upstreams.upstreamOf(target)
    upstream.open++
    const failure = await proxyRequest(req, res, {
      agent: upstream.agent(options),
      path,
      headers,
      has_body,
      silence_ms,
      isGone: () => isGone(options),
      connection: () => (close || isDraining() ? 'close' : 'keep-alive'),
      response_timeout_ms,
    })
    upstream.open--
    if (!failure) upstream.failed_at = 0
    return failure
  }

  /** A repeatable request does not wait for a silent target. Other requests wait while the host of the target answers. */
  async function isGone({ target, repeatable_at }: Attempt) {
    const reach = await upstreams.reachOf(target)
    const may_go_elsewhere = repeatable_at !== undefined && resolver.hasOther(repeatable_at, target)
    return reach === 'gone' || (reach === 'silent' && may_go_elsewhere)
  }

  /**
   * Forwards a request. If the connection fails, or a repeatable request loses it or finds its target gone, the request
   * is sent to another replica or to the current target of the route. It is repeated a few times, but not if nothing
   * answered at the address. Then the client gets 502, or 504 after a response timeout.
   */
  return async function forward(req: IncomingMessage, res: VisitorResponse, { uri, target: first }: RoutedRequest) {
    const has_body = hasBody(req)
    const is_repeatable = !has_body && safe_methods.has(req.method ?? '')
    // HTTP/1.0 has no persistent connections.
    const close = wantsClose(req.headers) || req.httpVersion === '1.0' || !res.shouldKeepAlive
    const { host, path } = uri
    const headers = requestHeaders(req.headers, { peer: req.socket.remoteAddress, host, isTrusted })
    if (has_body) limitPauses(req, res)
    else if (!bodyless_methods.has(req.method ?? '') && req.headers['content-length'] === undefined)
      headers.push('content-length', '0')
    const how = { close, path, headers, has_body, repeatable_at: is_repeatable ? uri.hostname : undefined }
    let target = first
    let failure = await attempt(req, res, { ...how, target, new_connection: !is_repeatable })
    for (let retries = 0; retries < retries_max && mayRetry(failure, is_repeatable, res); retries++) {
      const found = await withCloseSignal(res, (signal) => resolver.resolveAfterFailure(uri.hostname, target, signal))
      if (!isTarget(found)) return sendError(req, res, found)
      if ((isWithoutAnswer(failure) || failure instanceof UpstreamGone) && isSameAddress(found, target)) break
      target = found
      failure = await attempt(req, res, { ...how, target, new_connection: true })
    }
    if (!failure || res.destroyed) return
    logFailure(log, req, uri, target, failure)
    if (res.headersSent) res.destroy()
    else
      sendError(
        req,
        res,
        failure instanceof UpstreamTimeout ? error_responses.gateway_timeout : error_responses.bad_gateway,
      )
  }
}

interface Attempt {
  target: Target
  new_connection: boolean
  /** True if the client closes the connection after this response. */
  close: boolean
  path: string
  headers: HeaderList
  has_body: boolean
  /** The hostname of a request that may be sent twice. */
  repeatable_at: string | undefined
}

const mayRetry = (failure: NodeJS.ErrnoException | undefined, repeatable: boolean, res: VisitorResponse) =>
  failure !== undefined &&
  !res.headersSent &&
  !res.destroyed &&
  (failure instanceof ConnectFailure || (repeatable && connection_lost_codes.has(failure.code ?? '')))

/**
 * Closes the connection of a client that stops sending before the end of a body. While the container reads slowly, the
 * client is not read and its silence has no meaning; then a long timeout applies.
 */
export function limitPauses(req: IncomingMessage, res: VisitorResponse, { client_ms, container_ms } = body_timeouts) {
  const { socket } = req
  const awaitClient = () => socket.setTimeout(client_ms)
  const awaitContainer = () => socket.setTimeout(container_ms)
  // Nothing is read before the container is connected.
  awaitContainer()
  req.on('resume', awaitClient).on('pause', awaitContainer)
  req.once('end', () => {
    req.off('resume', awaitClient).off('pause', awaitContainer)
    // If the response is already complete, the connection is idle.
    socket.setTimeout(res.writableFinished ? keep_alive_timeout_ms : 0)
  })
}

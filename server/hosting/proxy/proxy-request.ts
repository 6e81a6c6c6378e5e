import { request, STATUS_CODES, type IncomingMessage } from 'node:http'
import { responseHeaders, type HeaderList } from './headers.ts'
import type { TargetAgent } from './upstream-connections.ts'
import type { VisitorResponse } from './visitor-response.ts'

/** The container sent no response headers within the response timeout. */
export class UpstreamTimeout extends Error {
  readonly code = 'late_answer'
}

/** The container is no longer reachable, as after the loss of its host, and will not respond. */
export class UpstreamGone extends Error {
  readonly code = 'ECONNRESET'
}

export interface ProxyRequestOptions {
  agent: TargetAgent
  path: string
  /** The headers that the container gets. */
  headers: HeaderList
  has_body: boolean
  /** True if waiting is pointless. Called after each `silence_ms` until the response arrives. */
  isGone(): Promise<boolean>
  silence_ms: number
  /** The Connection header of the response to the client. */
  connection(): 'close' | 'keep-alive'
  response_timeout_ms: number
}

/**
 * One attempt to forward a request. Streams the container's response to the client with backpressure. Resolves with the
 * error if the container failed, or with undefined once the response is complete or the client has disconnected.
 */
export function proxyRequest(req: IncomingMessage, res: VisitorResponse, options: ProxyRequestOptions) {
  return new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    if (res.destroyed) return resolve(undefined)
    const { agent, path, headers, has_body, connection, response_timeout_ms } = options
    const outgoing = request({ agent, method: req.method, path, headers })

    function end(error?: Error) {
      stopTimer()
      res.off('close', onClose)
      if (has_body) req.unpipe(outgoing)
      if (!outgoing.writableFinished || !res.writableFinished) outgoing.destroy()
      resolve(error)
    }
    const onClose = () => {
      end()
      // The rest of the body is read and dropped, so that the client can read the response.
      if (has_body) req.resume()
    }
    const stopTimer = startResponseTimer(req, options, (why) => {
      const error = why === 'gone' ? new UpstreamGone('the container is not reachable any more') : undefined
      outgoing.destroy(error ?? new UpstreamTimeout(`no response in ${response_timeout_ms} ms`))
    })

    res.on('close', onClose)
    outgoing.on('error', end)
    outgoing.on('response', (response) => {
      stopTimer()
      res.answered_at = performance.now()
      agent.noteAnnouncedTimeout(response)
      response.on('error', end)
      sendResponse(response, res, connection(), end)
    })
    // The body is not read before the connection is established, so that a retry can send it in full.
    if (has_body) outgoing.once('socket', () => req.pipe(outgoing))
    else outgoing.end()
  })
}

const reason_phrase = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * Streams a container's response to the client. The headers are sent with the first bytes of the body, so that a body
 * that is broken from the start can be answered with an error. The container is read no faster than the client reads.
 */
function sendResponse(
  response: IncomingMessage,
  res: VisitorResponse,
  connection: 'close' | 'keep-alive',
  fail: (error: Error) => void,
) {
  const { statusCode = 502, statusMessage = '', headers } = response
  function hasBegun() {
    if (res.headersSent) return true
    const reason = reason_phrase.test(statusMessage) ? statusMessage : STATUS_CODES[statusCode]
    try {
      res.writeHead(statusCode, reason, responseHeaders(headers, connection))
      return true
    } catch (error) {
      fail(error as Error)
      return false
    }
  }
  response.on('data', (chunk) => {
    if (!hasBegun()) return
    // The rest of a complete response is sent together with its end.
    if (response.complete && response.readableLength === 0) res.end(chunk)
    else if (!res.write(chunk)) {
      response.pause()
      res.once('drain', () => response.resume())
    }
  })
  response.on('end', () => {
    if (hasBegun()) res.end()
  })
}

/**
 * Calls `onEnd` when the response timeout, which starts at the end of the request's body, has expired or the container
 * is gone. Returns a function that stops the timer.
 */
function startResponseTimer(
  req: IncomingMessage,
  { has_body, response_timeout_ms, silence_ms, isGone }: ProxyRequestOptions,
  onEnd: (why: 'late' | 'gone') => void,
) {
  let timer: NodeJS.Timeout | undefined
  let late_at = Infinity
  let is_stopped = false
  const wait = () => {
    clearTimeout(timer)
    const left_ms = Math.max(0, late_at - performance.now())
    timer = setTimeout(() => (left_ms > silence_ms ? void ask() : onEnd('late')), Math.min(left_ms, silence_ms))
  }
  async function ask() {
    const is_gone = await isGone()
    if (is_stopped) return
    if (is_gone) onEnd('gone')
    else wait()
  }
  const start = () => {
    late_at = performance.now() + response_timeout_ms
    wait()
  }
  if (req.readableEnded || !has_body) start()
  else {
    wait()
    req.once('end', start)
  }
  return () => {
    is_stopped = true
    req.off('end', start)
    clearTimeout(timer)
  }
}

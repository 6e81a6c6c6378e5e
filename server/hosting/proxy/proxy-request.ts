import { request, STATUS_CODES, type Agent, type IncomingMessage, type ServerResponse } from 'node:http'
import { removeHopByHop } from './headers.ts'
import { noteAnswered } from './request-counts.ts'

/** The container sent no response headers within the response timeout. */
export class UpstreamTimeout extends Error {
  readonly code = 'late_answer'
}

export interface ProxyRequestOptions {
  agent: Agent
  has_body: boolean
  /** The Connection header of the response to the client. */
  connection(): 'close' | 'keep-alive'
  response_timeout_ms: number
}

const reason_phrase = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * One attempt to forward a request. Streams the container's response to the client, with backpressure. Resolves with the
 * error if the container failed, with undefined once the response is complete or the client disconnected.
 */
export function proxyRequest(req: IncomingMessage, res: ServerResponse, options: ProxyRequestOptions) {
  return new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    if (res.destroyed) return resolve(undefined)
    const { agent, has_body, connection, response_timeout_ms } = options
    const { method, url: path, headers } = req
    const outgoing = request({ agent, method, path, headers })

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
    const stopTimer = startResponseTimer(req, options, () =>
      outgoing.destroy(new UpstreamTimeout(`no response in ${response_timeout_ms} ms`)),
    )

    res.once('close', onClose)
    outgoing.on('error', end)
    outgoing.on('response', (response) => {
      stopTimer()
      noteAnswered(res)
      response.on('error', end)
      removeHopByHop(response.headers)
      delete response.headers['transfer-encoding']
      response.headers.connection = connection()
      const { statusCode = 502, statusMessage = '' } = response
      try {
        res.writeHead(
          statusCode,
          reason_phrase.test(statusMessage) ? statusMessage : STATUS_CODES[statusCode],
          response.headers,
        )
      } catch (error) {
        return end(error as Error)
      }
      response.pipe(res)
    })
    // The body is not read before the connection is established, so that a retry can send all of it.
    if (has_body) outgoing.once('socket', () => req.pipe(outgoing))
    else outgoing.end()
  })
}

/** Calls `onTimeout` if the timer expires; it starts at the end of the request's body. Returns a function that stops it. */
function startResponseTimer(
  req: IncomingMessage,
  { has_body, response_timeout_ms }: ProxyRequestOptions,
  onTimeout: () => void,
) {
  let timer: NodeJS.Timeout | undefined
  const start = () => {
    timer = setTimeout(onTimeout, response_timeout_ms)
  }
  if (req.readableEnded || !has_body) start()
  else req.once('end', start)
  return () => {
    req.off('end', start)
    clearTimeout(timer)
  }
}

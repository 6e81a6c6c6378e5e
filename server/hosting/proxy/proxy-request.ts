import { request, STATUS_CODES, type Agent, type IncomingMessage, type ServerResponse } from 'node:http'
import { dropHopByHop } from './headers.ts'

/** No answer began in the time for it. */
export class UpstreamTimeout extends Error {
  readonly code = 'late_answer'
}

export interface ProxyRequestOptions {
  agent: Agent
  has_body: boolean
  /** What the client is told of its own connection. */
  connection(): 'close' | 'keep-alive'
  answer_ms: number
}

const plain_words = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * One try to pass a request on: gives the container's answer to the client as it comes, no faster than that takes it.
 * Resolves with the error when the container failed, with none when the client has it all, or left.
 */
export function proxyRequest(req: IncomingMessage, res: ServerResponse, options: ProxyRequestOptions) {
  return new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    if (res.destroyed) return resolve(undefined)
    const { agent, has_body, connection, answer_ms } = options
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
      // What the container did not want of a body is read to its end, so that the client gets to see the answer.
      if (has_body) req.resume()
    }
    const stopTimer = failWhenLate(req, options, () =>
      outgoing.destroy(new UpstreamTimeout(`no answer in ${answer_ms} ms`)),
    )

    res.once('close', onClose)
    outgoing.on('error', end)
    outgoing.on('response', (answer) => {
      stopTimer()
      answer.on('error', end)
      dropHopByHop(answer.headers)
      delete answer.headers['transfer-encoding']
      answer.headers.connection = connection()
      const { statusCode = 502, statusMessage = '' } = answer
      try {
        res.writeHead(
          statusCode,
          plain_words.test(statusMessage) ? statusMessage : STATUS_CODES[statusCode],
          answer.headers,
        )
      } catch (error) {
        return end(error as Error)
      }
      answer.pipe(res)
    })
    // Not read from before the connection stands: it can still go elsewhere.
    if (has_body) outgoing.once('socket', () => req.pipe(outgoing))
    else outgoing.end()
  })
}

/** Calls `late` when the time for an answer has passed since the request had come in whole; answers what ends the watch. */
function failWhenLate(req: IncomingMessage, { has_body, answer_ms }: ProxyRequestOptions, late: () => void) {
  let timer: NodeJS.Timeout | undefined
  const start = () => {
    timer = setTimeout(late, answer_ms)
  }
  if (req.readableEnded || !has_body) start()
  else req.once('end', start)
  return () => {
    req.off('end', start)
    clearTimeout(timer)
  }
}

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { dropHopByHop } from './headers.ts'
import type { Taker } from './upstream.ts'

type Controller = Dispatcher.DispatchController

/** No answer began in the time for it. */
export class LateAnswer extends Error {
  readonly code = 'late_answer'
}

const left = new Error('the client left')

/**
 * One try to pass a request on: gives the container's answer to the client as it comes, no faster than that takes it.
 * `ended` is called once: with an error when the container failed, without one when the client has it all, or left.
 */
export class Passage implements Taker {
  seated: (() => void) | undefined

  private controller: Controller | undefined
  private failure: Error | undefined
  private over = false

  private readonly res: ServerResponse
  private readonly connection: () => 'close' | 'keep-alive'
  private readonly ended: (error?: Error) => void

  constructor(res: ServerResponse, connection: () => 'close' | 'keep-alive', ended: (error?: Error) => void) {
    this.res = res
    this.connection = connection
    this.ended = ended
    res.once('close', this.onClose)
  }

  /** Gives it up, unless an answer has begun. */
  giveUp(error: Error) {
    if (this.res.headersSent) return
    this.failure = error
    this.controller?.abort(error)
  }

  onRequestStart(controller: Controller) {
    this.seated?.()
    this.controller = controller
    const failure = this.failure ?? (this.over ? left : undefined)
    if (failure) controller.abort(failure)
  }

  onResponseStart(_controller: Controller, status: number, headers: IncomingHttpHeaders, message?: string) {
    // What comes before an answer is between neighbours here.
    if (status < 200) return
    dropHopByHop(headers)
    delete headers['transfer-encoding']
    headers.connection = this.connection()
    this.res.writeHead(status, message, headers)
  }

  onResponseData(controller: Controller, chunk: Buffer) {
    if (this.res.write(chunk)) return
    controller.pause()
    this.res.once('drain', () => controller.resume())
  }

  onResponseEnd() {
    this.res.end()
  }

  onResponseError(_controller: Controller | undefined, error: Error) {
    this.seated?.()
    this.end(error)
  }

  private readonly onClose = () => {
    const complete = this.res.writableFinished
    this.end()
    if (!complete) this.controller?.abort(left)
  }

  private end(error?: Error) {
    if (this.over) return
    this.over = true
    this.res.off('close', this.onClose)
    this.ended(error)
  }
}

/**
 * A request's body, read only while it can be sent on. What a container does not want of it is read to its end and
 * thrown away, so that the client gets to see the answer.
 */
export const bodyOf = (req: IncomingMessage) => Readable.from(piecesOf(req), { objectMode: false })

async function* piecesOf(req: IncomingMessage) {
  try {
    yield* req.iterator({ destroyOnReturn: false })
  } finally {
    req.resume()
  }
}

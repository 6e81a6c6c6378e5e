import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { createProxyServer } from 'httpxy'
import type { Logger } from '../../kit/log.ts'
import type { Heading, Target } from '../router.rules.ts'
import { refusals, refuse } from './answers.ts'
import { dropHopByHop, tellOrigin, wantsClose } from './headers.ts'
import { ConnectFailure, type Upstreams } from './upstream.ts'
import { isTarget, type Whereabouts } from './whereabouts.ts'

export interface RequestsOptions {
  log: Logger
  whereabouts: Whereabouts
  upstreams: Upstreams
  answer_ms: number
  isTrusted(address: string): boolean
  isLeaving(): boolean
}

/** Where a request goes, and the signal that nobody waits for its answer any more. */
export interface Way {
  heading: Heading
  first: Target
  gone: AbortSignal
}

export type PassOn = ReturnType<typeof openRequests>

/** A request on its way to a container. */
interface Passage {
  heading: Heading
  target: Target
  /** The client wants no further answer on this connection. */
  last: boolean
  outgoing?: ClientRequest
  answered: boolean
}

/** A client that stops sending in the middle of a body is waited for this long. */
const body_idle_ms = 60_000

const safe_methods = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])
const lost_codes = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED'])

class LateAnswer extends Error {
  readonly code = 'late_answer'
}

export const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** May be sent twice: it changes nothing, and there is no body of which a part is gone already. */
const isRepeatable = (req: IncomingMessage) => safe_methods.has(req.method ?? '') && !hasBody(req)

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
export function openRequests({ log, whereabouts, upstreams, answer_ms, isTrusted, isLeaving }: RequestsOptions) {
  const proxy = createProxyServer()
  const passages = new WeakMap<IncomingMessage, Passage>()

  proxy.on('proxyReq', (outgoing, req) => {
    const passage = passages.get(req)
    if (passage) passage.outgoing = outgoing
  })
  proxy.on('proxyRes', (answer, req, res) => {
    const passage = passages.get(req)
    if (!passage) return
    passage.answered = true
    dropHopByHop(answer.headers)
    delete answer.headers['transfer-encoding']
    answer.headers.connection = passage.last || isLeaving() ? 'close' : 'keep-alive'
    answer.on('close', () => {
      if (!answer.complete && !res.destroyed)
        logFailure(log, req, passage.heading, passage.target, new Error('the answer was cut off'))
    })
  })

  /** One try; answers why it failed. What was sent to the client stays sent. */
  async function pass(req: IncomingMessage, res: ServerResponse, passage: Passage, fresh: boolean) {
    const { target } = passage
    const stopTimer = failWhenLate(req, answer_ms, () => {
      if (!passage.answered) passage.outgoing?.destroy(new LateAnswer('no answer in time'))
    })
    try {
      await proxy.web(req, res, {
        target: { protocol: 'http:', hostname: target.host, port: target.port },
        agent: upstreams.agentOf(target, { fresh }),
      })
      return undefined
    } catch (error) {
      return error as NodeJS.ErrnoException
    } finally {
      stopTimer()
    }
  }

  /**
   * Passes a request on. A target that cannot be connected to is asked for again and tried once more; so is one that
   * drops a request that may be sent twice. After that the client gets 502, or 504 when no answer came in time.
   */
  return async function passOn(req: IncomingMessage, res: ServerResponse, { heading, first, gone }: Way) {
    const repeatable = isRepeatable(req)
    const passage: Passage = { heading, target: first, last: wantsClose(req.headers), answered: false }
    prepare(req, heading, isTrusted)
    passages.set(req, passage)
    let failure = await pass(req, res, passage, !repeatable)
    if (failure && mayRepeat(failure, repeatable) && !res.headersSent && !gone.aborted) {
      const found = await whereabouts.locateAgain(heading.name, passage.target, gone)
      if (!isTarget(found)) return refuse(req, res, found)
      passage.target = found
      failure = await pass(req, res, passage, true)
    }
    if (!failure || gone.aborted) return
    logFailure(log, req, heading, passage.target, failure)
    if (res.headersSent) res.destroy()
    else refuse(req, res, failure instanceof LateAnswer ? refusals.late_answer : refusals.no_answer)
  }
}

const mayRepeat = (failure: NodeJS.ErrnoException, repeatable: boolean) =>
  failure instanceof ConnectFailure || (repeatable && lost_codes.has(failure.code ?? ''))

/** Makes a request of the client one of ours. */
function prepare(req: IncomingMessage, { host, path }: Heading, isTrusted: (address: string) => boolean) {
  req.url = path
  dropHopByHop(req.headers)
  // It was answered when the request came in.
  delete req.headers.expect
  tellOrigin(req.headers, { peer: req.socket.remoteAddress, host, isTrusted })
  if (hasBody(req)) {
    req.socket.setTimeout(body_idle_ms)
    req.once('end', () => req.socket.setTimeout(0))
  }
}

/** Calls `late` when `ms` have passed since the request had come in whole; answers what ends the watch. */
function failWhenLate(req: IncomingMessage, ms: number, late: () => void) {
  let timer: NodeJS.Timeout | undefined
  const start = () => {
    timer = setTimeout(late, ms)
  }
  if (req.readableEnded) start()
  else req.once('end', start)
  return () => {
    req.off('end', start)
    clearTimeout(timer)
  }
}

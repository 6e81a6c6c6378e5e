import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** The body was not complete when the head arrived. */
    has_late_body: boolean
  }
}

/**
 * Returns a function that marks a request whose body arrives later than its head. It refuses a body that takes longer than `seconds` with
 * 408 (D-120).
 */
export function openBodyWatch(seconds: number) {
  let arrived: FastifyRequest[] = []
  const watchArrived = () => {
    const requests = arrived
    arrived = []
    for (const request of requests) if (!request.raw.complete) watchLateBody(request, seconds)
  }
  return (request: FastifyRequest) => {
    // A head and a body in one packet are parsed in one turn of the event loop. Checking all requests of a turn together costs a spend
    // least.
    if (arrived.push(request) === 1) setImmediate(watchArrived)
  }
}

function watchLateBody(request: FastifyRequest, seconds: number) {
  const { raw } = request
  request.has_late_body = true
  const refuse = () => {
    // Fastify only listens while it reads the body, not after the response.
    if (raw.listenerCount('error') > 0) raw.emit('error', Object.assign(new Error('slow body'), { statusCode: 408 }))
  }
  const timer = setTimeout(refuse, seconds * 1_000)
  const stop = () => clearTimeout(timer)
  raw.once('end', stop).once('close', stop)
}

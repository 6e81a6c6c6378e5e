import type { FastifyInstance, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** The body was not complete when the head arrived. */
    has_late_body: boolean
  }
}

/** Marks requests whose body comes later than their head, and refuses with 408 a body that takes longer than `seconds` (D-120). */
export function watchBodies(fastify: FastifyInstance, seconds: number) {
  fastify.decorateRequest('has_late_body', false)
  fastify.addHook('onRequest', (request, _reply, done) => {
    // A head and a body in one packet are parsed in one turn of the event loop.
    if (request.method !== 'GET' && request.method !== 'HEAD') setImmediate(watchBody, request, seconds)
    done()
  })
}

function watchBody(request: FastifyRequest, seconds: number) {
  const { raw } = request
  if (raw.complete) return
  request.has_late_body = true
  const refuse = () => {
    // Fastify listens while it reads the body, and not once it has answered.
    if (raw.listenerCount('error') > 0) raw.emit('error', Object.assign(new Error('slow body'), { statusCode: 408 }))
  }
  const timer = setTimeout(refuse, seconds * 1_000)
  const stop = () => clearTimeout(timer)
  raw.once('end', stop).once('close', stop)
}

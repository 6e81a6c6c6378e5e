import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** Treats an empty body as absent, regardless of the headers, and refuses content codings with 415 (D-127). */
export function settleBodies(fastify: FastifyInstance) {
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    const { headers } = request.raw
    if (hasPlainBody(headers) || request.method === 'GET' || request.method === 'HEAD') return done(null, payload)
    const settle = (is_empty: boolean) => {
      if (is_empty) dropBody(headers)
      else if (!isPlain(headers)) {
        reply.header('accept-encoding', 'identity')
        return done(Object.assign(new Error('the body has a content coding'), { statusCode: 415 }))
      }
      done(null, payload)
    }
    if (headers['transfer-encoding'] === undefined) settle(Number(headers['content-length'] ?? 0) === 0)
    else whenBegun(payload as Readable, settle, done)
  })
}

/** Waits for the first bytes or the end of a body whose length is not announced. */
function whenBegun(body: Readable, begun: (is_empty: boolean) => void, failed: (error: Error) => void) {
  const settle = () => {
    stopListening()
    begun(body.readableLength === 0)
  }
  const fail = (error: Error & { statusCode?: number }) => {
    stopListening()
    failed(Object.assign(error, { statusCode: error.statusCode ?? 400 }))
  }
  // An empty body that has already ended emits only `end`.
  const stopListening = () => body.off('readable', settle).off('end', settle).off('error', fail)
  body.on('readable', settle).on('end', settle).on('error', fail)
}

const body_headers = ['content-type', 'content-encoding', 'content-length', 'transfer-encoding'] as const

function dropBody(headers: IncomingHttpHeaders) {
  for (const name of body_headers) if (headers[name] !== undefined) delete headers[name]
}

/** True for the usual body, which needs no check. */
const hasPlainBody = (headers: IncomingHttpHeaders) =>
  headers['transfer-encoding'] === undefined &&
  headers['content-encoding'] === undefined &&
  Number(headers['content-length'] ?? 0) > 0

const isPlain = ({ 'content-encoding': coding = 'identity' }: IncomingHttpHeaders) =>
  coding.trim().toLowerCase() === 'identity'

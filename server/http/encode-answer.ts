import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Declaration } from '../../contract/endpoint.ts'
import { acceptedEncodings } from './accepted-encoding.ts'

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

/** Shorter answers fit one packet anyway. */
const bytes_min = 1_024
/** Fast ones: an answer is compressed once, for one reader. */
const brotli_params = { [constants.BROTLI_PARAM_QUALITY]: 4 }
const gzip_options = { level: 5 }

type Done = (error: Error | null, payload?: unknown) => void

/**
 * What is done to the JSON of an endpoint before it is sent: a tag with which the client asks whether it changed (RFC 9110 §13.1.2)
 * where the declaration says so, and compression from 1 kB on. Only answers to GET are compressed: those to other methods are short,
 * and they are the ones that hold a token or a secret beside what the caller sent, from whose compressed length a secret can be
 * guessed (BREACH). The one GET that answers a secret, the authorization with its code and `state`, says so in its declaration.
 */
export function answerEncoder({ method, auth, revalidates, events, answers_secret }: Declaration) {
  if (method !== 'GET' || events || answers_secret) return {}
  const cache_control = auth === 'none' ? 'no-cache' : 'private, no-cache'
  return {
    onSend: (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done) => {
      if (typeof payload !== 'string' || reply.statusCode !== 200) return done(null, payload)
      if (revalidates && isKnown(request, reply, payload, cache_control)) {
        reply.code(304).removeHeader('content-type')
        return done(null, '')
      }
      if (payload.length < bytes_min || request.method !== 'GET') return done(null, payload)
      reply.header('vary', 'accept-encoding')
      const { br, gzip: gz } = acceptedEncodings(request.headers['accept-encoding'])
      if (!br && !gz) return done(null, payload)
      compress(payload, br).then(
        (compressed) => {
          reply.header('content-encoding', br ? 'br' : 'gzip').removeHeader('content-length')
          done(null, compressed)
        },
        () => done(null, payload),
      )
    },
  }
}

/** Tags the answer; true where the client has the same one. */
function isKnown({ headers }: FastifyRequest, reply: FastifyReply, payload: string, cache_control: string) {
  const tag = createHash('sha256').update(payload).digest('base64url').slice(0, 22)
  reply.headers({ etag: `W/"${tag}"`, vary: 'accept-encoding' })
  // An endpoint may say for how long its answer is good.
  if (reply.getHeader('cache-control') === 'no-store') reply.header('cache-control', cache_control)
  const known = headers['if-none-match']?.split(',').map((each) => each.trim().replace(/^W\//, ''))
  return known?.some((each) => each === `"${tag}"` || each === '*') ?? false
}

const compress = (text: string, by_brotli: boolean) =>
  by_brotli
    ? compressBrotli(text, { params: { ...brotli_params, [constants.BROTLI_PARAM_SIZE_HINT]: text.length } })
    : compressGzip(text, gzip_options)

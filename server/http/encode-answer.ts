import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Declaration } from '../../contract/endpoint.ts'
import { preferredCoding } from './accepted-encoding.ts'
import { codedTag, isNamed, tagOf, type Coding } from './entity-tags.ts'

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

/** Shorter responses fit into one packet. */
const bytes_min = 1_024
/** Fast settings, because a response is compressed once, for one reader. */
const brotli_params = { [constants.BROTLI_PARAM_QUALITY]: 4 }
const gzip_options = { level: 5 }

type Done = (error: Error | null, payload?: unknown) => void

/**
 * Adds an entity tag to the JSON of endpoints that declare it (RFC 9110 §13.1.2), and compresses JSON of 1 kB or more. Only responses to
 * GET are compressed: responses to other methods are short and may contain a secret beside the caller's input, which the length of a
 * compressed response could reveal (BREACH). The one GET that returns a secret, the authorization with its code and `state`, declares
 * `answers_secret`.
 */
export function answerEncoder({ method, auth, revalidates, events, answers_secret }: Declaration) {
  if (method !== 'GET' || events || answers_secret) return {}
  const cache_control = auth === 'none' ? 'no-cache' : 'private, no-cache'
  return {
    onSend: (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done) => {
      if (typeof payload !== 'string' || reply.statusCode !== 200) return done(null, payload)
      const is_coded = payload.length >= bytes_min && request.method === 'GET'
      const coding = preferredCoding(request.headers['accept-encoding'], { br: is_coded, gzip: is_coded })
      if (revalidates && isKnown(request, reply, { payload, coding, cache_control })) {
        reply.code(304).removeHeader('content-type')
        return done(null, '')
      }
      if (is_coded) reply.header('vary', 'accept-encoding')
      if (coding === undefined) return done(null, payload)
      compress(payload, coding).then(
        (compressed) => {
          reply.header('content-encoding', coding).removeHeader('content-length')
          done(null, compressed)
        },
        () => done(null, payload),
      )
    },
  }
}

/** Tags the response. Returns true if the client has the same content. */
function isKnown(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { payload, coding, cache_control }: { payload: string; coding: Coding; cache_control: string },
) {
  const tag = codedTag(tagOf(payload), coding)
  reply.headers({ etag: `W/${tag}`, vary: 'accept-encoding' })
  // An endpoint may set its own cache lifetime.
  if (reply.getHeader('cache-control') === 'no-store') reply.header('cache-control', cache_control)
  return isNamed(tag, headers['if-none-match'])
}

const compress = (text: string, coding: 'br' | 'gzip') =>
  coding === 'br'
    ? compressBrotli(text, { params: { ...brotli_params, [constants.BROTLI_PARAM_SIZE_HINT]: text.length } })
    : compressGzip(text, gzip_options)

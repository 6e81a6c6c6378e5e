import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Declaration } from '../../contract/endpoint.ts'
import { preferredCoding } from './accepted-encoding.ts'
import { codedTag, isNamed, tagOf, type Coding } from './entity-tags.ts'

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

/** Tags the answer; true where the client has the same one. */
function isKnown(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { payload, coding, cache_control }: { payload: string; coding: Coding; cache_control: string },
) {
  const tag = codedTag(tagOf(payload), coding)
  reply.headers({ etag: `W/${tag}`, vary: 'accept-encoding' })
  // An endpoint may say for how long its answer is good.
  if (reply.getHeader('cache-control') === 'no-store') reply.header('cache-control', cache_control)
  return isNamed(tag, headers['if-none-match'])
}

const compress = (text: string, coding: 'br' | 'gzip') =>
  coding === 'br'
    ? compressBrotli(text, { params: { ...brotli_params, [constants.BROTLI_PARAM_SIZE_HINT]: text.length } })
    : compressGzip(text, gzip_options)

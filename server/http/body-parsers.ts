import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TObject } from 'typebox'
import type { Declaration } from '../../contract/endpoint.ts'
import { Failure } from '../kit/failure.ts'
import { refuseUnstorableText } from './validation.ts'

const refusal = (statusCode: number, message: string) => Object.assign(new Error(message), { statusCode })

/** Teaches the server its two body formats: JSON everywhere, forms where the endpoint says so (D-22). */
export function addBodyParsers(fastify: FastifyInstance) {
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser(
    /^application\/([\w.-]+\+)?json(\s*;|$)/i,
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: string | Buffer) => parseJson(request, textOf(bytes)),
  )
  fastify.addContentTypeParser(
    /^application\/x-www-form-urlencoded(\s*;|$)/i,
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: string | Buffer) => {
      const { endpoint } = request.routeOptions.config
      if (endpoint?.accepts !== 'form') throw refusal(415, 'forms are not taken here')
      return storable(endpoint, parseForm(textOf(bytes), endpoint))
    },
  )
}

/** Bodies are UTF-8 (RFC 8259 §8.1). Other bytes would be kept as something else than what was sent. */
function textOf(bytes: string | Buffer) {
  if (typeof bytes === 'string') return bytes
  if (!isUtf8(bytes)) throw refusal(400, 'the body is not UTF-8')
  return bytes.toString('utf8')
}

function parseJson(request: FastifyRequest, text: string): unknown {
  if (text === '') return undefined
  const { endpoint } = request.routeOptions.config
  let body: unknown
  try {
    const drops = !endpoint?.takes_any_name && text.includes('__proto__')
    body = drops ? JSON.parse(text, dropPrototypes) : JSON.parse(text)
  } catch {
    throw refusal(400, 'malformed JSON')
  }
  if (endpoint?.accepts === 'form') body = parametersIn(text, body, endpoint)
  // In JSON only an escape can stand for what cannot be stored: a text without one need not be walked.
  return text.includes('\\u') ? storable(endpoint, body) : body
}

/** Endpoints in the OAuth format look at their parameters themselves; others take any text. */
function storable<Body>(endpoint: Declaration | undefined, body: Body): Body {
  if (endpoint?.errors !== 'oauth' && !endpoint?.takes_any_text) refuseUnstorableText(body)
  return body
}

/** A `__proto__` key is an unknown field like any other: ignored (D-07). */
function dropPrototypes(this: unknown, key: string, value: unknown) {
  return key === '__proto__' ? undefined : value
}

/** Is it a parameter of the endpoint? What is none is ignored, in any shape and number (D-07). */
const isParameter = (name: string, { body }: Declaration) => Object.hasOwn((body as TObject).properties, name)

/** RFC 6749 §3.2: a parameter may come once. `JSON.parse` keeps only the last, so the text itself is counted. */
function parametersIn(text: string, body: unknown, endpoint: Declaration) {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  let depth = 0
  const seen = new Set<string>()
  for (const [piece, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g)) {
    if (piece === '{' || piece === '[') depth++
    else if (piece === '}' || piece === ']') depth--
    else if (colon !== undefined && depth === 1) {
      const name = JSON.parse(piece.slice(0, -colon.length)) as string
      if (!isParameter(name, endpoint)) continue
      if (seen.has(name)) throw new Failure('parameter_repeated', { name })
      seen.add(name)
    }
  }
  return Object.fromEntries(Object.entries(body).filter(([name]) => isParameter(name, endpoint)))
}

/** RFC 6749 §3.2 again: a parameter may come once. */
function parseForm(text: string, endpoint: Declaration): Record<string, string> {
  const body: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(text)) {
    if (!isParameter(name, endpoint)) continue
    if (Object.hasOwn(body, name)) throw new Failure('parameter_repeated', { name })
    body[name] = value
  }
  return body
}

/** Reads a query string; a repeated name, and one with brackets (`scope[]`, `scope[a]`), becomes a list, which is refused. */
export function parseQuery(text: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const plain = name.replace(/\[.*$/s, '')
    if (plain === '__proto__') continue
    const earlier = query[plain]
    query[plain] = plain === name && earlier === undefined ? value : [earlier ?? [], value].flat()
  }
  return query
}

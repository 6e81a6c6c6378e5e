import { isUtf8 } from 'node:buffer'
import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TObject } from 'typebox'
import { decisions } from '../../contract/decisions.ts'
import type { Declaration } from '../../contract/endpoint.ts'
import { Failure, invalidField } from '../platform/failure.ts'
import { shapeError, topLevelNames } from './json-shape.ts'
import { refuseUnstorableText } from './validation.ts'

const httpError = (statusCode: number, message: string) => Object.assign(new Error(message), { statusCode })

/** Parsing and validating a body of this size blocks the event loop for milliseconds, an uploaded picture for tens. */
const large_bytes = 262_144
let last_turn: Promise<unknown> = Promise.resolve()

/** Large bodies that arrive together are parsed in separate turns of the event loop, so that other requests run in between. */
const nextTurn = () => (last_turn = last_turn.then(() => setImmediate()))

/** Adds the body parsers: JSON for every endpoint, forms for endpoints that accept them (D-22). */
export function addBodyParsers(fastify: FastifyInstance) {
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser(
    /^application\/([\w.-]+\+)?json(\s*;|$)/i,
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: string | Buffer) => {
      if (bytes.length > large_bytes) await nextTurn()
      return parseJson(request, textOf(bytes))
    },
  )
  fastify.addContentTypeParser(
    /^application\/x-www-form-urlencoded(\s*;|$)/i,
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: string | Buffer) => {
      const { endpoint } = request.routeOptions.config
      if (endpoint?.accepts !== 'form') throw httpError(415, 'this endpoint accepts no forms')
      return withStorableText(endpoint, parseForm(textOf(bytes), endpoint))
    },
  )
}

/** Bodies are UTF-8 (RFC 8259 §8.1); decoding other bytes would change the text. */
function textOf(bytes: string | Buffer) {
  if (typeof bytes === 'string') return bytes
  if (!isUtf8(bytes)) throw httpError(400, 'the body is not UTF-8')
  return bytes.toString('utf8')
}

function parseJson(request: FastifyRequest, text: string): unknown {
  if (text === '') return undefined
  const { endpoint } = request.routeOptions.config
  if (endpoint?.accepts === 'form') return parseParameters(text, endpoint)
  const too_large = shapeError(text)
  if (too_large !== undefined) throw invalidField('', too_large)
  const body = parseJsonText(text)
  if (!endpoint?.accepts_any_field_name && text.includes('__proto__')) dropPrototypes(body)
  // In JSON only an escape can encode unstorable text: a body without such an escape need not be searched.
  return /\\u(?:0000|[dD][89a-fA-F])/.test(text) ? withStorableText(endpoint, body) : body
}

/** Refuses unstorable text. Endpoints in the OAuth format, and those that accept any body, check it themselves. */
function withStorableText<Body>(endpoint: Declaration | undefined, body: Body): Body {
  if (endpoint?.errors !== 'oauth' && !endpoint?.accepts_any_body) refuseUnstorableText(body)
  return body
}

function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw httpError(400, 'malformed JSON')
  }
}

/** Deletes `__proto__` keys, because unknown fields are ignored. Iterative, because a body may be nested deeply. */
function dropPrototypes(body: unknown) {
  const stack = [body]
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    if (typeof value !== 'object' || value === null) continue
    if (Object.hasOwn(value, '__proto__')) delete (value as Record<string, unknown>)['__proto__']
    for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) stack.push(inner)
  }
}

/** True if the endpoint declares the parameter. Others are ignored, in any shape and number. */
const isParameter = (name: string, { body }: Declaration) =>
  body !== undefined && Object.hasOwn((body as TObject).properties, name)

const { parameters_max } = decisions.request_bounds

/** Parses a JSON body of parameters. Refuses repeated ones (RFC 6749 §3.2), of which `JSON.parse` would keep the last. */
function parseParameters(text: string, endpoint: Declaration) {
  const written = topLevelNames(text)
  const body = parseJsonText(text)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return withStorableText(endpoint, body)
  const seen = new Set<string>()
  for (const name of written.map((word) => JSON.parse(word) as string)) {
    if (!isParameter(name, endpoint)) continue
    if (seen.has(name)) throw new Failure('parameter_repeated', { name })
    seen.add(name)
  }
  const parameters = Object.fromEntries(Object.entries(body).filter(([name]) => isParameter(name, endpoint)))
  return withStorableText(endpoint, parameters)
}

/** Parses a form; a repeated parameter is refused (RFC 6749 §3.2). */
function parseForm(text: string, endpoint: Declaration): Record<string, string> {
  let pairs = 1
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1))
    if (++pairs > parameters_max) throw new Failure('too_many_parameters')
  const body: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(text)) {
    if (!isParameter(name, endpoint)) continue
    if (Object.hasOwn(body, name)) throw new Failure('parameter_repeated', { name })
    body[name] = value
  }
  return body
}

/** Parses a query string; a repeated name or one with brackets (`scope[]`, `scope[a]`) becomes a list, which is refused. */
export function parseQuery(text: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {}
  if (text === '') return query
  for (const [name, value] of new URLSearchParams(text)) {
    const bracket = name.indexOf('[')
    const plain = bracket < 0 ? name : name.slice(0, bracket)
    if (plain === '__proto__') continue
    const earlier = Object.hasOwn(query, plain) ? query[plain] : undefined
    // The list is extended in place: copying it per value costs a second for thousands of values.
    if (Array.isArray(earlier)) earlier.push(value)
    else if (earlier !== undefined) query[plain] = [earlier, value]
    else query[plain] = plain === name ? value : [value]
  }
  return query
}

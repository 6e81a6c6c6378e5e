import type { Socket } from 'node:net'
import {
  fastify as newFastify,
  LogController,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import fastJsonStringify from 'fast-json-stringify'
import { decisions } from '../../contract/decisions.ts'
import type { Declaration } from '../../contract/endpoint.ts'
import { keep_alive_timeout_ms } from '../platform/keep-alive.ts'
import { hasValidHost } from '../platform/hosts.ts'
import type { Logger } from '../platform/log.ts'
import { addBodyParsers, parseQuery } from './body-parsers.ts'
import { openBodyWatch } from './late-bodies.ts'
import { sanitizeForwardedFor } from './forwarded-for.ts'
import { host_is_checked_here } from './listen.ts'
import { createAllowedMethodsLookup } from './paths.ts'
import { settleBodies } from './no-body.ts'
import { openRequestIds } from '../platform/request-ids.ts'
import { measureAndLog } from './request-log.ts'
import { framework_details } from '../../contract/framework-failures.ts'
import { renderFailure, renderFrameworkFailure, sendJson } from './render-failure.ts'

export interface ServerOptions {
  log: Logger
  public_url: string
  /** Addresses and networks whose `X-Forwarded-For` is trusted. */
  trusted_proxies: string[]
  /** Maximum time to receive a body. */
  body_seconds?: number | undefined
  /** Filled by `mount`. */
  endpoints: Declaration[]
  /** Handles a GET of a path without a route; undefined for 404. */
  fallback?: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined
}

/** Browsers then use only https for a year. Subdomains are excluded, because they may be other services. */
const strict_transport = { 'strict-transport-security': 'max-age=31536000' }

const security_headers = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Creates a Fastify server with our body parsers, headers, failure formats and one log line per request. */
export function createHttpServer(options: ServerOptions): FastifyInstance {
  const { log, public_url, trusted_proxies, body_seconds = decisions.late_bodies.body_seconds } = options
  const headers = { ...security_headers, ...(public_url.startsWith('https:') && strict_transport) }
  const rendering = { resource_metadata: `${public_url}/.well-known/oauth-protected-resource` }
  const fastify = newFastify({
    loggerInstance: withoutChildren(log),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: openRequestIds(trusted_proxies),
    trustProxy: trusted_proxies.length > 0 ? trusted_proxies : false,
    forceCloseConnections: 'idle',
    // Requests during a stop are served, and their connections closed.
    return503OnClosing: false,
    requestTimeout: 60_000,
    keepAliveTimeout: keep_alive_timeout_ms,
    http: host_is_checked_here,
    bodyLimit: decisions.request_bounds.body_bytes_max,
    routerOptions: { maxParamLength: 512, querystringParser: parseQuery },
    // For malformed paths, for which no hook runs.
    frameworkErrors: (error, request, reply) => {
      reply.headers(headers).header('x-request-id', request.id)
      void renderFrameworkFailure(error.statusCode ?? 400, request, reply)
    },
    clientErrorHandler: (error, socket) => answerClientError(error, socket, headers),
  }) as unknown as FastifyInstance
  const allowedMethods = createAllowedMethodsLookup(options.endpoints)
  addBodyParsers(fastify)
  settleBodies(fastify)
  fastify.decorateRequest('caller')
  fastify.decorateRequest('refusal')
  fastify.decorateRequest('proof')
  fastify.decorateRequest('has_late_body', false)
  const watchBody = openBodyWatch(body_seconds)
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers).header('x-request-id', request.id)
    sanitizeForwardedFor(request.raw.headers)
    if (!hasValidHost(request.raw)) void renderFrameworkFailure(400, request, reply)
    else if (isPathTooLong(request.url)) void sendJson(reply, 414, { errors: { detail: framework_details[414] } })
    // Unknown paths get 404 before the body is parsed.
    else if (request.is404) void answerUnmatched(options, allowedMethods(request.url), request, reply)
    else {
      watchBody(request)
      done()
    }
  })
  measureAndLog(fastify, log)
  fastify.setSerializerCompiler(({ schema }) => serializerOf(schema as object))
  fastify.setErrorHandler((error, request, reply) => renderFailure(error, request, reply, rendering))
  return fastify
}

/** The maximum length of a path in bytes, more than any API path needs. Longer ones would fill logs and be matched against every route. */
const path_bytes_max = 4_096
const isPathTooLong = (url: string) =>
  url.length > path_bytes_max && (url.indexOf('?') === -1 ? url.length : url.indexOf('?')) > path_bytes_max

/**
 * One logger for all requests: creating a child for each costs more than the line that it writes. Fastify's `childLoggerFactory` would also
 * work, but Fastify examines every logger that a factory returns.
 */
function withoutChildren(log: Logger): Logger {
  const shared = Object.create(log, { child: { value: () => shared } }) as Logger
  return shared
}

type Serializer = (value: unknown) => string
const serializers = new WeakMap<object, Serializer>()

/**
 * The serialiser of a response schema, compiled at the first response (see `compileCheck`) and once per process, because tests start many
 * services in one process.
 */
function serializerOf(schema: object): Serializer {
  let serializer = serializers.get(schema)
  return (value) => {
    if (!serializer) serializers.set(schema, (serializer = fastJsonStringify(schema) as Serializer))
    return serializer(value)
  }
}

function answerUnmatched(
  { endpoints, fallback }: ServerOptions,
  allowed: readonly string[],
  request: FastifyRequest,
  reply: FastifyReply,
) {
  if (allowed.length === 0) {
    const asks = request.method === 'GET' || request.method === 'HEAD'
    return (asks && fallback?.(request, reply)) || renderFrameworkFailure(404, request, reply)
  }
  const oauth = endpoints.find(
    (endpoint) => endpoint.errors === 'oauth' && endpoint.path === request.url.split('?', 1)[0],
  )
  reply.header('allow', allowed.join(', '))
  if (!oauth) return renderFrameworkFailure(405, request, reply)
  return reply.code(405).send({ error: 'invalid_request', error_description: 'Method Not Allowed' })
}

/** Answers malformed HTTP in the framework's format. */
function answerClientError(error: Error & { code?: string }, socket: Socket, every: Record<string, string>) {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const [status, detail] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'Request Header Fields Too Large']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'Request Timeout']
        : [400, 'Bad Request']
  const body = JSON.stringify({ errors: { detail } })
  const headers = {
    ...every,
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    connection: 'close',
  }
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${detail}\r\n${head.join('')}\r\n${body}`)
}

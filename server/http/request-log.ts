import type { FastifyInstance } from 'fastify'
import { lineWriter, quoteJson, timeField, type Logger } from '../platform/log.ts'
import { RouteMeter, unmatchedMeter } from './metrics.ts'
import { traceOf } from '../platform/trace-context.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    meter?: RouteMeter
    /** The member of the log line that names the route. */
    logged_route?: string
  }
}

/** Counts each request by its route, and writes its line in the log (docs/operating/logs.md). */
export function measureAndLog(fastify: FastifyInstance, log: Logger) {
  const writeLine = lineWriter(log, 'info')
  // Each method of a route has a separate context, including HEAD, which Fastify adds with the options of GET.
  fastify.addHook('onRoute', (route) => {
    route.config = {
      ...route.config,
      meter: new RouteMeter({ route: route.url, method: String(route.method) }),
      logged_route: `,"route":${JSON.stringify(route.url)}`,
    }
  })
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method } = request
    const { meter = unmatchedMeter(method), logged_route = '' } = request.routeOptions.config
    const ms = reply.elapsedTime
    const status = reply.statusCode
    meter.record(status, ms)
    // Serialised by hand: pino takes three times as long for an object.
    writeLine?.(
      `{"level":"info"${timeField()},"request_id":${quoteJson(request.id)},"method":"${method}"${logged_route}` +
        `,"status":${status},"ms":${Math.round(ms * 10) / 10}${optionalFields(request)},"msg":"request"}\n`,
    )
    done()
  })
}

/** Fields that a route adds to the log line of a sign-in: the person and the network address. */
export interface Noted {
  user_id?: string
  address?: string
}

interface LoggedRequest {
  raw: { headers: Parameters<typeof traceOf>[0] }
  caller?: object
  noted?: Noted
  refusal?: Record<string, unknown>
}

function optionalFields({ raw, caller, noted = {}, refusal }: LoggedRequest) {
  const { user_id = noted.user_id, app_id } = (caller ?? {}) as { user_id?: string; app_id?: string }
  let fields = ''
  if (user_id !== undefined) fields += `,"user_id":${quoteJson(user_id)}`
  if (noted.address !== undefined) fields += `,"address":${quoteJson(noted.address)}`
  if (app_id !== undefined) fields += `,"app_id":${quoteJson(app_id)}`
  const trace = traceOf(raw.headers)
  if (trace) fields += `,"trace_id":"${trace.trace_id}","parent_id":"${trace.parent_id}"`
  if (refusal !== undefined) fields += `,"refusal":${JSON.stringify(refusal)}`
  return fields
}

import type { FastifyInstance } from 'fastify'
import type { Logger } from '../platform/log.ts'
import { RouteMeter, unmatchedMeter } from './metrics.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    meter?: RouteMeter
  }
}

/** Counts each request by its route, and writes its line in the log. */
export function measureAndLog(fastify: FastifyInstance, log: Logger) {
  // Each method of a route has a context of its own, HEAD too, which Fastify adds with the options of GET.
  fastify.addHook('onRoute', (route) => {
    route.config = { ...route.config, meter: new RouteMeter({ route: route.url, method: String(route.method) }) }
  })
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions, caller, refusal } = request
    const { user_id, app_id } = (caller ?? {}) as { user_id?: string; app_id?: string }
    const elapsed_ms = reply.elapsedTime
    const meter = routeOptions.config.meter ?? unmatchedMeter(method)
    meter.record(reply.statusCode, elapsed_ms)
    const ms = Math.round(elapsed_ms * 10) / 10
    log.info(
      {
        request_id: request.id,
        method,
        route: routeOptions.url,
        status: reply.statusCode,
        ms,
        user_id,
        app_id,
        refusal,
      },
      'request',
    )
    done()
  })
}

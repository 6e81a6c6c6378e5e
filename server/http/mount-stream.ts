import type { Declaration } from '../../contract/endpoint.ts'
import { openEventStream, type EventStream } from './event-stream.ts'
import { routeOf, type Call, type Http } from './mount.ts'

/** Checks the call, which may refuse it, and answers what fills the stream once its head has been sent. */
type Opener<D extends Declaration> = (call: Call<D>) => Promise<(stream: EventStream) => void>

const stream_headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // nginx would keep the events back to fill its buffer.
  'x-accel-buffering': 'no',
  connection: 'close',
}

/**
 * Mounts an endpoint that answers with an endless stream of events. A call is let in and refused like any other; from
 * then on the stream has its own rules. When the service stops, the streams end, so that readers come back elsewhere.
 */
export function mountStream<const D extends Declaration>(
  http: Http,
  endpoint: D,
  open: Opener<D>,
  { waiting_max }: { waiting_max: number },
) {
  const streams = new Set<EventStream>()
  let stopping = false
  const stop = (stream: EventStream) => stream.end([': the service is stopping\n\n'])
  http.fastify.addHook('preClose', async () => {
    stopping = true
    streams.forEach(stop)
  })
  http.fastify.route({
    ...routeOf(http, endpoint),
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const { caller, params, query, body, headers } = request
      const fill = await open({ caller, params, query, body, headers } as Call<D>)
      reply.hijack()
      if (reply.raw.destroyed) return
      for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...stream_headers }))
        if (value !== undefined) reply.raw.setHeader(name, value)
      reply.raw.writeHead(200)
      const stream = openEventStream(reply.raw, waiting_max)
      streams.add(stream)
      stream.onceOver(() => streams.delete(stream))
      if (stopping) stop(stream)
      else fill(stream)
    },
  })
}

import type { Declaration } from '../../contract/endpoint.ts'
import { createCounters } from '../platform/counts.ts'
import type { Reading } from '../platform/batching/invalidating-cache.ts'
import { Failure } from '../platform/failure.ts'
import type { EventStream } from '../platform/event-stream.ts'
import { createEventStream } from './event-stream.ts'
import { authorize, isAuthorized, recordUse, routeOf, type Call, type Http } from './mount.ts'

export interface StreamOptions<D extends Declaration> {
  /** Bytes buffered for a slow reader; beyond them it is disconnected. */
  buffered_bytes_max: number
  /** The maximum of concurrent streams per principal in this process. Further ones are `rate_limited`. */
  streams_max: number
  countedBy(caller: Call<D>['caller']): string
  retry_after_seconds: number
}

export type MayRead = (reading?: Reading) => Promise<boolean>

/**
 * Checks the call and may refuse it. Returns the function that writes to the stream after its head is sent. `mayRead` checks if the
 * credential is still valid; call it before each send.
 */
type Opener<D extends Declaration> = (call: Call<D>, mayRead: MayRead) => Promise<(stream: EventStream) => void>

const stream_headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // Otherwise nginx buffers responses.
  'x-accel-buffering': 'no',
  connection: 'close',
}

/**
 * Mounts an endpoint that responds with an endless stream of events. Calls are authorized, validated and limited like any
 * other. When the service stops, the streams end, so that readers reconnect to another process.
 */
export function mountStream<const D extends Declaration>(
  http: Http,
  endpoint: D,
  open: Opener<D>,
  { buffered_bytes_max, streams_max, countedBy, retry_after_seconds }: StreamOptions<D>,
) {
  const streams = new Set<EventStream>()
  const counts = createCounters()
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
      const call = { caller, params, query, body, headers } as Call<D>
      const fill = await open(call, (reading = 'cached') => isAuthorized(http, endpoint, request, reading))
      // The credential may have ended while the stream was being prepared.
      await authorize(http, endpoint, request, 'current')
      const principal = countedBy(call.caller)
      if (counts.of(principal) >= streams_max)
        throw new Failure('rate_limited', { principal, streams_max }, { retry_after_seconds })
      recordUse(http, request)
      reply.hijack()
      if (reply.raw.destroyed) return
      for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...stream_headers }))
        if (value !== undefined) reply.raw.setHeader(name, value)
      reply.raw.writeHead(200)
      const stream = createEventStream(reply.raw, buffered_bytes_max)
      streams.add(stream)
      counts.add(principal, 1)
      stream.onClose(() => {
        streams.delete(stream)
        counts.add(principal, -1)
      })
      if (stopping) stop(stream)
      else fill(stream)
    },
  })
}

import { Readable } from 'node:stream'
import type { Declaration } from '../../contract/endpoint.ts'
import { recordUse, routeOf, type Call, type Http } from './mount.ts'

interface Download {
  file_name: string
  /** Chunks of the text. The next one is requested after the client has read the previous one. */
  text: AsyncIterable<string>
}

/**
 * Mounts an endpoint that responds with a CSV or JSON file of any length, streamed. Calls are authorized, validated and limited like any
 * other. A failure before the first chunk is an error response; a later one closes the connection, so that no client mistakes a part for
 * the whole. HEAD reads only the first chunk (D-115).
 */
export function mountDownload<const D extends Declaration & { download: string }>(
  http: Http,
  endpoint: D,
  open: (call: Call<D>) => Download,
) {
  const { schema, ...route } = routeOf(http, endpoint)
  const { response: _, ...request_schema } = schema
  http.fastify.route({
    ...route,
    schema: request_schema,
    handler: async (request, reply) => {
      const { caller, params, query, body, headers } = request
      const { file_name, text } = open({ caller, params, query, body, headers } as Call<D>)
      recordUse(http, request)
      const parts = text[Symbol.asyncIterator]()
      const first = await parts.next()
      const is_head = request.method === 'HEAD'
      // Otherwise Fastify would read the stream to its end before dropping it.
      if (is_head) await parts.return?.()
      return reply
        .type(`${endpoint.download}; charset=utf-8${endpoint.download === 'text/csv' ? '; header=present' : ''}`)
        .header('content-disposition', `attachment; filename="${file_name}"`)
        .send(Readable.from(is_head ? [] : joined(first, parts)))
    },
  })
}

async function* joined(first: IteratorResult<string>, rest: AsyncIterator<string>) {
  for (let part = first; !part.done; part = await rest.next()) yield part.value
}

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyReply } from 'fastify'
import { code_root } from '../platform/package.ts'
import { setOpenOrigin } from './cors.ts'
import type { Http } from './mount.ts'
import { shareComponents, type Resources } from './openapi-components.ts'
import { openApiDocument, type DocumentParts } from './openapi.ts'
import { referencePage } from './reference-page.ts'

type ReferenceParts = Omit<DocumentParts, 'endpoints'> & { resources: Resources }

const page_policy = "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'"

/**
 * Serves the OpenAPI document at `/api/openapi.json` and the page made from it at `/docs`. Both are made from everything
 * that is mounted, at the first request, or before it by the function that is answered: making them takes longer than the
 * rest of a start. The style sheet is `reference.css` beside this file.
 */
export function referenceRoutes({ fastify, endpoints }: Http, { resources, ...parts }: ReferenceParts) {
  const document = once(() => openApiDocument({ endpoints, ...parts }))
  const document_text = once(() => JSON.stringify(shareComponents(document(), resources)))
  const page = once(() => referencePage(document()))
  let style = ''
  fastify.addHook('onReady', async () => {
    style = await readFile(join(code_root, 'server/http/reference.css'), 'utf8')
  })
  const send = (reply: FastifyReply, type: string, text: string) =>
    reply.header('cache-control', 'no-cache').type(`${type}; charset=utf-8`).serializer(String).send(text)

  fastify.get('/api/openapi.json', (_request, reply) => {
    setOpenOrigin(reply)
    return send(reply, 'application/json', document_text())
  })
  fastify.get('/docs', (_request, reply) =>
    send(reply.header('content-security-policy', page_policy), 'text/html', page()),
  )
  fastify.get('/docs/reference.css', (_request, reply) => send(reply, 'text/css', style))
  return function prepareReference() {
    document_text()
    page()
  }
}

/** Calls `make` once, at the first call, and answers its result from then on. */
function once<Value extends string | object>(make: () => Value) {
  let made: Value | undefined
  return () => (made ??= make())
}

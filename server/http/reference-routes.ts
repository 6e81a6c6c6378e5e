import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyReply } from 'fastify'
import { package_root } from '../platform/package.ts'
import { allowAnyOrigin } from './cors.ts'
import type { Http } from './mount.ts'
import { openApiDocument } from './openapi.ts'
import { referencePage } from './reference-page.ts'

const page_policy = "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'"

/**
 * Serves the OpenAPI document at `/api/openapi.json` and the page drawn from it at `/docs`. Both are made when the server
 * is ready, from everything that is mounted by then; the style sheet stands in `web/docs`.
 */
export function referenceRoutes(
  { fastify, endpoints }: Http,
  { public_url, version }: { public_url: string; version: string },
) {
  const texts = { document: '', page: '', style: '' }
  fastify.addHook('onReady', async () => {
    const document = openApiDocument({ endpoints, public_url, version })
    texts.document = JSON.stringify(document)
    texts.page = referencePage(document)
    texts.style = await readFile(join(package_root, 'web/docs/reference.css'), 'utf8')
  })
  const send = (reply: FastifyReply, type: string, text: string) =>
    reply.header('cache-control', 'no-cache').type(`${type}; charset=utf-8`).serializer(String).send(text)

  fastify.get('/api/openapi.json', (_request, reply) => {
    allowAnyOrigin(reply)
    return send(reply, 'application/json', texts.document)
  })
  fastify.get('/docs', (_request, reply) =>
    send(reply.header('content-security-policy', page_policy), 'text/html', texts.page),
  )
  fastify.get('/docs/reference.css', (_request, reply) => send(reply, 'text/css', texts.style))
}

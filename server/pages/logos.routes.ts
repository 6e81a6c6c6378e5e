import type { FastifyInstance } from 'fastify'
import { Failure } from '../platform/failure.ts'
import type { Logos } from './logos.service.ts'

/** A picture that is opened by itself runs nothing and loads nothing: an SVG is a document then. */
const contentSecurityPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/**
 * `/logos/{app}`: the picture of an app by its id, or by its client_id, which is what the consent page knows. For the pages
 * of the console only; 404 when there is none to show.
 */
export function logoRoutes(fastify: FastifyInstance, logos: Logos) {
  fastify.get<{ Params: { app: string } }>('/logos/:app', async (request, reply) => {
    const logo = await logos.find(request.params.app)
    if (!logo) throw new Failure('not_found')
    reply.headers({
      // The pages add to the address what changes with the app's logo_url.
      'cache-control': 'private, max-age=3600',
      'content-security-policy': contentSecurityPolicy,
      'cross-origin-resource-policy': 'same-origin',
      etag: logo.etag,
    })
    if (request.headers['if-none-match'] === logo.etag) return reply.code(304).send()
    return reply.type(logo.type).send(logo.content)
  })
}

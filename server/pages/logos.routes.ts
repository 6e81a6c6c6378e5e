import { bearerToken } from '../http/bearer.ts'
import { isNamed } from '../http/entity-tags.ts'
import type { Http } from '../http/mount.ts'
import { orFail } from '../platform/failure.ts'
import type { Logos } from './logos.service.ts'

/** An SVG opened by itself is a document: it must not run scripts or load anything. */
const contentSecurityPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/**
 * `/logos/{app}`: the logo of an app by its id, or by its client_id for the consent page. For the console's own pages
 * only; 404 if there is none. The logo of an unapproved app is only for its owner and admins, with their JWT. Opened as
 * a page, it is a download.
 */
export function logoRoutes({ fastify, authenticate }: Pick<Http, 'fastify' | 'authenticate'>, logos: Logos) {
  fastify.get<{ Params: { app: string } }>('/logos/:app', async (request, reply) => {
    const token = bearerToken(request.headers.authorization)
    const viewer = token === undefined ? undefined : await authenticate.user(token)
    const logo = await orFail(logos.find(request.params.app, viewer), 'not_found')
    const is_image = request.headers['sec-fetch-dest'] === 'image'
    reply.headers({
      // The pages append a query that changes with the app's logo_url.
      'cache-control': 'private, max-age=3600',
      vary: 'authorization, sec-fetch-dest',
      ...(!is_image && { 'content-disposition': 'attachment' }),
      'content-security-policy': contentSecurityPolicy,
      'cross-origin-resource-policy': 'same-origin',
      etag: logo.etag,
    })
    if (isNamed(logo.etag, request.headers['if-none-match'])) return reply.code(304).send()
    return reply.type(logo.type).send(logo.content)
  })
}

import type { FastifyInstance } from 'fastify'
import { acceptedLanguage } from '../platform/texts.ts'
import type { Previews } from './previews.service.ts'

/** Pages listed for search engines; those of the documentation are linked from its first one. */
const listed_pages = ['/', '/directory', '/docs', '/register', '/status']

/**
 * `/preview.png?path=/register&ref=CODE`: a page's preview picture for other services; also robots.txt and the sitemap.
 */
export function previewRoutes(fastify: FastifyInstance, previews: Previews, public_url: string) {
  fastify.get<{ Querystring: Record<string, unknown> }>('/preview.png', async ({ query }, reply) => {
    const { path, ref, language } = query
    const picture = await previews.pictureOf({
      path: String(path),
      ref: typeof ref === 'string' ? ref : undefined,
      language: acceptedLanguage(String(language)) ?? null,
    })
    return reply.headers({ 'cache-control': 'public, max-age=3600' }).type('image/png').send(picture)
  })

  fastify.get('/robots.txt', (_request, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .send(`User-agent: *\nDisallow: /api/\nSitemap: ${public_url}/sitemap.xml\n`),
  )

  const urls = listed_pages.map((path) => `<url><loc>${public_url}${path}</loc></url>`)
  const sitemap = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>
`
  fastify.get('/sitemap.xml', (_request, reply) => reply.type('application/xml').send(sitemap))
}

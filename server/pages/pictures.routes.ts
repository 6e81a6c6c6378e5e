import { isId } from '../../contract/schema.ts'
import { findPicture } from '../accounts/pictures.service.ts'
import { isNamed } from '../http/entity-tags.ts'
import type { Http } from '../http/mount.ts'
import { Failure } from '../platform/failure.ts'
import type { Sql } from '../platform/postgres/database.ts'

/** `/pictures/{id}`: a picture of a person, for the console's own pages. Each picture has its own unguessable id. */
export function pictureRoutes({ fastify }: Pick<Http, 'fastify'>, db: Sql) {
  fastify.get<{ Params: { id: string } }>('/pictures/:id', async ({ params: { id }, headers }, reply) => {
    const content = isId(id) ? await findPicture(db, id) : undefined
    if (!content) throw new Failure('not_found')
    const etag = `"${id.toLowerCase()}"`
    reply.headers({
      // An admin may remove it.
      'cache-control': 'private, max-age=3600',
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      etag,
    })
    if (isNamed(etag, headers['if-none-match'])) return reply.code(304).send()
    return reply.type('image/webp').send(content)
  })
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setOpenOrigin } from '../http/cors.ts'
import type { Http } from '../http/mount.ts'
import { shareComponents, type Names } from '../http/openapi-components.ts'
import { openApiDocument, type DocumentParts } from '../http/openapi.ts'
import { sendFile, textFile, type StaticFile } from '../http/static-file.ts'
import { code_root } from '../platform/package.ts'
import { chaptersOf } from './chapters.ts'
import { readGuides } from './guides.ts'
import { llmsText } from './llms.ts'
import { once } from '../platform/once.ts'
import { searchEntries } from './search-entries.ts'
import { docsSite, pagePaths } from './site.ts'

type DocsParts = Omit<DocumentParts, 'endpoints' | 'public_url'> & { names: Names; public_url: string }

const page_policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Serves the OpenAPI document, the documentation made from it and from the guides in `docs/`, and the guides as
 * Markdown. Each file is made on its first request, or earlier by the returned function: making them takes longer than
 * the rest of a start.
 */
export function docsRoutes({ fastify, endpoints }: Http, { names, ...parts }: DocsParts) {
  const { public_url } = parts
  const guides = readGuides(public_url)
  const document = once(() => openApiDocument({ endpoints, ...parts }))
  const files: (() => Promise<StaticFile>)[] = []
  const lazyFile = (type: string, text: () => string) => {
    const file = once(() => textFile(type, text()))
    files.push(file)
    return file
  }

  /** Serves a file that any site may read. */
  function serveOpen(path: string, type: string, text: () => string) {
    const file = lazyFile(type, text)
    fastify.get(path, async (request, reply) => {
      setOpenOrigin(reply)
      return sendFile(await file(), request, reply)
    })
  }

  function servePage(path: string, text: () => string) {
    const file = lazyFile('text/html', text)
    fastify.get(path, async (request, reply) =>
      sendFile(await file(), request, reply.header('content-security-policy', page_policy)),
    )
  }

  function serveOwn(path: string, type: string, text: () => string) {
    const file = lazyFile(type, text)
    fastify.get(path, async (request, reply) => sendFile(await file(), request, reply))
  }

  serveOpen('/api/openapi.json', 'application/json', () => JSON.stringify(shareComponents(document(), names)))
  serveOpen('/llms.txt', 'text/plain', () => llmsText(guides, public_url))
  for (const { name, text } of guides) serveOpen(`/docs/guides/${name}.md`, 'text/markdown', () => text)
  serveOwn('/docs/docs.css', 'text/css', () => readFileSync(join(code_root, 'server/docs/docs.css'), 'utf8'))
  serveOwn('/docs/search.json', 'application/json', () =>
    JSON.stringify(searchEntries({ guides, chapters: chaptersOf(document()), document: document() })),
  )
  const site = once(() => docsSite(document(), guides, parts))
  const tags = [...new Set(endpoints.map(({ tag }) => tag))]
  for (const path of pagePaths(guides, tags)) servePage(path, () => site().get(path)?.() ?? '')

  return async function prepareDocs() {
    for (const file of files) {
      await file()
      await nextTurn()
    }
  }
}

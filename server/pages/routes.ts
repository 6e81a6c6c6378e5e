import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { package_root } from '../platform/package.ts'
import { encodedFor, readConsole, type Console, type ConsoleFile } from './console.ts'
import type { ConsoleSettings } from '../../contract/console-settings.ts'

/**
 * Nothing but our own files runs. The component kit writes style elements, which only our nonce lets in; pictures come
 * from here, so that no app learns who looks at its logo.
 */
const contentSecurityPolicy = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** Under these nothing is ever a page of the console. */
const not_pages = /^\/(?:api|health|assets|\.well-known)(?:\/|$)|\.(?!html?$)[a-z0-9]+$/i

export type Pages = ReturnType<typeof openPages>

/**
 * The console: its files, and its one document for every address that a browser asks for and that is not the API's. The
 * build is read once, at start; without one the pages say so and everything else works.
 */
export function openPages(settings: ConsoleSettings, folder = join(package_root, 'dist/web')) {
  const built = readConsole(folder, settings)
  const page = (request: FastifyRequest, reply: FastifyReply) => sendDocument(built, request, reply)
  /** For addresses that no route has: the router of the console knows them, or says that there is nothing. */
  const elsewhere = (request: FastifyRequest, reply: FastifyReply) =>
    (request.headers.accept ?? '').includes('text/html') && !not_pages.test(pathOf(request))
      ? page(request, reply.code(200))
      : undefined
  return { files: built?.files ?? new Map<string, ConsoleFile>(), page, elsewhere }
}

/** Serves what has an address of its own: the first page, the authorization endpoint (D-30) and the files. */
export function pageRoutes(fastify: FastifyInstance, { files, page }: Pages) {
  fastify.get('/', page)
  fastify.get('/oauth/authorize', page)
  const icon = files.get('/icon.svg')
  // Where browsers look that were told of no icon.
  if (icon) fastify.get('/favicon.ico', (request, reply) => sendFile(icon, request, reply))
  for (const [path, file] of files) fastify.get(path, (request, reply) => sendFile(file, request, reply))
}

const pathOf = ({ url }: FastifyRequest) => url.split('?', 1)[0] ?? url

function sendDocument(built: Console | undefined, request: FastifyRequest, reply: FastifyReply) {
  if (!built)
    return reply.code(503).type('text/plain; charset=utf-8').send('The console is not built: run `npm run build`.\n')
  const nonce = randomBytes(16).toString('base64')
  // A window that an app opened for the authorization must still be able to tell that app when it is done.
  const opener = pathOf(request) === '/oauth/authorize' ? 'unsafe-none' : 'same-origin'
  return reply
    .headers({
      'content-security-policy': contentSecurityPolicy(nonce),
      'cross-origin-opener-policy': opener,
      'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    })
    .type('text/html; charset=utf-8')
    .send(built.document.join(nonce))
}

function sendFile(file: ConsoleFile, request: FastifyRequest, reply: FastifyReply) {
  reply.headers({
    'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    'cross-origin-resource-policy': 'same-origin',
    etag: file.etag,
    vary: 'accept-encoding',
  })
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send()
  const { content, encoding } = encodedFor(file, request.headers['accept-encoding'])
  if (encoding) reply.header('content-encoding', encoding)
  return reply.type(file.type).send(content)
}

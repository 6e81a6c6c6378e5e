import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { package_root } from '../platform/package.ts'
import { selectEncoding, readConsole, type Console, type ConsoleFile } from './console.ts'
import type { ConsoleSettings } from '../../contract/console-settings.ts'

/**
 * Only the console's own files are loaded. The component library writes style elements, which need the nonce. Images come
 * from this server, so that an app does not learn who views its logo.
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

/** Paths that are never pages of the console. */
const non_page_path = /^\/(?:api|health|assets|\.well-known)(?:\/|$)|\.(?!html?$)[a-z0-9]+$/i

export type Pages = ReturnType<typeof openPages>

/**
 * The console: its files, and its HTML document for every path of a browser outside the API. The build is read once, at
 * start; without one the pages are 503 and everything else works.
 */
export function openPages(settings: ConsoleSettings, folder = join(package_root, 'dist/web')) {
  const console = readConsole(folder, settings)
  const page = (request: FastifyRequest, reply: FastifyReply) => sendDocument(console, request, reply)
  /** For paths without a route: the console's router shows the page, or its own 404. */
  const fallback = (request: FastifyRequest, reply: FastifyReply) =>
    (request.headers.accept ?? '').includes('text/html') && !non_page_path.test(pathOf(request))
      ? page(request, reply.code(200))
      : undefined
  return { files: console?.files ?? new Map<string, ConsoleFile>(), page, fallback: fallback }
}

/** Routes with a fixed path: the home page, the authorization endpoint (D-30) and the files. */
export function pageRoutes(fastify: FastifyInstance, { files, page }: Pages) {
  fastify.get('/', page)
  fastify.get('/oauth/authorize', page)
  const icon = files.get('/icon.svg')
  // Browsers request this path for documents without an icon link.
  if (icon) fastify.get('/favicon.ico', (request, reply) => sendFile(icon, request, reply))
  for (const [path, file] of files) fastify.get(path, (request, reply) => sendFile(file, request, reply))
}

const pathOf = ({ url }: FastifyRequest) => url.split('?', 1)[0] ?? url

function sendDocument(built: Console | undefined, request: FastifyRequest, reply: FastifyReply) {
  if (!built)
    return reply.code(503).type('text/plain; charset=utf-8').send('The console is not built: run `npm run build`.\n')
  const nonce = randomBytes(16).toString('base64')
  // An app's authorization popup must keep its `window.opener`.
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
  const { content, encoding } = selectEncoding(file, request.headers['accept-encoding'])
  if (encoding) reply.header('content-encoding', encoding)
  return reply.type(file.type).send(content)
}

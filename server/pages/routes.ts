import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { package_root } from '../platform/package.ts'
import { sendFile, type StaticFile } from '../http/static-file.ts'
import { pageHead } from '../http/page-head.ts'
import { acceptedLanguage } from '../platform/texts.ts'
import { readConsole, type Console } from './console.ts'
import type { Previews } from './previews.service.ts'
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
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** Paths that are never pages of the console. */
const non_page_path = /^\/(?:api|health|assets|\.well-known)(?:\/|$)|\.(?!html?$)[a-z0-9]+$/i

export type Pages = ReturnType<typeof openPages>

/**
 * The console: its files, and its HTML document for every browser path outside the API, with status 404 if it has no
 * page there. The build is read once, at start; without one, pages get 503 and everything else works.
 */
export function openPages(previews: Previews, settings: ConsoleSettings, folder = join(package_root, 'dist/web')) {
  const console = readConsole(folder, settings)
  const page = (request: FastifyRequest, reply: FastifyReply) => {
    sendDocument(console, previews, request, reply).catch((error: Error) => reply.send(error))
    return reply
  }
  /** Answers paths without a route: the console's router shows the page or, in browsers, its own 404. */
  const fallback = (request: FastifyRequest, reply: FastifyReply) => {
    const path = pathOf(request)
    const is_page = console?.findPage(path) !== undefined
    const is_asked = is_page || (request.headers.accept ?? '').includes('text/html')
    return is_asked && !non_page_path.test(path) ? page(request, reply.code(is_page ? 200 : 404)) : undefined
  }
  return { files: console?.files ?? new Map<string, StaticFile>(), page, fallback }
}

/** Pages that an app may also open by a form (OpenID Connect Core §3.1.2.1, RP-Initiated Logout §2). */
const form_pages = ['/oauth/authorize', '/oauth/logout']
const form_bytes_max = 16_384

/** Routes with a fixed path: the home page, the pages that apps open (D-30, D-103) and the files. */
export function pageRoutes(fastify: FastifyInstance, { files, page }: Pages) {
  fastify.get('/', page)
  for (const path of form_pages) fastify.get(path, page)
  void fastify.register(async (scope) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      async (_: unknown, body: string) => body,
    )
    for (const path of form_pages) scope.post(path, { bodyLimit: form_bytes_max }, redirectToPage)
  })
  const icon = files.get('/icon.svg')
  // Browsers request this path for documents without an icon link.
  if (icon) fastify.get('/favicon.ico', (request, reply) => sendOwnFile(icon, request, reply))
  for (const [path, file] of files) fastify.get(path, (request, reply) => sendOwnFile(file, request, reply))
}

/** The page reads its parameters from the address. */
function redirectToPage(request: FastifyRequest, reply: FastifyReply) {
  const parameters = new URLSearchParams(typeof request.body === 'string' ? request.body : '')
  return reply.redirect(`${pathOf(request)}?${parameters.toString()}`, 303)
}

const pathOf = ({ url }: FastifyRequest) => url.split('?', 1)[0] ?? url

async function sendDocument(
  built: Console | undefined,
  previews: Previews,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  if (!built)
    return reply.code(503).type('text/plain; charset=utf-8').send('The console is not built: run `npm run build`.\n')
  const nonce = randomBytes(16).toString('base64')
  const path = pathOf(request)
  // An app's authorization popup must keep its `window.opener`.
  const opener = path === '/oauth/authorize' ? 'unsafe-none' : 'same-origin'
  const ref = new URLSearchParams(request.url.slice(path.length)).get('ref') ?? undefined
  const language = acceptedLanguage(request.headers['accept-language']) ?? null
  const { path: page_path = path, title } = built.findPage(path) ?? {}
  const head = await previews.headOf({ path: page_path, ref, language }, { title, url_path: path })
  return reply
    .headers({
      'content-security-policy': contentSecurityPolicy(nonce),
      'cross-origin-opener-policy': opener,
      'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    })
    .type('text/html; charset=utf-8')
    .send(built.document.replaceAll('%NONCE%', nonce).replace('%HEAD%', () => pageHead(head).text))
}

/** The service worker fetches the files of the console. */
const worker_policy = "default-src 'none'; connect-src 'self'; frame-ancestors 'none'"

/** Sends a file of the console, which only its own pages load. */
function sendOwnFile(file: StaticFile, request: FastifyRequest, reply: FastifyReply) {
  if (pathOf(request) === '/sw.js') reply.header('content-security-policy', worker_policy)
  return sendFile(file, request, reply.header('cross-origin-resource-policy', 'same-origin'))
}

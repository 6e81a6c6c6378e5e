import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { package_root } from '../kit/package.ts'

/** Nothing but our own files runs or styles the page; pictures may come from the apps' own servers. */
const content_security_policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src https: data:',
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const files = [
  { path: '/oauth/authorize', file: 'index.html', type: 'text/html; charset=utf-8' },
  { path: '/oauth/authorize.css', file: 'authorize.css', type: 'text/css; charset=utf-8' },
  { path: '/oauth/authorize.js', file: 'authorize.js', type: 'text/javascript; charset=utf-8' },
] as const

export interface PageOptions {
  /** Where the page's files are. */
  folder?: string
}

/**
 * Serves the page on which a person signs in and answers an app's request (D-30). The files are read once, at start,
 * which fails when one is missing.
 */
export function pageRoutes(
  fastify: FastifyInstance,
  { folder = join(package_root, 'web/authorize') }: PageOptions = {},
) {
  for (const { path, file, type } of files) {
    const content = readFileSync(join(folder, file))
    fastify.get(path, (_request, reply) =>
      reply
        .headers({
          'content-security-policy': content_security_policy,
          'referrer-policy': 'no-referrer',
          'x-frame-options': 'DENY',
        })
        .type(type)
        .send(content),
    )
  }
}

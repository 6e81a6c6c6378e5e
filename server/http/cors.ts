import type { FastifyInstance, FastifyReply } from 'fastify'
import { allowsAnyOrigin, type Declaration } from '../../contract/endpoint.ts'
import { routePath } from './paths.ts'

const exposed =
  'DPoP-Nonce, Idempotency-Replayed, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id'
/** Clients that use the Model Context Protocol's SDK send `MCP-Protocol-Version`. */
const allowed_headers = 'Authorization, Content-Type, DPoP, Idempotency-Key, Last-Event-ID, MCP-Protocol-Version'

/** Allows pages of any origin to read the response, without credentials. */
export function setOpenOrigin(reply: FastifyReply) {
  reply.header('access-control-allow-origin', '*').header('access-control-expose-headers', exposed)
}

/** Mounts the preflight route of a path once. Its response names the methods that any origin may call. */
export function answerPreflights(fastify: FastifyInstance, path: string, endpoints: readonly Declaration[]) {
  if (endpoints.some((other) => other.path === path && allowsAnyOrigin(other))) return
  fastify.options(routePath(path), (_request, reply) => {
    const methods = endpoints
      .filter((other) => other.path === path && allowsAnyOrigin(other))
      .map(({ method }) => method)
    setOpenOrigin(reply)
    return reply
      .code(204)
      .header('access-control-allow-methods', methods.join(', '))
      .header('access-control-allow-headers', allowed_headers)
      .header('access-control-max-age', '86400')
      .send()
  })
}

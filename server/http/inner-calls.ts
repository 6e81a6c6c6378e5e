import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import inject from 'light-my-request'
import type { AppCaller } from '../../contract/caller.ts'

/** The DPoP proof of a call (RFC 9449). */
export interface SentProof {
  /** The `DPoP` header; empty without one. */
  header: string
  method: string
  path: string
  /** The proven key, set by the first check: a proof is used only once, but a call may be authenticated again. */
  jkt?: string
}

interface Origin {
  agent: NonNullable<AppCaller['agent']>
  /** The DPoP proof of the request of the client, if its token is bound to a key: it is used once, for both. */
  proof: SentProof | undefined
}

const origins = new WeakMap<object, Origin>()

/** The agent and proof for which a request is made inside this process; undefined for a client's request. */
export const innerCallOf = (raw: IncomingMessage): Origin | undefined => origins.get(raw)

export interface InnerCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  headers: Record<string, string>
  body?: unknown
  /** The network address of the client that causes the call. */
  address: string
}

/**
 * Calls an endpoint of this process with everything that mounting adds: authentication, limits, validation, the response schema and the log
 * line. A client's request can never count as one of these.
 */
export async function callInside(fastify: FastifyInstance, { address, body, ...call }: InnerCall, origin: Origin) {
  const { statusCode, payload } = await inject(
    (request, response) => {
      origins.set(request, origin)
      fastify.routing(request as unknown as IncomingMessage, response as unknown as ServerResponse)
    },
    { ...call, remoteAddress: address, ...(body !== undefined && { payload: JSON.stringify(body) }) },
  )
  return { status: statusCode, text: payload }
}

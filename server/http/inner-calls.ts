import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import inject from 'light-my-request'
import type { AppCaller } from '../../contract/caller.ts'

type Agent = NonNullable<AppCaller['agent']>
const agents = new WeakMap<object, Agent>()

/** The agent for which a request is made inside this process; undefined for a client's request. */
export const agentOf = (raw: IncomingMessage): Agent | undefined => agents.get(raw)

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
export async function callInside(fastify: FastifyInstance, { address, body, ...call }: InnerCall, agent: Agent) {
  const { statusCode, payload } = await inject(
    (request, response) => {
      agents.set(request, agent)
      fastify.routing(request as unknown as IncomingMessage, response as unknown as ServerResponse)
    },
    { ...call, remoteAddress: address, ...(body !== undefined && { payload: JSON.stringify(body) }) },
  )
  return { status: statusCode, text: payload }
}

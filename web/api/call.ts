import { PlazaClient, type Input } from '../../client/client.ts'
import type { Declaration, ResponseOf, Wire } from '../../contract/endpoint.ts'
import { currentSession, reauthenticate } from '../session/session.ts'
import { ApiError, NetworkError } from './errors.ts'

/** The input of an endpoint; may be left out where nothing has to be sent. */
export type InputOf<D extends Declaration> =
  Record<never, never> extends Input<D> ? [input?: Input<D>] : [input: Input<D>]

/** An endpoint that is read without an input. */
export type InputlessRead = Omit<Declaration, 'method' | 'params' | 'query' | 'headers' | 'body'> & {
  method: 'GET'
} & { [_ in 'params' | 'query' | 'headers' | 'body']?: never }

export type AnswerOf<D extends Declaration> = Wire<ResponseOf<D>>

const anonymous = new PlazaClient(location.origin)

/**
 * Calls an endpoint as whoever is signed in, and answers the body. A session that has run out is renewed first: the call
 * waits for the dialog and is then made again. Rejects with a `Refusal` or with `Unreachable`.
 */
export async function callApi<D extends Declaration>(endpoint: D, ...input: InputOf<D>): Promise<AnswerOf<D>> {
  const session = endpoint.auth === 'none' ? undefined : currentSession()
  const client = session ? anonymous.withToken(session.token) : anonymous
  const reply = await client.call(endpoint, ...(input as [Input<D>])).catch((error: unknown) => {
    throw new NetworkError(error)
  })
  if (reply.ok) return reply.body
  if (reply.status === 401 && session && (await reauthenticate(session))) return callApi(endpoint, ...input)
  throw new ApiError(reply.status, reply.headers, reply.body)
}

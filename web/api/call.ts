import { PlazaClient, type Input } from '../../client/client.ts'
import type { Declaration, ResponseOf, Wire } from '../../contract/endpoint.ts'
import { currentSession, reauthenticate } from '../session/session.ts'
import { fetchEarly } from './early-answers.ts'
import { ApiError, NetworkError } from './errors.ts'

/** The input argument of an endpoint; optional when nothing is required. */
export type InputOf<D extends Declaration> =
  Record<never, never> extends Input<D> ? [input?: Input<D>] : [input: Input<D>]

/** A GET endpoint without input. */
export type InputlessRead = Omit<Declaration, 'method' | 'params' | 'query' | 'headers' | 'body'> & {
  method: 'GET'
} & { [_ in 'params' | 'query' | 'headers' | 'body']?: never }

export type AnswerOf<D extends Declaration> = Wire<ResponseOf<D>>

const anonymous = new PlazaClient(location.origin, undefined, fetchEarly)

/**
 * Calls an endpoint as the signed-in user and resolves with the body. When the session has expired, it waits for the
 * sign-in dialog and repeats the call. Rejects with `ApiError` or `NetworkError`.
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

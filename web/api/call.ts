import { PlazaClient, type FailureBody, type Input } from '../../contract/client.ts'
import type { Declaration, ResponseOf, Wire } from '../../contract/endpoint.ts'
import { askForProof } from '../session/proof.ts'
import { reauthenticate, sessionForCall } from '../session/renew.ts'
import { ApiError, NetworkError } from './errors.ts'
import { language, t } from '../texts.ts'
import { noteAnswer, noteSilence } from './reachability.ts'

/** The input argument of an endpoint; optional if nothing is required. */
export type InputOf<D extends Declaration> =
  Record<never, never> extends Input<D> ? [input?: Input<D>] : [input: Input<D>]

/** A GET endpoint without input. */
export type InputlessRead = Omit<Declaration, 'method' | 'params' | 'query' | 'headers' | 'body'> & {
  method: 'GET'
} & { [_ in 'params' | 'query' | 'headers' | 'body']?: never }

export type AnswerOf<D extends Declaration> = Wire<ResponseOf<D>>

/** A call that begins while the page is left outlives it. */
let is_leaving = false
addEventListener('pagehide', () => (is_leaving = true))
addEventListener('pageshow', () => (is_leaving = false))

/** Every call sends the language of the console, which mails use. */
const fetchInLanguage: typeof fetch = (address, options) =>
  fetch(address, {
    ...options,
    keepalive: is_leaving,
    headers: { ...(options?.headers as Record<string, string>), 'accept-language': language },
  })

const anonymous = new PlazaClient(location.origin, undefined, fetchInLanguage)

/**
 * Calls an endpoint as the signed-in user and resolves with the body. If the session has expired, or the call needs a
 * proof (D-129), it waits for the dialog and repeats the call. Rejects with `ApiError` or `NetworkError`.
 */
export async function callApi<D extends Declaration>(endpoint: D, ...input: InputOf<D>): Promise<AnswerOf<D>> {
  const session = endpoint.auth === 'none' ? undefined : await sessionForCall()
  const reply = await replyOf(session?.token, endpoint, ...input)
  if (reply.ok) return reply.body
  if (reply.status === 401 && session && (await reauthenticate(session))) return callApi(endpoint, ...input)
  if (!lacksProof(endpoint, reply.body)) throw new ApiError(reply.status, reply.headers, reply.body)
  if (await askForProof()) return callApi(endpoint, ...input)
  throw new ApiError(403, reply.headers, { error: 'proof_required', message: t('api.call.you-have-not-shown') })
}

const password_fields: readonly string[] = ['password', 'current_password']

/**
 * Whether a call lacks a proof (D-129): it was refused for that reason, or for a missing password that serves as the
 * proof.
 */
const lacksProof = ({ proof }: Declaration, body: FailureBody | undefined) =>
  body?.error === 'proof_required' ||
  (proof === 'asked' && body?.fields?.some(({ path }) => password_fields.includes(path)))

/** Calls an endpoint with another token and resolves with the body. Rejects with `ApiError` or `NetworkError`. */
export async function callWithToken<D extends Declaration>(token: string, endpoint: D, ...input: InputOf<D>) {
  const reply = await replyOf(token, endpoint, ...input)
  if (reply.ok) return reply.body
  throw new ApiError(reply.status, reply.headers, reply.body)
}

const replyOf = <D extends Declaration>(token: string | undefined, endpoint: D, ...input: InputOf<D>) =>
  (token === undefined ? anonymous : anonymous.withToken(token)).call(endpoint, ...(input as [Input<D>])).then(
    (reply) => {
      noteAnswer()
      return reply
    },
    (error: unknown): never => {
      noteSilence()
      throw new NetworkError(error)
    },
  )

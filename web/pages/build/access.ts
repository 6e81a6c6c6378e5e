import { useMutation, useQuery, useQueryClient, type Query, type UseQueryResult } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { PlazaClient, type Input } from '../../../client/client.ts'
import type { Declaration, ResponseOf, Wire } from '../../../contract/endpoint.ts'
import type { listMyApps } from '../../../contract/oauth-apps.ts'
import { authorize, revoke, token } from '../../../contract/oauth.ts'
import type { Scope } from '../../../contract/scopes.ts'
import { callApi, type AnswerOf, type InputOf } from '../../api/call.ts'
import { ApiError, NetworkError } from '../../api/errors.ts'
import { queryKeyOf, useDoublePressGuard } from '../../api/hooks.ts'
import { currentSession, onUserChange } from '../../session/session.ts'
import { newProofKey } from './pkce.ts'

export type MyApp = Wire<ResponseOf<typeof listMyApps>>[number]

/** What the pages of an operator do as the app itself. */
const operator_scopes = ['app:balance:read', 'deploy:manage'] as const satisfies Scope[]

/** An access token of one's own app, for oneself. Lives in the memory of this tab and nowhere else. */
interface Access {
  client_id: string
  redirect_uri: string
  access_token: string
  refresh_token: string
  scopes: readonly string[]
  /** In milliseconds. */
  renew_at: number
}

const renew_margin_ms = 60_000
const accesses = new Map<string, Access>()
const renewals = new Map<string, Promise<Access>>()
const listeners = new Set<() => void>()

/** Counts who has been signed in: what began under one person is never finished under the next. */
let generation = 0

const storage_key = 'plaza.open-access'

/** Whoever signs in next in this tab finds none of it. */
onUserChange(() => {
  generation += 1
  accesses.clear()
  renewals.clear()
  storeKeys([])
})

/** Which accesses are open in this tab, for after a reload: names alone, never a token. */
function storedKeys(): string[] {
  try {
    return JSON.parse(sessionStorage.getItem(storage_key) ?? '[]') as string[]
  } catch {
    return []
  }
}

/** Where nothing can be kept, a reload asks again. */
function storeKeys(names: Iterable<string>) {
  try {
    sessionStorage.setItem(storage_key, JSON.stringify([...names]))
  } catch {
    // Nothing to do: see above.
  }
}

function assertGeneration(expected: number) {
  if (expected !== generation) throw new Error('Another person is signed in by now.')
}

const accessKey = (app_id: string) => `${currentSession()?.user.id ?? ''} ${app_id}`

function setAccess(app_id: string, access: Access | undefined) {
  if (access) accesses.set(accessKey(app_id), access)
  else accesses.delete(accessKey(app_id))
  storeKeys(accesses.keys())
  for (const listener of listeners) listener()
}

/** Was the access to an app open when this tab was loaded anew? */
export const wasOpenBeforeReload = (app_id: string) =>
  !accesses.has(accessKey(app_id)) && storedKeys().includes(accessKey(app_id))

/** The scopes of the access that this tab has to an app; undefined without one. */
export const useAccess = (app_id: string): readonly string[] | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => accesses.get(accessKey(app_id))?.scopes,
  )

/**
 * Lets an app of the caller's own in, for the caller: the code grant with PKCE. Asked with the caller's sign-in, authorize
 * answers the code itself, so that nobody is sent anywhere: any registered redirect URI will do.
 */
async function requestAccess(client_id: string, redirect_uri: string, scopes: readonly string[]): Promise<Access> {
  const begun = generation
  const { verifier, challenge } = await newProofKey()
  assertGeneration(begun)
  const { code } = await callApi(authorize, {
    query: {
      client_id,
      redirect_uri,
      response_type: 'code',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      scope: scopes.join(' '),
    },
  })
  assertGeneration(begun)
  const { access_token, refresh_token, expires_in, scope } = await callApi(token, {
    body: { grant_type: 'authorization_code', client_id, redirect_uri, code, code_verifier: verifier },
  })
  if (begun !== generation) revokeInBackground(client_id, refresh_token)
  assertGeneration(begun)
  const renew_at = Date.now() + Math.max(expires_in * 1000 - renew_margin_ms, renew_margin_ms / 2)
  return { client_id, redirect_uri, access_token, refresh_token, scopes: scope.split(' '), renew_at }
}

/** Ends in the service what nobody here uses any more. */
const revokeInBackground = (client_id: string, refresh_token: string) =>
  void callApi(revoke, { body: { client_id, token: refresh_token } }).catch(() => undefined)

/** Opens the operator's access to an app, with whatever of the operator's scopes the app may have. */
export async function openAccess({ id, client_id, redirect_uris, allowed_scopes }: MyApp) {
  const scopes = operator_scopes.filter((scope) => allowed_scopes.includes(scope))
  setAccess(id, await requestAccess(client_id, redirect_uris[0] ?? '', scopes))
}

/** Ends an access, here and in the service: without its refresh token the whole grant is over. */
export async function closeAccess(app_id: string) {
  const access = accesses.get(accessKey(app_id))
  setAccess(app_id, undefined)
  if (access) await callApi(revoke, { body: { client_id: access.client_id, token: access.refresh_token } })
}

/**
 * Shortly before its token runs out an access is replaced, once for all of the same person who wait for it. Rejects when
 * another person has signed in meanwhile.
 */
async function freshAccess(app_id: string): Promise<Access> {
  const name = accessKey(app_id)
  const access = accesses.get(name)
  if (!access) throw new Error('The access to the app is closed. Open it again.')
  if (Date.now() < access.renew_at) return access
  const renewal = renewals.get(name) ?? renew(app_id, access)
  renewals.set(name, renewal)
  return renewal.finally(() => {
    if (renewals.get(name) === renewal) renewals.delete(name)
  })
}

/** What trying again cannot mend: the app, its scopes or the person’s sign-in are not what they were. */
const final_codes = new Set<string | undefined>(['unauthorized_client', 'invalid_client', 'invalid_scope'])

const isFinal = (error: unknown) =>
  error instanceof ApiError && (error.status === 401 || error.status === 403 || final_codes.has(error.code))

/** Only a final refusal closes the access: a network that is away for a moment must not. */
async function renew(app_id: string, old: Access) {
  const begun = generation
  const next = await requestAccess(old.client_id, old.redirect_uri, old.scopes).catch((error: unknown) => {
    if (begun === generation && isFinal(error)) setAccess(app_id, undefined)
    throw error
  })
  assertGeneration(begun)
  setAccess(app_id, next)
  revokeInBackground(old.client_id, old.refresh_token)
  return next
}

/** The header by which a call is the app's. */
export const appAuthorization = async (app_id: string) => `Bearer ${(await freshAccess(app_id)).access_token}`

/**
 * Says that the service took a header of `appAuthorization` no longer: the app was disconnected, or its approval
 * withdrawn. An access that has another token by now stays.
 */
export function discardAccess(app_id: string, authorization: string) {
  if (`Bearer ${accesses.get(accessKey(app_id))?.access_token}` === authorization) setAccess(app_id, undefined)
}

/** Calls an endpoint as the app. A token that is refused closes the access. Rejects as `callApi` does. */
export async function callAsApp<D extends Declaration>(
  app_id: string,
  endpoint: D,
  ...input: InputOf<D>
): Promise<AnswerOf<D>> {
  const { access_token } = await freshAccess(app_id)
  const client = new PlazaClient(location.origin, access_token)
  const reply = await client.call(endpoint, ...(input as [Input<D>])).catch((error: unknown) => {
    throw new NetworkError(error)
  })
  if (reply.ok) return reply.body
  if (reply.status === 401) discardAccess(app_id, `Bearer ${access_token}`)
  throw new ApiError(reply.status, reply.headers, reply.body)
}

/** Under which key the answer of an endpoint to the app is kept; without an input, the key of all its answers. */
export const appKeyOf = (app_id: string, endpoint: Declaration, input?: unknown) => [
  'as app',
  app_id,
  ...queryKeyOf(endpoint, input),
]

/** Reads an endpoint as the app. */
export function useAppQuery<D extends Declaration>(
  app_id: string,
  endpoint: D,
  input: InputOf<D>[0],
  options: {
    enabled?: boolean
    refetchInterval?: (query: Query<AnswerOf<D>>) => number | false
  } = {},
): UseQueryResult<AnswerOf<D>> {
  return useQuery<AnswerOf<D>>({
    queryKey: appKeyOf(app_id, endpoint, input ?? {}),
    queryFn: () => callAsApp(app_id, endpoint, ...([input] as InputOf<D>)),
    ...options,
  })
}

/** A call as the app that changes something; then the answers of `invalidates` are read again. */
export function useAppCall<D extends Declaration>(
  app_id: string,
  endpoint: D,
  options: { invalidates?: Declaration[]; onDone?: (answer: AnswerOf<D>) => void } = {},
) {
  const client = useQueryClient()
  const { invalidates = [], onDone } = options
  const { guarded, release } = useDoublePressGuard<InputOf<D>[0]>()
  const mutation = useMutation<AnswerOf<D>, Error, InputOf<D>[0]>({
    mutationFn: (input) => callAsApp(app_id, endpoint, ...([input] as InputOf<D>)),
    onSuccess: async (answer) => {
      onDone?.(answer)
      await Promise.all(invalidates.map((read) => client.invalidateQueries({ queryKey: appKeyOf(app_id, read) })))
    },
    onSettled: (_answer, _error, input) => release(input),
  })
  return guarded(mutation)
}

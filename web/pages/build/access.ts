import { useSyncExternalStore } from 'react'
import { PlazaClient, type Input } from '../../../contract/client.ts'
import type { Declaration, ResponseOf, Wire } from '../../../contract/endpoint.ts'
import type { listMyApps } from '../../../contract/oauth-apps.ts'
import { authorize, revoke, token } from '../../../contract/oauth.ts'
import { requestable_scopes, scopes } from '../../../contract/kinds/scopes.ts'
import { callApi, type AnswerOf, type InputOf } from '../../api/call.ts'
import { ApiError, NetworkError } from '../../api/errors.ts'
import type { Caller } from '../../api/hooks.ts'
import { currentSession, onUserChange } from '../../session/session.ts'
import { parseStored, tab_storage } from '../../storage.ts'
import { newProofKey } from './pkce.ts'
import { t } from '../../texts.ts'

export type MyApp = Wire<ResponseOf<typeof listMyApps>>[number]

/** Scopes of the calls that operator pages make as the app. */
const operator_scopes = requestable_scopes.filter((scope) => scopes[scope].of_owner)

/** Tokens of the operator's own app for the operator. Held in memory only. */
interface Access {
  client_id: string
  redirect_uri: string
  access_token: string
  refresh_token: string
  scopes: readonly string[]
  /** Milliseconds since the epoch. */
  renew_at: number
}

const renew_margin_ms = 60_000
const accesses = new Map<string, Access>()
const renewals = new Map<string, Promise<Access>>()
const listeners = new Set<() => void>()

/** Increases when another user signs in: requests of the previous user are discarded. */
let generation = 0

const storage_key = 'plaza.open-access'

onUserChange(() => {
  generation += 1
  accesses.clear()
  renewals.clear()
  storeKeys([])
})

/** The keys of the accesses that were open before a reload; never tokens. */
const storedKeys = () => parseStored<string[]>(tab_storage.get(storage_key)) ?? []
const storeKeys = (names: Iterable<string>) => tab_storage.set(storage_key, JSON.stringify([...names]))

function assertGeneration(expected: number) {
  if (expected !== generation) throw new Error(t('build.access.another-person-is-signed-in-by'))
}

const accessKey = (app_id: string) => `${currentSession()?.user.id ?? ''} ${app_id}`

function setAccess(app_id: string, access: Access | undefined) {
  if (access) accesses.set(accessKey(app_id), access)
  else accesses.delete(accessKey(app_id))
  storeKeys(accesses.keys())
  for (const listener of listeners) listener()
}

export const wasOpenBeforeReload = (app_id: string) =>
  !accesses.has(accessKey(app_id)) && storedKeys().includes(accessKey(app_id))

/** The scopes of the open access to an app; undefined without one. */
export const useAccess = (app_id: string): readonly string[] | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => accesses.get(accessKey(app_id))?.scopes,
  )

/**
 * Runs the code grant with PKCE for the caller's own app. With a session, authorize returns the code in its response
 * instead of a redirect, so any registered redirect URI will do.
 */
async function requestAccess(client_id: string, redirect_uri: string, scopes: readonly string[]): Promise<Access> {
  const started_in = generation
  const { verifier, challenge } = await newProofKey()
  assertGeneration(started_in)
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
  assertGeneration(started_in)
  const { access_token, refresh_token, expires_in, scope } = await callApi(token, {
    body: { grant_type: 'authorization_code', client_id, redirect_uri, code, code_verifier: verifier },
  })
  if (started_in !== generation) revokeInBackground(client_id, refresh_token)
  assertGeneration(started_in)
  const renew_at = Date.now() + Math.max(expires_in * 1000 - renew_margin_ms, renew_margin_ms / 2)
  return { client_id, redirect_uri, access_token, refresh_token, scopes: scope.split(' '), renew_at }
}

const revokeInBackground = (client_id: string, refresh_token: string) =>
  void callApi(revoke, { body: { client_id, token: refresh_token } }).catch(() => undefined)

/** Opens the access to an app, with the operator scopes that the app is allowed. */
export async function openAccess({ id, client_id, redirect_uris, allowed_scopes }: MyApp) {
  const allowed = operator_scopes.filter((scope) => allowed_scopes.includes(scope))
  setAccess(id, await requestAccess(client_id, redirect_uris[0] ?? '', allowed))
}

/** Closes an access and revokes its refresh token, which ends the grant. */
export async function closeAccess(app_id: string) {
  const access = accesses.get(accessKey(app_id))
  setAccess(app_id, undefined)
  if (access) await callApi(revoke, { body: { client_id: access.client_id, token: access.refresh_token } })
}

/**
 * Renews the access shortly before its token expires; concurrent callers share one renewal. Rejects if another user has
 * signed in in the meantime.
 */
async function freshAccess(app_id: string): Promise<Access> {
  const name = accessKey(app_id)
  const access = accesses.get(name)
  if (!access) throw new Error(t('build.access.the-access-to-the-app-is'))
  if (Date.now() < access.renew_at) return access
  const renewal = renewals.get(name) ?? renew(app_id, access)
  renewals.set(name, renewal)
  return renewal.finally(() => {
    if (renewals.get(name) === renewal) renewals.delete(name)
  })
}

/** Errors that a retry cannot fix: the app, its scopes or the session have changed. */
const final_codes = new Set<string | undefined>(['unauthorized_client', 'invalid_client', 'invalid_scope'])

const isFinal = (error: unknown) =>
  error instanceof ApiError && (error.status === 401 || error.status === 403 || final_codes.has(error.code))

/** Only a final refusal closes the access; a network error does not. */
async function renew(app_id: string, old: Access) {
  const started_in = generation
  const next = await requestAccess(old.client_id, old.redirect_uri, old.scopes).catch((error: unknown) => {
    if (started_in === generation && isFinal(error)) setAccess(app_id, undefined)
    throw error
  })
  assertGeneration(started_in)
  setAccess(app_id, next)
  revokeInBackground(old.client_id, old.refresh_token)
  return next
}

/** The `Authorization` header of a call as the app. */
export const appAuthorization = async (app_id: string) => `Bearer ${(await freshAccess(app_id)).access_token}`

/**
 * Closes the access whose header from `appAuthorization` got a 401: the app was disconnected or its approval withdrawn.
 * An access that has been renewed since stays open.
 */
export function discardAccess(app_id: string, authorization: string) {
  if (`Bearer ${accesses.get(accessKey(app_id))?.access_token}` === authorization) setAccess(app_id, undefined)
}

/** Calls an endpoint as the app. A 401 closes the access. Rejects as `callApi` does. */
async function callAsApp<D extends Declaration>(
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

/** The app as the caller of a page's reads and changes. */
export const asApp = (app_id: string): Caller => ({
  key: [t('common.as-app'), app_id],
  call: (endpoint, ...input) => callAsApp(app_id, endpoint, ...input),
})

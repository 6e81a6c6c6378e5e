import { currentSession } from '../../../session/session.ts'
import { parseStored, tab_storage } from '../../../storage.ts'
import { randomString, type ProofKey } from '../../../proof-key.ts'
import { newProofKey } from '../pkce.ts'
import { t } from '../../../texts.ts'

/** The authorization response at the redirect URI (RFC 6749 §4.1.2). */
export interface AuthorizationResponse {
  code?: string
  state?: string
  iss?: string
  error?: string
  error_description?: string
}

/** An authorization request with its response. */
export interface Flow extends ProofKey {
  app_id: string
  client_id: string
  redirect_uri: string
  scopes: string[]
  state: string
  response?: AuthorizationResponse
}

const storage_key = 'plaza.playground'

interface StoredFlow {
  flow: Flow
  user_id: string | undefined
}

const currentUserId = () => currentSession()?.user.id

/**
 * The flow stored for the visit to the consent page; the playground stores nothing else. Another user's flow is
 * removed.
 */
export function loadFlow(): Flow | undefined {
  const stored = parseStored<StoredFlow>(tab_storage.get(storage_key))
  if (stored?.user_id === currentUserId()) return stored?.flow
  saveFlow(undefined)
  return undefined
}

export function saveFlow(flow: Flow | undefined) {
  const stored = flow && ({ flow, user_id: currentUserId() } satisfies StoredFlow)
  tab_storage.set(storage_key, stored && JSON.stringify(stored))
}

/** A new PKCE pair and state. */
export async function newRequest() {
  const { verifier, challenge } = await newProofKey()
  return { verifier, challenge, state: randomString(12) }
}

/** The URL of the consent page for this request. */
export function authorizeUrl({ client_id, redirect_uri, scopes, state, challenge }: Flow) {
  const url = new URL('/oauth/authorize', location.origin)
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri,
    scope: scopes.join(' '),
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }).toString()
  return url.href
}

const response_parameters = ['code', 'state', 'iss', 'error', 'error_description'] as const

/** The response in query parameters; undefined if there is none. */
export function responseOf(query: Record<string, unknown>): AuthorizationResponse | undefined {
  const found = response_parameters.flatMap((name) => (typeof query[name] === 'string' ? [[name, query[name]]] : []))
  const response = Object.fromEntries(found) as AuthorizationResponse
  return response.code === undefined && response.error === undefined ? undefined : response
}

/** The response in a pasted URL; undefined if there is none. */
export function responseInUrl(address: string): AuthorizationResponse | undefined {
  if (!URL.canParse(address.trim())) return undefined
  return responseOf(Object.fromEntries(new URL(address.trim()).searchParams))
}

export interface Check {
  passed: boolean
  text: string
}

/** The checks that an app must make before it uses a code. */
export const checkResponse = ({ state }: Flow, answer: AuthorizationResponse): Check[] => [
  answer.state === state
    ? { passed: true, text: t('build.flow.state-is-the-one-that-was') }
    : {
        passed: false,
        text: t('build.flow.state-is-not-the-one-that'),
      },
  answer.iss === location.origin
    ? { passed: true, text: t('build.flow.iss-is-this-plaza-the-answer') }
    : {
        passed: false,
        text: t('build.flow.iss-is-and-not', { iss: answer.iss ?? t('build.flow.missing'), origin: location.origin }),
      },
]

import { base64url, randomText } from './bytes.ts'
import { PlazaError } from './failure.ts'
import { openPlaza } from './plaza.ts'
import { tokenSetOf } from './tokens.ts'

export interface SignInRequest {
  /** The address of Plaza, exactly as its `PUBLIC_URL`. */
  url: string
  client_id: string
  /** One of the app's registered redirect URIs. */
  redirect_uri: string
  /** Scopes separated by spaces; all allowed scopes of the app by default. */
  scope?: string
  /** `none`, `login`, `consent` or `select_account`. */
  prompt?: string
  /** Requires a new sign-in if the last one is older, in seconds. */
  max_age?: number
  /** The nonce of the identity token, if `scope` contains `openid`. */
  nonce?: string
}

/** The input of `completeSignIn`. Store it in the person's session, or in `sessionStorage`; it is plain JSON. */
export interface PendingSignIn {
  url: string
  client_id: string
  redirect_uri: string
  state: string
  code_verifier: string
}

/** The verifier and challenge of PKCE (RFC 7636), by S256. */
export async function createPkce() {
  // Only available to pages on https and localhost.
  if (!globalThis.crypto?.subtle) throw new TypeError('there is no WebCrypto here: pages need https')
  const code_verifier = randomText()
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(code_verifier))
  return { code_verifier, code_challenge: base64url(new Uint8Array(digest)), code_challenge_method: 'S256' as const }
}

/** Starts a sign-in: send the person to `address`, and store `pending` until they return. */
export async function startSignIn(request: SignInRequest): Promise<{ address: string; pending: PendingSignIn }> {
  const { url: base, client_id, redirect_uri, ...more } = request
  const url = base.replace(/\/+$/, '')
  const { code_verifier, ...challenge } = await createPkce()
  const state = randomText()
  const parameters = { response_type: 'code', client_id, redirect_uri, ...more, state, ...challenge }
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))
  return {
    address: `${url}/oauth/authorize?${query.toString()}`,
    pending: { url, client_id, redirect_uri, state, code_verifier },
  }
}

export interface SignInReturn {
  /** The complete address of the callback, with its query. */
  callback: string
  pending: PendingSignIn
  /** For an app with a secret. Never in a browser. */
  client_secret?: string
  /** Replaces the platform's `fetch`. */
  fetch?: typeof fetch
}

/**
 * Completes a sign-in: checks that the callback belongs to it, and exchanges the code. Fails with the error in the callback, such as
 * `access_denied`, or with `sign_in_mismatch` if the callback belongs to another sign-in.
 */
export async function completeSignIn({ callback, pending, client_secret, fetch }: SignInReturn) {
  const answer = new URL(callback).searchParams
  const { url, client_id, redirect_uri, state, code_verifier } = pending
  if (answer.get('state') !== state) throw mismatch('the callback belongs to another sign-in')
  // RFC 9207: the code of another service must not be sent to this one.
  if (answer.get('iss') !== url) throw mismatch(`the callback does not come from ${url}`)
  const code = answer.get('code')
  if (code === null)
    throw new PlazaError({
      code: answer.get('error') ?? 'sign_in_mismatch',
      detail: answer.get('error_description') ?? 'the person came back without a code',
    })
  const answered = await openPlaza({ url, fetch }).token({
    grant_type: 'authorization_code',
    client_id,
    redirect_uri,
    code,
    code_verifier,
    ...(client_secret !== undefined && { client_secret }),
  })
  return { ...answered, ...tokenSetOf(answered) }
}

const mismatch = (detail: string) => new PlazaError({ code: 'sign_in_mismatch', detail })

import type { ClientSecret, Credentials } from './credentials.ts'
import { isPlazaError, needsSignIn, PlazaError } from './failure.ts'
import type { OpenCalls } from './generated/open-calls.ts'
import { backoffSeconds, pause } from './waiting.ts'

/** The tokens of a signed-in person, to be stored by the app; plain JSON. */
export interface TokenSet {
  access_token: string
  refresh_token: string
  /** The expiry of the access token, in ISO 8601. Without it, the client refreshes after a 401. */
  expires_at?: string | undefined
}

export interface RefreshedTokensOptions extends Pick<ClientSecret, 'client_id'> {
  /** Of an app with a secret; without one the tokens must be bound to a key (`dpopFetch`). */
  client_secret?: string | undefined
  tokens: TokenSet
  /**
   * Stores the new tokens in place of the old ones. The client uses them only afterwards: a refresh token can be exchanged
   * once, so losing the new tokens would sign the person out.
   */
  save(tokens: TokenSet): void | Promise<void>
  /** Reads the stored tokens, if other processes may refresh them too. */
  load?: (() => TokenSet | undefined | Promise<TokenSet | undefined>) | undefined
}

/** The access token is renewed this long before it expires. */
const margin_ms = 30_000
/** How long after an exchange the old token returns the same new ones; a later attempt would revoke them all. */
const repeatable_seconds = 20
const attempt_seconds = 6

/**
 * An app that acts for a person, with tokens that are renewed when they expire. Concurrent calls share one refresh. If it is refused, they
 * all fail with `invalid_grant` of the operation `token`, which `needsSignIn` recognizes.
 */
export function refreshedTokens(options: RefreshedTokensOptions): Credentials<'token'> {
  let { tokens } = options
  let unsaved: TokenSet | undefined
  let refusal: PlazaError | undefined
  let running: Promise<void> | undefined

  async function exchange(plaza: OpenCalls) {
    const latest = await options.load?.()
    if (latest && latest.access_token !== tokens.access_token) {
      tokens = latest
      refusal = undefined
      if (!isEnding(latest)) return
    }
    if (refusal) throw refusal
    unsaved ??= await refresh(plaza, tokens, options)
    await saveWith(options, unsaved)
    tokens = unsaved
    unsaved = undefined
  }

  const renew = (plaza: OpenCalls) =>
    (running ??= exchange(plaza)
      .catch((error: unknown) => {
        if (needsSignIn(error)) refusal = error
        // The waiting call was not sent, whatever the outcome of the refresh.
        throw isPlazaError(error) ? Object.assign(error, { is_outcome_unknown: false }) : error
      })
      .finally(() => (running = undefined)))

  return {
    kind: 'token',
    async authorization(plaza) {
      if (running || unsaved || isEnding(tokens))
        await renew(plaza).catch((error: unknown) => {
          if (unsaved || needsSignIn(error) || isEnding(tokens, 0)) throw error
        })
      return headerOf(tokens)
    },
    async renew(refused, plaza) {
      if (refused === headerOf(tokens)) await renew(plaza)
      return true
    },
  }
}

const headerOf = ({ access_token }: TokenSet) => `Bearer ${access_token}`

/** Whether the access token is known to expire within this time. */
const isEnding = ({ expires_at }: TokenSet, within_ms = margin_ms) =>
  expires_at !== undefined && Date.now() > Date.parse(expires_at) - within_ms

/** The tokens in a response of the token endpoint. */
export const tokenSetOf = ({ access_token, refresh_token, expires_in }: TokenAnswer): TokenSet => ({
  access_token,
  refresh_token,
  expires_at: new Date(Date.now() + expires_in * 1000).toISOString(),
})

type TokenAnswer = Pick<Awaited<ReturnType<OpenCalls['token']>>, 'access_token' | 'refresh_token' | 'expires_in'>

/** Exchanges a refresh token. Attempts without a response are repeated while the old token still returns the same new ones. */
async function refresh(
  plaza: OpenCalls,
  { refresh_token }: TokenSet,
  { client_id, client_secret }: RefreshedTokensOptions,
) {
  const started = Date.now()
  for (let failures = 1; ; failures++) {
    try {
      const secret = client_secret === undefined ? {} : { client_secret }
      const request = { grant_type: 'refresh_token', client_id, refresh_token, ...secret } as const
      return tokenSetOf(await plaza.token(request, { timeout_seconds: attempt_seconds, retries: 0 }))
    } catch (error) {
      const may_pass =
        isPlazaError(error) && (error.is_outcome_unknown || error.status === 429 || error.code === 'no_answer')
      const wait = may_pass ? (error.retry_after ?? backoffSeconds(failures, 0.3, 4)) : Infinity
      if (Date.now() - started > (repeatable_seconds - wait) * 1000) throw error
      await pause(wait)
    }
  }
}

async function saveWith({ save }: RefreshedTokensOptions, tokens: TokenSet) {
  try {
    await save(tokens)
  } catch (cause) {
    throw new PlazaError({
      code: 'tokens_not_saved',
      detail: 'save failed for the new tokens',
      operation: 'token',
      cause,
    })
  }
}

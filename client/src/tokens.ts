import type { ClientSecret, Credentials } from './credentials.ts'
import { isPlazaError, needsSignIn, PlazaError } from './failure.ts'
import type { OpenCalls } from './generated/open-calls.ts'
import { backoffSeconds, pause } from './waiting.ts'

/** What an app keeps of a person who signed in. It is plain JSON. */
export interface TokenSet {
  access_token: string
  refresh_token: string
  /** When the access token ends, in ISO 8601. Without it, that is learned from a refusal. */
  expires_at?: string | undefined
}

export interface RefreshedTokensOptions extends ClientSecret {
  tokens: TokenSet
  /**
   * Keeps the new tokens, in place of the old ones. They are used once this is done: a refresh token can be exchanged once, so
   * tokens that are lost with this process would sign the person out.
   */
  save(tokens: TokenSet): void | Promise<void>
  /** Reads the tokens that were saved last, where other processes may have refreshed them. */
  load?: (() => TokenSet | undefined | Promise<TokenSet | undefined>) | undefined
}

/** The access token is renewed before its last moments. */
const margin_ms = 30_000
/** For so long after an exchange the old token gets the same new ones again; an attempt after that would end them all. */
const repeatable_seconds = 20
const attempt_seconds = 6

/**
 * An app that acts for a person, with tokens that are renewed when they end. Any number of calls at once lead to one refresh. When it
 * is refused, all of them fail with `invalid_grant` of the operation `token`: `needsSignIn` tells.
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
        // Whatever became of the refresh, the call that waits for it was not made.
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

/** Whether the access token is known to end within so long. */
const isEnding = ({ expires_at }: TokenSet, within_ms = margin_ms) =>
  expires_at !== undefined && Date.now() > Date.parse(expires_at) - within_ms

/** The tokens of an answer of the token endpoint. */
export const tokenSetOf = ({ access_token, refresh_token, expires_in }: TokenAnswer): TokenSet => ({
  access_token,
  refresh_token,
  expires_at: new Date(Date.now() + expires_in * 1000).toISOString(),
})

type TokenAnswer = Pick<Awaited<ReturnType<OpenCalls['token']>>, 'access_token' | 'refresh_token' | 'expires_in'>

/** Exchanges a refresh token. Attempts without an answer are repeated while the service tells the same tokens again. */
async function refresh(plaza: OpenCalls, { refresh_token }: TokenSet, { client_id, client_secret }: ClientSecret) {
  const started = Date.now()
  for (let failures = 1; ; failures++) {
    try {
      const request = { grant_type: 'refresh_token', client_id, client_secret, refresh_token } as const
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

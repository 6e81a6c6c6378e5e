import { personCredentials, openPlaza, accessToken, type TokenSet } from '../src/index.ts'
import type { TestService } from '../../server/test/harness.ts'
import type { SomeTokens, SomeUser } from '../../server/test/world.ts'

/** A client as a person, by default without the proxy. */
export const clientOf = (plaza: TestService, { token }: Pick<SomeUser, 'token'>, url = plaza.url) =>
  openPlaza({ url, credentials: personCredentials(token) })

/** A client as an app for a person, with an access token that is not renewed. */
export const clientFor = (plaza: TestService, { access_token }: Pick<SomeTokens, 'access_token'>, url = plaza.url) =>
  openPlaza({ url, credentials: accessToken(access_token) })

/** The stored tokens of a client, with the real expiry or another one. */
export const tokenSet = ({ access_token, refresh_token }: SomeTokens, expires_at?: string): TokenSet => ({
  access_token,
  refresh_token,
  ...(expires_at !== undefined && { expires_at }),
})

/** The error of a rejected promise; fails if it resolves. */
export const failureIn = (work: Promise<unknown>) =>
  work.then(
    (result) => {
      throw new Error(`nothing failed: ${JSON.stringify(result)}`)
    },
    (error: unknown) => error,
  )

import { Strategy } from 'passport-openidconnect'
import { expect, test } from 'vitest'
import { sharedService } from '../harness.ts'
import { pkce, type SomeApp } from '../world.ts'
import { allow } from './browser.ts'
import { authenticate } from './passport.ts'
import { appAndUser, expectWorks } from './outcome.ts'

const plaza = await sharedService()

interface SignedIn {
  issuer: string
  profile: { id: string; displayName?: string; emails?: { value: string }[] }
  access_token: string
}

/**
 * The library does not support PKCE, which Plaza requires of every app. Its hook for additional parameters adds the challenge; the secret
 * authenticates the app.
 */
class PlazaStrategy extends Strategy {
  constructor({ client_id, client_secret, redirect_uri }: SomeApp) {
    super(
      {
        issuer: plaza.url,
        authorizationURL: `${plaza.url}/oauth/authorize`,
        tokenURL: `${plaza.url}/api/oauth/token`,
        userInfoURL: `${plaza.url}/api/external/user`,
        clientID: client_id,
        clientSecret: client_secret,
        callbackURL: redirect_uri,
        scope: ['profile:read', 'points:read'],
        nonce: 'a nonce is wanted',
      },
      (issuer, profile, _context, _id_token, access_token, _refresh_token, done) =>
        done(null, { issuer, profile, access_token } satisfies SignedIn),
    )
  }

  override authorizationParams() {
    return { code_challenge: pkce().code_challenge, code_challenge_method: 'S256' }
  }
}

test('D-103: passport-openidconnect signs in and reads the profile; a nonce of another session is refused', async () => {
  const { app, user } = await appAndUser(plaza)
  const strategy = new PlazaStrategy(app)
  const session: Record<string, { state?: Record<string, unknown> }> = {}
  const begin = async () => {
    const begun = await authenticate<SignedIn>(strategy, { session, query: {} })
    if (!('redirect' in begun)) throw new Error('the strategy did not redirect')
    return { session, query: Object.fromEntries((await allow(plaza, user, begun.redirect)).searchParams) }
  }
  const arrived = await authenticate<SignedIn>(strategy, await begin())
  if (!('user' in arrived)) throw new Error(`the strategy did not succeed: ${JSON.stringify(arrived)}`)
  expect(arrived.user).toMatchObject({
    issuer: plaza.url,
    profile: { id: user.id, displayName: user.username, emails: [{ value: user.email }] },
  })
  await expectWorks(plaza, arrived.user.access_token, { app, user })

  const request = await begin()
  for (const kept of Object.values(session)) if (kept.state) Object.assign(kept.state, { nonce: 'another' })
  expect(await authenticate<SignedIn>(strategy, request)).toEqual({
    fail: { message: 'ID token contains invalid nonce.' },
  })
})

import { InternalOAuthError, Strategy, TokenError } from 'passport-oauth2'
import { expect, test } from 'vitest'
import { PlazaClient } from '../../../contract/client.ts'
import { getExternalUser } from '../../../contract/external.ts'
import { sharedService } from '../harness.ts'
import type { SomeApp, SomeUser } from '../world.ts'
import { allow, deny } from './browser.ts'
import { authenticate } from './passport.ts'
import {
  appAndUser,
  bad_client,
  bad_grant,
  client_scopes,
  expectWorks,
  no_secret,
  rejection,
  revokeByRequest,
  stateOf,
} from './outcome.ts'

const plaza = await sharedService()

interface SignedIn {
  access_token: string
  refresh_token: string
  profile: { id: string; username: string }
}

/** A strategy as an app writes it: it loads the profile itself and refreshes through the inner client. */
class PlazaStrategy extends Strategy {
  constructor({ client_id, redirect_uri }: SomeApp, client_secret: string) {
    super(
      {
        authorizationURL: `${plaza.url}/oauth/authorize`,
        tokenURL: `${plaza.url}/api/oauth/token`,
        clientID: client_id,
        clientSecret: client_secret,
        callbackURL: redirect_uri,
        scope: client_scopes,
        state: true,
        pkce: true,
      },
      (access_token: string, refresh_token: string, profile: SignedIn['profile'], done: Verified) =>
        done(null, { access_token, refresh_token, profile } satisfies SignedIn),
    )
  }

  override userProfile(access_token: string, done: (error?: unknown, profile?: unknown) => void) {
    const api = new PlazaClient(plaza.url, access_token)
    api.result(getExternalUser).then(({ user }) => done(null, user), done)
  }

  refresh(refresh_token: string) {
    return new Promise<Omit<SignedIn, 'profile'>>((done, refuse) => {
      this._oauth2.getOAuthAccessToken(refresh_token, { grant_type: 'refresh_token' }, (error, access, refresh) =>
        error ? refuse(error) : done({ access_token: access ?? '', refresh_token: refresh ?? '' }),
      )
    })
  }
}
type Verified = (error?: unknown, user?: Express.User | false, info?: object) => void
/** The first request, the authorization at Plaza and the callback, in one session of the app. */
async function callbackOf(strategy: Strategy, user: SomeUser) {
  const session = {}
  const begun = await authenticate<SignedIn>(strategy, { session, query: {} })
  if (!('redirect' in begun)) throw new Error('the strategy did not redirect')
  const query = Object.fromEntries((await allow(plaza, user, begun.redirect)).searchParams)
  return { session, query, authorization_url: begun.redirect }
}

async function signIn(strategy: Strategy, user: SomeUser) {
  const outcome = await authenticate<SignedIn>(strategy, await callbackOf(strategy, user))
  if (!('user' in outcome)) throw new Error(`the strategy did not succeed: ${JSON.stringify(outcome)}`)
  return outcome.user
}

test('D-22: passport-oauth2 as a confidential client (body, with PKCE) exchanges, loads the profile and refreshes', async () => {
  const { app, user } = await appAndUser(plaza)
  const strategy = new PlazaStrategy(app, app.client_secret)
  const { access_token, refresh_token, profile } = await signIn(strategy, user)
  expect(profile).toMatchObject({ id: user.id, username: user.username })
  await expectWorks(plaza, access_token, { app, user })

  const renewed = await strategy.refresh(refresh_token)
  expect(renewed.refresh_token).not.toBe(refresh_token)
  await expectWorks(plaza, renewed.access_token, { app, user })

  const { client_id, client_secret } = app
  await revokeByRequest(plaza, { token: renewed.refresh_token, client_id, client_secret })
  expect(await stateOf(plaza, renewed.access_token)).toBe('revoked')
  expect(await rejection(strategy.refresh(renewed.refresh_token))).toMatchObject({
    statusCode: 400,
    data: JSON.stringify(bad_grant),
  })
})

test('D-22: passport-oauth2 as a public client sends an empty secret, exchanges by its verifier, but cannot refresh', async () => {
  const { app, user } = await appAndUser(plaza)
  const strategy = new PlazaStrategy(app, '')
  const { access_token, refresh_token } = await signIn(strategy, user)
  await expectWorks(plaza, access_token, { app, user })
  expect(await rejection(strategy.refresh(refresh_token))).toMatchObject({
    statusCode: 400,
    data: JSON.stringify(no_secret),
  })
  expect(await stateOf(plaza, access_token)).toBe('active')
  await revokeByRequest(plaza, { token: access_token, client_id: app.client_id })
  expect(await stateOf(plaza, access_token)).toBe('revoked')
})

test('D-23: passport-oauth2 reads a wrong secret and a wrong code as the errors of RFC 6749', async () => {
  const { app, user } = await appAndUser(plaza)
  const stranger = new PlazaStrategy(app, 'a-wrong-secret')
  const refused = await rejection(signIn(stranger, user))
  expect(refused).toBeInstanceOf(TokenError)
  expect(refused).not.toBeInstanceOf(InternalOAuthError)
  expect(refused).toMatchObject({ code: bad_client.error, message: bad_client.error_description })

  const strategy = new PlazaStrategy(app, app.client_secret)
  const request = await callbackOf(strategy, user)
  const unknown = { ...request, query: { ...request.query, code: 'plz_ac_unknown' } }
  expect(await rejection(authenticate<SignedIn>(strategy, unknown))).toMatchObject({
    code: bad_grant.error,
    message: bad_grant.error_description,
  })
})

test('D-30: passport-oauth2 treats a denial as a failure to sign in, not as an error', async () => {
  const { app, user } = await appAndUser(plaza)
  const strategy = new PlazaStrategy(app, app.client_secret)
  const { session, authorization_url } = await callbackOf(strategy, user)
  const query = Object.fromEntries(deny(plaza, authorization_url).searchParams)
  expect(await authenticate<SignedIn>(strategy, { session, query })).toHaveProperty('fail')
})

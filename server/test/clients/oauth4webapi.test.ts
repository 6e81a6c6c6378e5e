import * as oauth from 'oauth4webapi'
import { expect, test } from 'vitest'
import { sharedService } from '../harness.ts'
import type { SomeApp } from '../world.ts'
import { allow, deny } from './browser.ts'
import {
  appAndUser,
  bad_client,
  bad_grant,
  client_scopes,
  expectWorks,
  no_secret,
  rejection,
  stateOf,
} from './outcome.ts'

const plaza = await sharedService()
const http = { [oauth.allowInsecureRequests]: true }
const issuer = new URL(plaza.url)

async function discover(algorithm: 'oauth2' | 'oidc' = 'oauth2') {
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm, ...http }))
}

const as = await discover()

/** An authorization request, built as in the library's README. */
async function request(app: SomeApp, state?: string) {
  const code_verifier = oauth.generateRandomCodeVerifier()
  const url = new URL(as.authorization_endpoint ?? '')
  url.searchParams.set('client_id', app.client_id)
  url.searchParams.set('redirect_uri', app.redirect_uri)
  url.searchParams.set('response_type', 'code')
  url.searchParams.set('scope', client_scopes.join(' '))
  url.searchParams.set('code_challenge', await oauth.calculatePKCECodeChallenge(code_verifier))
  url.searchParams.set('code_challenge_method', 'S256')
  if (state !== undefined) url.searchParams.set('state', state)
  return { url, code_verifier }
}

const clients = {
  client_secret_basic: ({ client_secret }: SomeApp) => oauth.ClientSecretBasic(client_secret),
  client_secret_post: ({ client_secret }: SomeApp) => oauth.ClientSecretPost(client_secret),
  none: () => oauth.None(),
}

/** Signs the user in through the authorization code flow. */
async function signIn(method: keyof typeof clients) {
  const { app, user } = await appAndUser(plaza)
  const client = { client_id: app.client_id }
  const auth = clients[method](app)
  const state = oauth.generateRandomState()
  const { url, code_verifier } = await request(app, state)
  const parameters = oauth.validateAuthResponse(as, client, await allow(plaza, user, url), state)
  const exchange = async () =>
    oauth.processAuthorizationCodeResponse(
      as,
      client,
      await oauth.authorizationCodeGrantRequest(as, client, auth, parameters, app.redirect_uri, code_verifier, http),
    )
  const refresh = async (refresh_token = '') =>
    oauth.processRefreshTokenResponse(
      as,
      client,
      await oauth.refreshTokenGrantRequest(as, client, auth, refresh_token, http),
    )
  const revoke = async (token = '') =>
    oauth.processRevocationResponse(await oauth.revocationRequest(as, client, auth, token, http))
  return { app, user, client, auth, tokens: await exchange(), exchange, refresh, revoke }
}

test('D-36: oauth4webapi discovers the server both by OAuth and by OpenID Connect discovery', async () => {
  expect(as).toMatchObject({ issuer: plaza.url, authorization_response_iss_parameter_supported: true })
  expect(await discover('oidc')).toEqual(as)
})

test.each(['client_secret_basic', 'client_secret_post'] as const)(
  'D-22: oauth4webapi as a confidential client (%s) exchanges, refreshes and revokes',
  async (method) => {
    const { app, user, tokens, refresh, revoke } = await signIn(method)
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: client_scopes.join(' ') })
    expect(tokens).toHaveProperty('session_token')
    await expectWorks(plaza, tokens.access_token, { app, user })

    const renewed = await refresh(tokens.refresh_token)
    expect(renewed.refresh_token).not.toBe(tokens.refresh_token)
    expect(renewed).not.toHaveProperty('session_token')
    await expectWorks(plaza, renewed.access_token, { app, user })

    await revoke(renewed.refresh_token)
    expect(await stateOf(plaza, renewed.access_token)).toBe('revoked')
    expect(await rejection(refresh(renewed.refresh_token))).toMatchObject(bad_grant)
  },
)

test('spec Authentication 3: oauth4webapi as a public client exchanges by its verifier and revokes, but cannot refresh', async () => {
  const { app, user, tokens, refresh, revoke } = await signIn('none')
  await expectWorks(plaza, tokens.access_token, { app, user })
  const refused = await rejection(refresh(tokens.refresh_token))
  expect(refused).toBeInstanceOf(oauth.ResponseBodyError)
  expect(refused).toMatchObject({ status: 400, ...no_secret })
  expect(await stateOf(plaza, tokens.access_token)).toBe('active')
  await revoke(tokens.access_token)
  expect(await stateOf(plaza, tokens.access_token)).toBe('revoked')
})

test('D-151: oauth4webapi pushes its authorization request', async () => {
  const { app, user } = await appAndUser(plaza)
  const [client, auth] = [{ client_id: app.client_id }, clients.client_secret_basic(app)]
  const state = oauth.generateRandomState()
  const { url, code_verifier } = await request(app, state)
  const pushed = await oauth.processPushedAuthorizationResponse(
    as,
    client,
    await oauth.pushedAuthorizationRequest(as, client, auth, url.searchParams, http),
  )
  const sent = new URL(as.authorization_endpoint ?? '')
  sent.search = new URLSearchParams({ client_id: app.client_id, request_uri: pushed.request_uri }).toString()
  const parameters = oauth.validateAuthResponse(as, client, await allow(plaza, user, sent), state)
  const answer = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    auth,
    parameters,
    app.redirect_uri,
    code_verifier,
    http,
  )
  const { access_token } = await oauth.processAuthorizationCodeResponse(as, client, answer)
  await expectWorks(plaza, access_token, { app, user })
})

test.each(['ES256', 'Ed25519', 'RS256'])(
  'D-152: oauth4webapi with DPoP (%s) pushes, exchanges, calls and refreshes as a public client',
  async (alg) => {
    const { app, user } = await appAndUser(plaza)
    // The clock of these tests does not advance by itself.
    const clockSkew = Math.round((plaza.clock.now().getTime() - Date.now()) / 1000)
    const client = { client_id: app.client_id, [oauth.clockSkew]: clockSkew }
    const auth = oauth.None()
    const DPoP = oauth.DPoP(client, await oauth.generateKeyPair(alg))
    const options = { ...http, DPoP }
    /** Repeats a request that needs a nonce, as in the library's README. */
    const once = <Result>(call: () => Promise<Result>) =>
      call().catch((error: unknown) => {
        if (oauth.isDPoPNonceError(error)) return call()
        throw error
      })
    const { url, code_verifier } = await request(app)
    const pushed = await once(async () =>
      oauth.processPushedAuthorizationResponse(
        as,
        client,
        await oauth.pushedAuthorizationRequest(as, client, auth, url.searchParams, options),
      ),
    )
    const sent = new URL(as.authorization_endpoint ?? '')
    sent.search = new URLSearchParams({ client_id: app.client_id, request_uri: pushed.request_uri }).toString()
    const callback = oauth.validateAuthResponse(as, client, await allow(plaza, user, sent), oauth.expectNoState)
    const exchange = oauth.authorizationCodeGrantRequest
    const tokens = await once(async () =>
      oauth.processAuthorizationCodeResponse(
        as,
        client,
        await exchange(as, client, auth, callback, app.redirect_uri, code_verifier, options),
      ),
    )
    expect(tokens.token_type).toBe('dpop')
    const profileOf = async (access_token: string) =>
      oauth.processUserInfoResponse(as, client, user.id, await oauth.userInfoRequest(as, client, access_token, options))
    expect(await once(() => profileOf(tokens.access_token))).toMatchObject({ name: user.username })
    const renewed = await once(async () =>
      oauth.processRefreshTokenResponse(
        as,
        client,
        await oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token ?? '', options),
      ),
    )
    expect(await once(() => profileOf(renewed.access_token))).toMatchObject({ sub: user.id })
    const stolen = await rejection(
      oauth
        .userInfoRequest(as, client, renewed.access_token, http)
        .then((answer) => oauth.processUserInfoResponse(as, client, user.id, answer)),
    )
    expect(stolen).toMatchObject({ status: 401, cause: [{ scheme: 'bearer' }, { scheme: 'dpop' }] })
  },
)

test('D-35: oauth4webapi gets the profile from the userinfo endpoint', async () => {
  const { user, client, tokens } = await signIn('client_secret_basic')
  const profile = await oauth.processUserInfoResponse(
    as,
    client,
    user.id,
    await oauth.userInfoRequest(as, client, tokens.access_token, http),
  )
  expect(profile).toMatchObject({ sub: user.id, email: user.email, email_verified: true, name: user.username })
})

test('D-37: oauth4webapi introspects an access token', async () => {
  const { app, user, client, auth, tokens, revoke } = await signIn('client_secret_post')
  const introspect = async () =>
    oauth.processIntrospectionResponse(
      as,
      client,
      await oauth.introspectionRequest(as, client, auth, tokens.access_token, http),
    )
  expect(await introspect()).toMatchObject({ active: true, client_id: app.client_id, sub: user.id })
  await revoke(tokens.access_token)
  expect(await introspect()).toEqual({ active: false, reason: 'revoked' })
})

test('D-23: oauth4webapi sees a wrong secret as a challenge if it used the header, as invalid_client if it used the body', async () => {
  const { app, client, tokens } = await signIn('client_secret_basic')
  const refreshAs = async (auth: oauth.ClientAuth) =>
    oauth.processRefreshTokenResponse(
      as,
      client,
      await oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token ?? '', http),
    )
  const by_header = await rejection(refreshAs(oauth.ClientSecretBasic(`${app.client_secret}x`)))
  expect(by_header).toBeInstanceOf(oauth.WWWAuthenticateChallengeError)
  expect(by_header).toMatchObject({ status: 401, cause: [{ scheme: 'basic' }] })
  const by_body = await rejection(refreshAs(oauth.ClientSecretPost(`${app.client_secret}x`)))
  expect(by_body).toMatchObject({ status: 400, ...bad_client })
})

test('D-30: oauth4webapi accepts an answer without state when it sent none, and reads a denial', async () => {
  const { app, user } = await appAndUser(plaza)
  const { url } = await request(app)
  const callback = await allow(plaza, user, url)
  expect([...callback.searchParams.keys()]).toEqual(['code', 'iss'])
  const client = { client_id: app.client_id }
  expect(oauth.validateAuthResponse(as, client, callback, oauth.expectNoState).get('iss')).toBe(plaza.url)
  expect(() => oauth.validateAuthResponse(as, client, deny(plaza, url), oauth.expectNoState)).toThrow(
    oauth.AuthorizationResponseError,
  )
})

test('D-04: oauth4webapi reads the challenge of a refused Bearer call', async () => {
  const refused = await rejection(
    oauth.protectedResourceRequest(
      'plz_at_nobody',
      'GET',
      new URL('/api/external/user', plaza.url),
      undefined,
      undefined,
      http,
    ),
  )
  expect(refused).toBeInstanceOf(oauth.WWWAuthenticateChallengeError)
  expect(refused).toMatchObject({
    status: 401,
    cause: [
      {
        scheme: 'bearer',
        parameters: {
          error: 'invalid_token',
          resource_metadata: `${plaza.url}/.well-known/oauth-protected-resource`,
        },
      },
    ],
  })
})

import * as client from 'openid-client'
import { expect, test } from 'vitest'
import { PlazaClient } from '../../../contract/client.ts'
import { describeLogout } from '../../../contract/openid.ts'
import { startTestService } from '../harness.ts'
import type { SomeApp, SomeUser } from '../world.ts'
import { allow } from './browser.ts'
import { appAndUser, expectWorks, rejection } from './outcome.ts'

// Shares its clock with the client, which signs the time of each proof.
const plaza = await startTestService()
const scope = 'openid profile:read points:read'

const configure = (app: SomeApp) =>
  client.discovery(new URL(plaza.url), app.client_id, app.client_secret, undefined, {
    execute: [client.allowInsecureRequests],
  })

/** The callback of an authorization, and the values that the library must check in it. */
async function callbackOf(config: client.Configuration, app: SomeApp, user: SomeUser) {
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const checks = { pkceCodeVerifier, expectedState: client.randomState(), expectedNonce: client.randomNonce() }
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: app.redirect_uri,
    scope,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    max_age: '600',
  })
  return { callback: await allow(plaza, user, url), checks: { ...checks, maxAge: 600, idTokenExpected: true } }
}

test('D-103: openid-client in its OpenID Connect mode signs in, refreshes, reads userinfo and signs out', async () => {
  const { app, user } = await appAndUser(plaza)
  const config = await configure(app)
  const { callback, checks } = await callbackOf(config, app, user)
  const tokens = await client.authorizationCodeGrant(config, callback, checks)
  expect(tokens.claims()).toMatchObject({ iss: plaza.url, sub: user.id, aud: app.client_id, email: user.email })
  await expectWorks(plaza, tokens.access_token, { app, user })
  expect(await client.fetchUserInfo(config, tokens.access_token, user.id)).toMatchObject({ name: user.username })

  const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
  expect(renewed.claims()).toMatchObject({ sub: user.id, auth_time: tokens.claims()?.auth_time })

  const leaving = client.buildEndSessionUrl(config, {
    post_logout_redirect_uri: 'https://app.test/bye',
    id_token_hint: renewed.id_token ?? '',
  })
  expect(leaving.origin + leaving.pathname).toBe(`${plaza.url}/oauth/logout`)
  const query = Object.fromEntries(leaving.searchParams)
  expect(await new PlazaClient(plaza.url).result(describeLogout, { query })).toMatchObject({
    redirect_uri: 'https://app.test/bye',
    user_id: user.id,
  })
})

test('D-151: openid-client pushes its authorization request', async () => {
  const { app, user } = await appAndUser(plaza)
  const config = await configure(app)
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const expectedState = client.randomState()
  const url = await client.buildAuthorizationUrlWithPAR(config, {
    redirect_uri: app.redirect_uri,
    scope,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
  })
  expect([...url.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri'])
  const tokens = await client.authorizationCodeGrant(config, await allow(plaza, user, url), {
    pkceCodeVerifier,
    expectedState,
    idTokenExpected: true,
  })
  expect(tokens.claims()).toMatchObject({ sub: user.id })
})

test('D-152: openid-client with DPoP pushes, exchanges, calls and refreshes without code for nonces', async () => {
  const { app, user } = await appAndUser(plaza)
  const config = await configure(app)
  const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair())
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const request = {
    redirect_uri: app.redirect_uri,
    scope,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  }
  const url = await client.buildAuthorizationUrlWithPAR(config, request, { DPoP })
  const callback = await allow(plaza, user, url)
  const checks = { pkceCodeVerifier, idTokenExpected: true }
  const tokens = await client.authorizationCodeGrant(config, callback, checks, undefined, { DPoP })
  expect([tokens.token_type, tokens.claims()?.sub]).toEqual(['dpop', user.id])
  const points = new URL('/api/external/points', plaza.url)
  const read = async (access_token: string) =>
    (await client.fetchProtectedResource(config, access_token, points, 'GET', undefined, undefined, { DPoP })).json()
  expect(await read(tokens.access_token)).toEqual({ points: 0, held: 0 })
  const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, { DPoP })
  expect(await read(renewed.access_token)).toEqual({ points: 0, held: 0 })
  expect(await client.fetchUserInfo(config, renewed.access_token, user.id, { DPoP })).toMatchObject({ sub: user.id })
})

test('D-103: openid-client refuses the token of another request, and one that another issuer claims', async () => {
  const { app, user } = await appAndUser(plaza)
  const config = await configure(app)
  const { callback, checks } = await callbackOf(config, app, user)
  const injected = { ...checks, expectedNonce: 'the nonce of another request' }
  expect(await rejection(client.authorizationCodeGrant(config, callback, injected))).toMatchObject({
    cause: { cause: { claim: 'nonce' } },
  })
  // Mix-up (RFC 9207): the answer claims to come from another server.
  const second = await callbackOf(config, app, user)
  second.callback.searchParams.set('iss', 'https://evil.test')
  expect(await rejection(client.authorizationCodeGrant(config, second.callback, second.checks))).toMatchObject({
    cause: { message: 'unexpected "iss" (issuer) response parameter value' },
  })
})

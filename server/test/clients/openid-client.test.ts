import * as client from 'openid-client'
import { expect, test } from 'vitest'
import { sharedService } from '../harness.ts'
import type { SomeApp, SomeUser } from '../world.ts'
import { allow, deny } from './browser.ts'
import { appAndUser, bad_grant, client_scopes, expectWorks, no_secret, rejection, stateOf } from './outcome.ts'

const plaza = await sharedService()

const ways = {
  'its default, client_secret_post': ({ client_secret }: SomeApp) => client.ClientSecretPost(client_secret),
  client_secret_basic: ({ client_secret }: SomeApp) => client.ClientSecretBasic(client_secret),
  none: () => client.None(),
}

/** A configuration by discovery, as in the library's README; plain HTTP is allowed for the loopback server only. */
const configure = (app: SomeApp, way: keyof typeof ways, algorithm: 'oauth2' | 'oidc' = 'oauth2') =>
  client.discovery(new URL(plaza.url), app.client_id, undefined, ways[way](app), {
    algorithm,
    execute: [client.allowInsecureRequests],
  })

async function authorizationUrl(config: client.Configuration, app: SomeApp, state?: string) {
  const code_verifier = client.randomPKCECodeVerifier()
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: app.redirect_uri,
    scope: client_scopes.join(' '),
    code_challenge: await client.calculatePKCECodeChallenge(code_verifier),
    code_challenge_method: 'S256',
    ...(state !== undefined && { state }),
  })
  return { url, code_verifier }
}

async function signIn(config: client.Configuration, app: SomeApp, user: SomeUser) {
  const state = client.randomState()
  const { url, code_verifier } = await authorizationUrl(config, app, state)
  const checks = { pkceCodeVerifier: code_verifier, expectedState: state }
  return client.authorizationCodeGrant(config, await allow(plaza, user, url), checks)
}

test.each(['its default, client_secret_post', 'client_secret_basic'] as const)(
  'D-22: openid-client as a confidential client (%s) exchanges, refreshes and revokes',
  async (way) => {
    const { app, user } = await appAndUser(plaza)
    const config = await configure(app, way)
    const tokens = await signIn(config, app, user)
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: client_scopes.join(' ') })
    await expectWorks(plaza, tokens.access_token, { app, user })

    const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(renewed.refresh_token).not.toBe(tokens.refresh_token)
    await expectWorks(plaza, renewed.access_token, { app, user })

    await client.tokenRevocation(config, renewed.refresh_token ?? '')
    expect(await stateOf(plaza, renewed.access_token)).toBe('revoked')
    const refused = await rejection(client.refreshTokenGrant(config, renewed.refresh_token ?? ''))
    expect(refused).toBeInstanceOf(client.ResponseBodyError)
    expect(refused).toMatchObject({ status: 400, ...bad_grant })
  },
)

test('D-36: openid-client with its default discovery algorithm, OpenID Connect, works as well', async () => {
  const { app, user } = await appAndUser(plaza)
  const config = await client.discovery(new URL(plaza.url), app.client_id, app.client_secret, undefined, {
    execute: [client.allowInsecureRequests],
  })
  const tokens = await signIn(config, app, user)
  await expectWorks(plaza, tokens.access_token, { app, user })
})

test('spec Authentication 3: openid-client as a public client exchanges by its verifier and revokes, but cannot refresh', async () => {
  const { app, user } = await appAndUser(plaza)
  const config = await configure(app, 'none')
  const tokens = await signIn(config, app, user)
  await expectWorks(plaza, tokens.access_token, { app, user })
  const refused = await rejection(client.refreshTokenGrant(config, tokens.refresh_token ?? ''))
  expect(refused).toBeInstanceOf(client.ResponseBodyError)
  expect(refused).toMatchObject({ status: 400, ...no_secret })
  expect(await stateOf(plaza, tokens.access_token)).toBe('active')
  await client.tokenRevocation(config, tokens.access_token)
  expect(await stateOf(plaza, tokens.access_token)).toBe('revoked')
})

test('D-35, D-37: openid-client gets the profile and introspects', async () => {
  const { app, user } = await appAndUser(plaza)
  const config = await configure(app, 'client_secret_basic')
  const { access_token } = await signIn(config, app, user)
  expect(await client.fetchUserInfo(config, access_token, user.id)).toMatchObject({
    sub: user.id,
    name: user.username,
    email: user.email,
  })
  expect(await client.tokenIntrospection(config, access_token)).toMatchObject({ active: true, sub: user.id })
})

test('D-30: openid-client accepts an answer without state when it sent none, and reads a denial', async () => {
  const { app, user } = await appAndUser(plaza)
  const config = await configure(app, 'client_secret_basic')
  const { url, code_verifier } = await authorizationUrl(config, app)
  const callback = await allow(plaza, user, url)
  expect(callback.searchParams.has('state')).toBe(false)
  const tokens = await client.authorizationCodeGrant(config, callback, { pkceCodeVerifier: code_verifier })
  await expectWorks(plaza, tokens.access_token, { app, user })
  const denied = await rejection(
    client.authorizationCodeGrant(config, deny(plaza, url), { pkceCodeVerifier: code_verifier }),
  )
  expect(denied).toBeInstanceOf(client.AuthorizationResponseError)
  expect(denied).toMatchObject({ error: 'access_denied' })
})

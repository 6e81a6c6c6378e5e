import {
  auth,
  discoverOAuthServerInfo,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  refreshAuthorization,
  selectClientAuthMethod,
  startAuthorization,
  type OAuthClientProvider,
} from '@modelcontextprotocol/sdk/client/auth.js'
import { InvalidGrantError, InvalidRequestError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { expect, test } from 'vitest'
import { scopes_of_ordinary_users } from '../../../contract/kinds/scopes.ts'
import { sharedService } from '../harness.ts'
import { someApp, someUser, type SomeApp, type SomeUser } from '../world.ts'
import { allow } from './browser.ts'
import { bad_grant, expectWorks, no_secret, rejection, revokeByRequest, stateOf } from './outcome.ts'

const plaza = await sharedService()
const scopes = [...scopes_of_ordinary_users]

/** MCP clients request every scope that the resource metadata lists. */
async function appAndUser(redirect_uri: string) {
  const [app, user] = await Promise.all([someApp(plaza, { scopes, redirect_uris: [redirect_uri] }), someUser(plaza)])
  return { app, user }
}

/** Discovers the server's metadata from a 401 of the API, as the SDK does. */
async function discover() {
  const server_url = `${plaza.url}/api/external/user`
  const refused = await fetch(server_url)
  const { resourceMetadataUrl } = extractWWWAuthenticateParams(refused)
  expect([refused.status, resourceMetadataUrl?.href]).toEqual([
    401,
    `${plaza.url}/.well-known/oauth-protected-resource`,
  ])
  const found = await discoverOAuthServerInfo(server_url, { resourceMetadataUrl: resourceMetadataUrl! })
  expect(found.authorizationServerUrl).toBe(found.authorizationServerMetadata?.issuer)
  expect(found.resourceMetadata?.resource).toBe(plaza.url)
  return {
    server: found.authorizationServerUrl,
    metadata: found.authorizationServerMetadata!,
    resource: new URL(found.resourceMetadata!.resource),
    scope: found.resourceMetadata!.scopes_supported!.join(' '),
  }
}

async function signIn(app: SomeApp, user: SomeUser, clientInformation: OAuthClientInformationMixed) {
  const { server, metadata, resource, scope } = await discover()
  const redirectUrl = app.redirect_uri
  const request = { metadata, clientInformation, redirectUrl, scope, state: 'a state', resource }
  const { authorizationUrl, codeVerifier } = await startAuthorization(server, request)
  const { searchParams } = await allow(plaza, user, authorizationUrl)
  expect([searchParams.get('state'), searchParams.get('iss')]).toEqual(['a state', metadata.issuer])
  const tokens = await exchangeAuthorization(server, {
    metadata,
    clientInformation,
    authorizationCode: searchParams.get('code') ?? '',
    codeVerifier,
    redirectUri: redirectUrl,
    resource,
  })
  const refresh = (refreshToken = '') =>
    refreshAuthorization(server, { metadata, clientInformation, refreshToken, resource })
  return { tokens, refresh, metadata }
}

test.each(['client_secret_basic', 'client_secret_post'])(
  'D-36: the MCP SDK finds the server from a 401 and, as a confidential client (%s), exchanges and refreshes',
  async (token_endpoint_auth_method) => {
    const { app, user } = await appAndUser('https://app.test/cb')
    const { client_id, client_secret } = app
    const information = { client_id, client_secret, redirect_uris: [app.redirect_uri], token_endpoint_auth_method }
    const { tokens, refresh, metadata } = await signIn(app, user, information)
    const supported = metadata.token_endpoint_auth_methods_supported ?? []
    expect(selectClientAuthMethod(information, supported)).toBe(token_endpoint_auth_method)
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: scopes.join(' ') })
    await expectWorks(plaza, tokens.access_token, { app, user, scopes })

    const renewed = await refresh(tokens.refresh_token)
    expect(renewed.refresh_token).not.toBe(tokens.refresh_token)
    await expectWorks(plaza, renewed.access_token, { app, user, scopes })

    await revokeByRequest(plaza, { token: renewed.refresh_token ?? '', client_id, client_secret })
    expect(await stateOf(plaza, renewed.access_token)).toBe('revoked')
    const refused = await rejection(refresh(renewed.refresh_token))
    expect(refused).toBeInstanceOf(InvalidGrantError)
    expect(refused).toMatchObject({ message: bad_grant.error_description })
  },
)

test('D-28: the MCP SDK as a public client on any loopback port exchanges by its verifier, but cannot refresh', async () => {
  const { app, user } = await appAndUser('http://127.0.0.1/callback')
  const { client_id } = app
  const redirect_uri = 'http://127.0.0.1:49152/callback'
  const { tokens, refresh } = await signIn({ ...app, redirect_uri }, user, { client_id })
  await expectWorks(plaza, tokens.access_token, { app, user, scopes })
  const refused = await rejection(refresh(tokens.refresh_token))
  expect(refused).toBeInstanceOf(InvalidRequestError)
  expect(refused).toMatchObject({ message: no_secret.error_description })
  expect(await stateOf(plaza, tokens.access_token)).toBe('active')
  await revokeByRequest(plaza, { token: tokens.access_token, client_id })
  expect(await stateOf(plaza, tokens.access_token)).toBe('revoked')
})

/** An in-memory provider, which the SDK stores its state in. */
function memoryProvider({ client_id, client_secret, redirect_uri }: SomeApp) {
  const kept: { tokens?: OAuthTokens; verifier?: string; authorization_url?: URL } = {}
  const provider: OAuthClientProvider = {
    redirectUrl: redirect_uri,
    clientMetadata: { redirect_uris: [redirect_uri], client_name: 'an MCP client' },
    clientInformation: () => ({ client_id, client_secret }),
    state: () => 'a state',
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (url) => void (kept.authorization_url = url),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier ?? '',
  }
  return { provider, kept }
}

test('D-36: the MCP SDK’s own flow signs in, and refreshes when it runs again', async () => {
  const { app, user } = await appAndUser('http://localhost/callback')
  const { provider, kept } = memoryProvider(app)
  const serverUrl = `${plaza.url}/api/external/user`
  expect(await auth(provider, { serverUrl })).toBe('REDIRECT')
  const callback = await allow(plaza, user, kept.authorization_url!)
  const authorizationCode = callback.searchParams.get('code') ?? ''
  expect(await auth(provider, { serverUrl, authorizationCode })).toBe('AUTHORIZED')
  const first = kept.tokens!
  await expectWorks(plaza, first.access_token, { app, user, scopes })
  expect(await auth(provider, { serverUrl })).toBe('AUTHORIZED')
  expect(kept.tokens!.refresh_token).not.toBe(first.refresh_token)
  await expectWorks(plaza, kept.tokens!.access_token, { app, user, scopes })
})

import {
  ArcticFetchError,
  CodeChallengeMethod,
  generateCodeVerifier,
  generateState,
  OAuth2Client,
  OAuth2RequestError,
} from 'arctic'
import { expect, test } from 'vitest'
import { sharedService } from '../harness.ts'
import type { SomeApp, SomeUser } from '../world.ts'
import { allow } from './browser.ts'
import { appAndUser, bad_client, bad_grant, client_scopes, expectWorks, rejection, stateOf } from './outcome.ts'

const plaza = await sharedService()
const authorization_endpoint = `${plaza.url}/oauth/authorize`
const token_endpoint = `${plaza.url}/api/oauth/token`
const revocation_endpoint = `${plaza.url}/api/oauth/revoke`

async function code(client: OAuth2Client, user: SomeUser) {
  const state = generateState()
  const code_verifier = generateCodeVerifier()
  const url = client.createAuthorizationURLWithPKCE(
    authorization_endpoint,
    state,
    CodeChallengeMethod.S256,
    code_verifier,
    client_scopes,
  )
  const { searchParams } = await allow(plaza, user, url)
  expect(searchParams.get('state')).toBe(state)
  return { code: searchParams.get('code') ?? '', code_verifier }
}

async function signIn(client: OAuth2Client, user: SomeUser) {
  const proof = await code(client, user)
  return client.validateAuthorizationCode(token_endpoint, proof.code, proof.code_verifier)
}

const confidential = (app: SomeApp) => new OAuth2Client(app.client_id, app.client_secret, app.redirect_uri)

/** The library exposes code and description as separate fields. */
const asArctic = ({ error, error_description }: { error: string; error_description: string }) => ({
  code: error,
  description: error_description,
})

test('D-22: arctic as a confidential client (raw Basic, no client_id in the body) exchanges, refreshes and revokes', async () => {
  const { app, user } = await appAndUser(plaza)
  const client = confidential(app)
  const tokens = await signIn(client, user)
  expect([tokens.tokenType(), tokens.accessTokenExpiresInSeconds(), tokens.scopes()]).toEqual([
    'Bearer',
    3600,
    client_scopes,
  ])
  await expectWorks(plaza, tokens.accessToken(), { app, user })

  const renewed = await client.refreshAccessToken(token_endpoint, tokens.refreshToken(), client_scopes)
  expect(renewed.refreshToken()).not.toBe(tokens.refreshToken())
  await expectWorks(plaza, renewed.accessToken(), { app, user })

  await client.revokeToken(revocation_endpoint, renewed.refreshToken())
  expect(await stateOf(plaza, renewed.accessToken())).toBe('revoked')
})

test('D-23: arctic understands a wrong secret and a wrong code', async () => {
  const { app, user } = await appAndUser(plaza)
  const proof = await code(confidential(app), user)
  const stranger = new OAuth2Client(app.client_id, 'a-wrong-secret', app.redirect_uri)
  const refused = await rejection(stranger.validateAuthorizationCode(token_endpoint, proof.code, proof.code_verifier))
  expect(refused).toBeInstanceOf(OAuth2RequestError)
  expect(refused).toMatchObject(asArctic(bad_client))
  const unknown = await rejection(
    confidential(app).validateAuthorizationCode(token_endpoint, 'plz_ac_unknown', proof.code_verifier),
  )
  expect(unknown).not.toBeInstanceOf(ArcticFetchError)
  expect(unknown).toMatchObject(asArctic(bad_grant))
})

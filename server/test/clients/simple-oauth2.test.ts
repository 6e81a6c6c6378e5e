import { AuthorizationCode, type ModuleOptions } from 'simple-oauth2'
import { expect, test } from 'vitest'
import { sharedService } from '../harness.ts'
import { pkce, type SomeApp, type SomeUser } from '../world.ts'
import { allow } from './browser.ts'
import { appAndUser, bad_grant, client_scopes, expectWorks, rejection, stateOf } from './outcome.ts'

const plaza = await sharedService()

const newClient = (
  { client_id, client_secret }: Pick<SomeApp, 'client_id' | 'client_secret'>,
  options?: ModuleOptions['options'],
) =>
  new AuthorizationCode({
    client: { id: client_id, secret: client_secret },
    auth: {
      tokenHost: plaza.url,
      tokenPath: '/api/oauth/token',
      revokePath: '/api/oauth/revoke',
      authorizePath: '/oauth/authorize',
    },
    ...(options && { options }),
  })

/** The library does not support PKCE: the app adds the parameters to the URL and the token request. */
async function signIn(client: AuthorizationCode, app: SomeApp, user: SomeUser, proof: 'secret' | 'verifier') {
  const { code_verifier, code_challenge } = pkce()
  const request = {
    redirect_uri: app.redirect_uri,
    scope: client_scopes,
    state: 'a state',
    code_challenge,
    code_challenge_method: 'S256',
  }
  const callback = await allow(plaza, user, client.authorizeURL(request))
  expect(callback.searchParams.get('state')).toBe('a state')
  const redemption = { code: callback.searchParams.get('code') ?? '', redirect_uri: app.redirect_uri }
  return client.getToken(proof === 'verifier' ? Object.assign(redemption, { code_verifier }) : redemption)
}

const modes: [string, ModuleOptions['options']][] = [
  ['its default: strict Basic, form', undefined],
  ['loose Basic, form', { credentialsEncodingMode: 'loose' }],
  ['Basic, JSON', { bodyFormat: 'json' }],
  ['body, form', { authorizationMethod: 'body' }],
  ['body, JSON', { authorizationMethod: 'body', bodyFormat: 'json' }],
]

test.each(modes)(
  'D-22: simple-oauth2 as a confidential client (%s) exchanges, refreshes and revokes',
  async (_, mode) => {
    const { app, user } = await appAndUser(plaza)
    const client = newClient(app, mode)
    const tokens = await signIn(client, app, user, 'secret')
    const { token } = tokens
    expect(token).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: client_scopes.join(' ') })
    await expectWorks(plaza, token.access_token as string, { app, user })

    const renewed = await tokens.refresh()
    expect(renewed.token.refresh_token).not.toBe(token.refresh_token)
    const access_token = renewed.token.access_token as string
    await expectWorks(plaza, access_token, { app, user })

    await renewed.revoke('access_token')
    expect(await stateOf(plaza, access_token)).toBe('revoked')
    // Revokes both tokens, one of which is already revoked.
    await renewed.revokeAll()
    expect(await rejection(renewed.refresh())).toMatchObject({
      output: { statusCode: 400 },
      data: { payload: bad_grant },
    })
  },
)

test('D-24: simple-oauth2 sends verifier and secret, and both are checked', async () => {
  const { app, user } = await appAndUser(plaza)
  const tokens = await signIn(newClient(app), app, user, 'verifier')
  await expectWorks(plaza, tokens.token.access_token as string, { app, user })
})

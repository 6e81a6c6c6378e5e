import { betterAuth } from 'better-auth'
import { decodeJwt } from 'jose'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { genericOAuth } from 'better-auth/plugins'
import { expect, test } from 'vitest'
import { sharedService } from '../harness.ts'
import type { SomeApp, SomeUser } from '../world.ts'
import { allow, cookieJar } from './browser.ts'
import { appAndUser, client_scopes, expectWorks, revokeByRequest, stateOf } from './outcome.ts'

const plaza = await sharedService()
const base_url = 'http://127.0.0.1:3999'
const redirect_uri = `${base_url}/api/auth/callback/plaza`

type Way = { clientSecret?: string; authentication?: 'basic' | 'post' }
type Rows = Record<'user' | 'session' | 'account' | 'verification', Record<string, unknown>[]>

/** An app's server that uses Better Auth, and a browser with a cookie jar. */
function someServer(
  { client_id }: SomeApp,
  way: Way,
  { discovery = 'oauth-authorization-server', scopes = client_scopes as string[] } = {},
) {
  const rows: Rows = { user: [], session: [], account: [], verification: [] }
  const { handler } = betterAuth({
    baseURL: base_url,
    secret: 'a secret of the app that only this test uses, long enough',
    database: memoryAdapter(rows),
    telemetry: { enabled: false },
    plugins: [
      genericOAuth({
        config: [
          {
            providerId: 'plaza',
            discoveryUrl: `${plaza.url}/.well-known/${discovery}`,
            clientId: client_id,
            scopes,
            ...way,
          },
        ],
      }),
    ],
  })
  const cookies = cookieJar()
  const visit = async (url: string | URL, body?: object) => {
    const response = await handler(
      new Request(url, {
        headers: { cookie: cookies.header(), origin: base_url, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      }),
    )
    cookies.keep(response.headers.getSetCookie())
    return response
  }
  const post = (path: string, body: object) => visit(`${base_url}/api/auth${path}`, body)
  return { rows, visit, post }
}
type SomeServer = ReturnType<typeof someServer>

async function begin({ post }: SomeServer) {
  const response = await post('/sign-in/social', {
    provider: 'plaza',
    callbackURL: '/home',
    errorCallbackURL: '/sorry',
  })
  expect(response.status).toBe(200)
  return ((await response.json()) as { url: string }).url
}

async function signIn(server: SomeServer, user: SomeUser) {
  const arrived = await server.visit(await allow(plaza, user, await begin(server)))
  expect([arrived.status, arrived.headers.get('location')]).toEqual([302, '/home'])
  // Copied, because the adapter changes its rows in place.
  return { ...server.rows.account[0] } as { id: string; accountId: string; accessToken: string; refreshToken: string }
}

const refresh = ({ post }: SomeServer, { id }: { id: string }) => post('/refresh-token', { accountId: id })
/** The library's error for a refresh that the token endpoint refused. */
const not_refreshed = { code: 'FAILED_TO_REFRESH_ACCESS_TOKEN', message: 'Failed to refresh access token' }

/** The last error code in the service's log, because the library does not expose it. */
const lastRefusal = () => /.*"refusal":\{"code":"(\w+)"/s.exec(plaza.logged())?.[1]

test.each(['basic', 'post'] as const)(
  'D-36: better-auth by discovery, as a confidential client (%s), signs the user in and refreshes',
  async (authentication) => {
    const { app, user } = await appAndUser(plaza, redirect_uri)
    const { client_id, client_secret } = app
    const server = someServer(app, { clientSecret: client_secret, authentication })
    const account = await signIn(server, user)
    expect(account.accountId).toBe(user.id)
    expect(server.rows.user).toMatchObject([{ email: user.email, emailVerified: true, name: user.username }])
    await expectWorks(plaza, account.accessToken, { app, user })

    const refreshed = await refresh(server, account)
    expect(refreshed.status).toBe(200)
    const renewed = (await refreshed.json()) as { accessToken: string; refreshToken: string }
    expect(renewed.refreshToken).not.toBe(account.refreshToken)
    await expectWorks(plaza, renewed.accessToken, { app, user })

    await revokeByRequest(plaza, { token: renewed.refreshToken, client_id, client_secret })
    expect(await stateOf(plaza, renewed.accessToken)).toBe('revoked')
    const refused = await refresh(server, account)
    expect([refused.status, await refused.json()]).toEqual([400, not_refreshed])
    expect(lastRefusal()).toBe('invalid_grant')
  },
)

test('D-103: better-auth by the discovery of OpenID Connect signs in with an identity token', async () => {
  const { app, user } = await appAndUser(plaza, redirect_uri)
  const openid = { discovery: 'openid-configuration', scopes: ['openid', ...client_scopes] }
  const server = someServer(app, { clientSecret: app.client_secret }, openid)
  const account = await signIn(server, user)
  expect(account.accountId).toBe(user.id)
  expect(decodeJwt(String(server.rows.account[0]?.idToken))).toMatchObject({ sub: user.id, aud: app.client_id })
  expect(server.rows.user).toMatchObject([{ email: user.email, emailVerified: true, name: user.username }])
})

import { Auth, type AuthConfig } from '@auth/core'
import { expect, test } from 'vitest'
import { sharedService } from '../harness.ts'
import type { SomeApp } from '../world.ts'
import { allow, cookieJar } from './browser.ts'
import { appAndUser, expectWorks } from './outcome.ts'

const plaza = await sharedService()
const base_url = 'http://127.0.0.1:3998'

interface Account {
  providerAccountId: string
  access_token?: string
  id_token?: string
  scope?: string
}

/** An app's server with Auth.js, and a browser with a cookie jar. */
function someServer({ client_id, client_secret }: SomeApp) {
  const accounts: Account[] = []
  const config: AuthConfig = {
    secret: 'a secret of the app that only this test uses, long enough',
    trustHost: true,
    basePath: '/auth',
    logger: { error: () => {} },
    providers: [
      {
        id: 'plaza',
        name: 'Plaza',
        type: 'oidc',
        issuer: plaza.url,
        clientId: client_id,
        clientSecret: client_secret,
        authorization: { params: { scope: 'openid profile:read points:read' } },
        checks: ['pkce', 'state', 'nonce'],
      },
    ],
    callbacks: {
      signIn: ({ account }) => {
        accounts.push(account as unknown as Account)
        return true
      },
    },
  }
  const cookies = cookieJar()
  const visit = async (url: string | URL, form?: Record<string, string>) => {
    const response = await Auth(
      new Request(url, {
        headers: { cookie: cookies.header() },
        ...(form && { method: 'POST', body: new URLSearchParams(form) }),
      }),
      config,
    )
    cookies.keep(response.headers.getSetCookie())
    return response
  }
  const begin = async () => {
    const { csrfToken } = (await (await visit(`${base_url}/auth/csrf`)).json()) as { csrfToken: string }
    const response = await visit(`${base_url}/auth/signin/plaza`, { csrfToken, callbackUrl: base_url })
    return response.headers.get('location') ?? ''
  }
  return { accounts, visit, begin }
}

test('D-103: Auth.js with `type: oidc` signs in with state, nonce and PKCE, from the issuer alone', async () => {
  const { app, user } = await appAndUser(plaza, `${base_url}/auth/callback/plaza`)
  const server = someServer(app)
  const arrived = await server.visit(await allow(plaza, user, await server.begin()))
  expect([arrived.status, arrived.headers.get('location')]).toEqual([302, base_url])
  const session = (await (await server.visit(`${base_url}/auth/session`)).json()) as { user: object }
  expect(session.user).toEqual({ name: user.username, email: user.email })
  const [account] = server.accounts
  expect(account).toMatchObject({ providerAccountId: user.id, scope: 'openid profile:read points:read' })
  await expectWorks(plaza, account?.access_token, { app, user })
})

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, dirname } from 'node:path'
import { expect, test } from 'vitest'
import { authorizationQuery, pkce, someApp, someUser, type SomeApp } from '../../../server/test/world.ts'
import {
  expectAccessible,
  expectFits,
  phone,
  signIn,
  startConsole,
  waitForHeading,
  type Page,
} from '../../test/browser.ts'

const { plaza, page: newPage, pageAs } = await startConsole({ DNS_SERVERS: '127.0.0.1:1' })
const library = join(
  dirname(createRequire(import.meta.url).resolve('oidc-client-ts')),
  '../browser/oidc-client-ts.min.js',
)

/** A browser app that signs in with the unmodified oidc-client-ts and shows the result. */
const appPage = ({ client_id }: SomeApp) => `<!doctype html><title>App</title><h1>The app</h1><pre></pre>
<button id="in">Sign in</button><button id="out">Sign out</button>
<script src="/library.js"></script>
<script>
  const manager = new oidc.UserManager({
    authority: '${plaza.url}',
    client_id: '${client_id}',
    redirect_uri: 'https://app.test/cb',
    post_logout_redirect_uri: 'https://app.test/bye',
    scope: 'openid profile:read points:read',
    loadUserInfo: true,
  })
  const show = (text) => (document.querySelector('pre').textContent = text)
  document.getElementById('in').onclick = () => manager.signinRedirect({ nonce: 'a nonce' })
  document.getElementById('out').onclick = () => manager.signoutRedirect({ state: 'left' })
  const arrive = {
    '/cb': async () => {
      const { profile, access_token, scope } = await manager.signinRedirectCallback()
      show(JSON.stringify({ sub: profile.sub, name: profile.name, email: profile.email, scope }))
    },
    '/bye': async () => {
      await manager.signoutRedirectCallback()
      show('signed out')
    },
  }
  arrive[location.pathname]?.().catch((error) => show('failed: ' + error.message))
</script>`

/** The app at https://app.test, with the URLs at which it was opened. */
async function webApp(page: Page) {
  const app = await someApp(plaza, { scopes: ['profile:read', 'points:read'], redirect_uris: ['https://app.test/cb'] })
  const visits: URL[] = []
  await page.route('https://app.test/**', async (route) => {
    const url = new URL(route.request().url())
    if (url.pathname === '/library.js')
      return route.fulfill({ contentType: 'text/javascript', body: await readFile(library, 'utf8') })
    if (route.request().isNavigationRequest()) visits.push(url)
    await route.fulfill({ contentType: 'text/html', body: appPage(app) })
  })
  return { app, visits }
}

const request = (app: SomeApp, more: Record<string, string> = {}) => {
  const query = { ...authorizationQuery(app, pkce().code_challenge), scope: 'openid profile:read', ...more }
  return `/oauth/authorize?${new URLSearchParams(query).toString()}`
}

/** Waits until the app was opened this many times, and shows its page. */
async function arrival(page: Page, visits: URL[], times: number) {
  await expect.poll(() => visits.length).toBe(times)
  await waitForHeading(page, 'The app')
  return last(visits)
}

const last = (visits: URL[]) => Object.fromEntries(visits.at(-1)?.searchParams ?? [])

test('D-103: oidc-client-ts in a browser signs in, reads the claims and userinfo, and signs out of Plaza too', async () => {
  const user = await someUser(plaza)
  // Browsers ask before a page of the Internet calls a server on the same machine.
  const page = await newPage({ permissions: ['local-network-access'] })
  const { visits } = await webApp(page)
  await page.goto('https://app.test/')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await signIn(page, user)
  await page.getByText('Sign you in with your Plaza account').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText(`"sub":"${user.id}"`).waitFor()
  expect(JSON.parse((await page.locator('pre').textContent()) ?? '')).toEqual({
    sub: user.id,
    name: user.username,
    email: user.email,
    scope: 'openid profile:read points:read',
  })

  // The app sends the identity token of the signed-in person, so nobody is asked.
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('signed out').waitFor()
  expect(visits.at(-1)?.pathname).toBe('/bye')
  await page.goto(`${plaza.url}/account`)
  await waitForHeading(page, 'Sign in')
})

test('D-103: prompt=none answers at once: login_required, consent_required, or a code; prompt=consent asks again', async () => {
  const user = await someUser(plaza)
  const stranger = await newPage()
  const outside = await webApp(stranger)
  await stranger.goto(request(outside.app, { prompt: 'none', state: 's' }))
  await waitForHeading(stranger, 'The app')
  expect(last(outside.visits)).toEqual({
    error: 'login_required',
    error_description: expect.any(String),
    state: 's',
    iss: plaza.url,
  })

  const page = await pageAs(user)
  const { app, visits } = await webApp(page)
  await page.goto(request(app, { prompt: 'none' }))
  await waitForHeading(page, 'The app')
  expect(last(visits)).toMatchObject({ error: 'consent_required', iss: plaza.url })
  await page.goto(request(app))
  await page.getByRole('button', { name: 'Allow' }).click()
  await waitForHeading(page, 'The app')
  await page.goto(request(app, { prompt: 'none' }))
  expect(await arrival(page, visits, 3)).toMatchObject({ code: expect.any(String) as string })
  await page.goto(request(app, { prompt: 'consent' }))
  await page.getByRole('button', { name: 'Deny' }).click()
  expect(await arrival(page, visits, 4)).toMatchObject({ error: 'access_denied' })
  // An address that does not belong to the app never gets a response.
  await page.goto(request(app, { prompt: 'none', redirect_uri: 'https://evil.test/' }))
  await waitForHeading(page, 'This link does not work')
})

test('D-103: without a fitting hint a logout asks first', async () => {
  const user = await someUser(plaza)
  const page = await pageAs(user, { viewport: phone })
  const { app, visits } = await webApp(page)
  const query = { client_id: app.client_id, post_logout_redirect_uri: 'https://app.test/bye', state: 'x' }
  const address = `/oauth/logout?${new URLSearchParams(query).toString()}`
  await page.goto(address)
  await waitForHeading(page, 'Sign out of Plaza?')
  await expectAccessible(page)
  await expectFits(page)
  await page.getByRole('button', { name: 'Stay signed in' }).click()
  await waitForHeading(page, 'You are still signed in')
  await page.goto(address)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect.poll(() => visits.length).toBe(1)
  expect([visits[0]?.pathname, last(visits)]).toEqual(['/bye', { state: 'x' }])
})

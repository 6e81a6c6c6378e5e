import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { PlazaClient } from '../../../contract/client.ts'
import { logout } from '../../../contract/accounts.ts'
import { rejectApp } from '../../../contract/admin-apps.ts'
import { failures } from '../../../contract/errors.ts'
import { authorize, pushAuthorization, token } from '../../../contract/oauth.ts'
import { freePort } from '../../../server/test/free-port.ts'
import { enableTwoFactor, totpCode } from '../../../server/test/two-factor.ts'
import {
  authorizationQuery,
  codeRequest,
  pkce,
  someApp,
  someUser,
  theAdmin,
  type SomeApp,
  type SomeUser,
} from '../../../server/test/world.ts'
import {
  expectAccessible,
  prove,
  signIn as signInByPassword,
  startConsole,
  waitForHeading,
  type Page,
} from '../../test/browser.ts'

// Browsers support passkeys for names only, not for IP addresses.
const port = await freePort()
const { plaza, page: newPage } = await startConsole({
  PORT: String(port),
  PUBLIC_URL: `http://localhost:${port}`,
  DNS_SERVERS: '127.0.0.1:1',
})
const anonymous = new PlazaClient(plaza.url)
const inSeconds = (time: Date) => Math.floor(time.getTime() / 1_000)

/** A page whose sign-ins are counted, with an app at https://app.test and its visits. */
async function openBrowser() {
  const page = await newPage()
  // The authenticator answers immediately: it would sign in through the offer at the address field.
  await page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)
  })
  const visits: URL[] = []
  const sign_ins: string[] = []
  await page.route('https://app.test/**', async (route) => {
    visits.push(new URL(route.request().url()))
    await route.fulfill({ contentType: 'text/html', body: '<title>App</title><h1>The app</h1>' })
  })
  page.on('response', (answer) => {
    const { pathname } = new URL(answer.url())
    if (/^\/api\/auth\/(login|passkeys\/login)$/.test(pathname) && answer.status() === 200) sign_ins.push(pathname)
  })
  return { page, visits, sign_ins }
}

const requestOf = (app: SomeApp, code_challenge: string, more: Record<string, string>) => ({
  ...authorizationQuery(app, code_challenge),
  scope: 'openid profile:read',
  ...more,
})

/** The identity token of this authorization, which also grants what later ones ask for. */
async function idTokenOf(app: SomeApp, user: SomeUser) {
  const { code_verifier, code_challenge } = pkce()
  const { code } = await user.api.result(authorize, { query: requestOf(app, code_challenge, {}) })
  return (await anonymous.result(token, { body: codeRequest(app, { code, code_verifier }) })).id_token ?? ''
}

const byPasskey = (page: Page) => page.getByRole('button', { name: 'Sign in with a passkey' }).click()

type SignIn = (page: Page, user: SomeUser) => Promise<void>

/** Opens an authorization request, signs in once, and expects the app to get its response without another question. */
async function expectAskedOnce(
  { page, visits, sign_ins }: Awaited<ReturnType<typeof openBrowser>>,
  { app, user, more, signIn }: { app: SomeApp; user: SomeUser; more: Record<string, string>; signIn: SignIn },
) {
  const [before, signed_in] = [visits.length, sign_ins.length]
  plaza.clock.advance(100)
  const { code_verifier, code_challenge } = pkce()
  await page.goto(`/oauth/authorize?${new URLSearchParams(requestOf(app, code_challenge, more)).toString()}`)
  await waitForHeading(page, 'Sign in')
  await signIn(page, user)
  await expect.poll(() => visits.length).toBe(before + 1)
  await waitForHeading(page, 'The app')
  expect([more, sign_ins.length]).toEqual([more, signed_in + 1])
  const code = visits.at(-1)?.searchParams.get('code') ?? ''
  const { id_token } = await anonymous.result(token, { body: codeRequest(app, { code, code_verifier }) })
  expect(decodeJwt(id_token ?? '')).toMatchObject({ sub: user.id, auth_time: inSeconds(plaza.clock.now()) })
}

/** Some rows of the table in `server/oauth/rules.test.ts`. */
const requests: Record<string, string>[] = [{ prompt: 'login' }, { max_age: '0' }]

test('D-128: each of prompt and max_age asks for the password once, signed out and signed in', async () => {
  const [app, user, other] = [await someApp(plaza), await someUser(plaza), await someUser(plaza)]
  await idTokenOf(app, user)
  const id_token_hint = await idTokenOf(app, other)
  const browser = await openBrowser()
  for (const more of [...requests, { id_token_hint }]) {
    await expectAskedOnce(browser, { app, user, more, signIn: signInByPassword })
    // The person has just signed in.
    await expectAskedOnce(browser, { app, user, more, signIn: signInByPassword })
    await browser.page.goto('/status')
    await browser.page.evaluate(() => localStorage.clear())
  }
  // Another person is signed in than the app expects.
  await expectAskedOnce(browser, { app, user, more: {}, signIn: signInByPassword })
  await expectAskedOnce(browser, {
    app,
    user: other,
    more: { prompt: 'login', id_token_hint },
    signIn: signInByPassword,
  })
  await expectAskedOnce(browser, { app, user, more: { max_age: '0' }, signIn: signInByPassword })
})

test('D-128: with an authenticator app its code is asked for once', async () => {
  const [app, user] = [await someApp(plaza), await someUser(plaza)]
  await idTokenOf(app, user)
  const { secret } = await enableTwoFactor(plaza, user)
  const browser = await openBrowser()
  const signIn: SignIn = async (page) => {
    await signInByPassword(page, user)
    await page.getByLabel('Two-factor code').fill(totpCode(plaza.clock, secret))
  }
  await expectAskedOnce(browser, { app, user, more: { prompt: 'login' }, signIn })
})

test('D-128: with a passkey it is asked for once', async () => {
  const [app, user] = [await someApp(plaza), await someUser(plaza)]
  await idTokenOf(app, user)
  const browser = await openBrowser()
  const { page } = browser
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable', { enableUI: false })
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      automaticPresenceSimulation: true,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  })
  await page.goto('/sign-in?next=/account/security')
  await signInByPassword(page, user)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
  await prove(page, user.password)
  await page.getByText('The passkey is added.').waitFor()
  await expectAskedOnce(browser, { app, user, more: { prompt: 'login' }, signIn: byPasskey })
})

test('D-128: a new account, verified by a mailed code, and an ended session are asked once', async () => {
  const [app, user] = [await someApp(plaza), await someUser(plaza)]
  const browser = await openBrowser()
  const { page, visits, sign_ins } = browser
  const { code_challenge } = pkce()
  const query = requestOf(app, code_challenge, { prompt: 'login', max_age: '0' })
  await page.goto(`/oauth/authorize?${new URLSearchParams(query).toString()}`)
  await page.getByRole('link', { name: 'Create an account' }).click()
  await waitForHeading(page, 'Create an account')
  await page.getByLabel('E-mail address').fill('once@people.test')
  await page.getByLabel('Username').fill('asked-once')
  await page.getByLabel('Password', { exact: true }).fill('a few words in a row')
  await page.getByRole('button', { name: 'Create the account' }).click()
  const code = /code is (\d{6})/.exec(await plaza.mailTo('once@people.test'))?.[1] ?? ''
  await page.getByLabel('Code from the mail').fill(code)
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect.poll(() => visits.length).toBe(1)
  expect([visits[0]?.searchParams.has('code'), sign_ins.length]).toEqual([true, 1])
  await waitForHeading(page, 'The app')

  await idTokenOf(app, user)
  await page.goto('/status')
  await page.evaluate(() => localStorage.clear())
  await page.goto('/sign-in?next=/status')
  await signInByPassword(page, user)
  await page.waitForURL(({ pathname }) => pathname === '/status')
  const { token: ended } = await page.evaluate(
    () => JSON.parse(localStorage.getItem('plaza.session') ?? '') as { token: string },
  )
  await anonymous.withToken(ended).result(logout)
  plaza.clock.advance(100)
  await page.goto(`/oauth/authorize?${new URLSearchParams(query).toString()}`)
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.getByLabel('Password', { exact: true }).fill(user.password)
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect.poll(() => visits.length).toBe(2)
  expect([visits[1]?.searchParams.has('code'), sign_ins.length]).toEqual([true, 3])
})

test('D-128: prompt=none never asks: with max_age=0 or the hint of another person the app gets login_required', async () => {
  const [app, user, other] = [await someApp(plaza), await someUser(plaza), await someUser(plaza)]
  await idTokenOf(app, user)
  const id_token_hint = await idTokenOf(app, other)
  const { page, visits } = await openBrowser()
  await page.goto('/sign-in?next=/status')
  await signInByPassword(page, user)
  await page.waitForURL(({ pathname }) => pathname === '/status')
  const cases: [Record<string, string>, string][] = [
    [{ id_token_hint }, 'login_required'],
    [{ request: 'a.b.c' }, 'request_not_supported'],
    // A parameter of the page: apps cannot send it.
    [{ max_age: '0', after_sign_in: 'true' }, 'login_required'],
  ]
  // An unsupported parameter is refused before a sign-in.
  const stranger = await openBrowser()
  await stranger.page.goto(
    `/oauth/authorize?${new URLSearchParams(requestOf(app, pkce().code_challenge, { request: 'a' })).toString()}`,
  )
  await stranger.page.getByRole('alert').getByText(failures.request_not_supported.message).waitFor()
  await stranger.page.getByRole('link', { name: /^Go back to App/ }).click()
  await expect.poll(() => stranger.visits.at(-1)?.searchParams.get('error')).toBe('request_not_supported')
  for (const [at, [more, error]] of cases.entries()) {
    const query = requestOf(app, pkce().code_challenge, { prompt: 'none', state: 's', ...more })
    await page.goto(`/oauth/authorize?${new URLSearchParams(query).toString()}`)
    await expect.poll(() => visits.length).toBe(at + 1)
    await waitForHeading(page, 'The app')
    const { error: sent, state } = Object.fromEntries(visits[at]?.searchParams ?? [])
    expect([more, sent, state]).toEqual([more, error, 's'])
  }
})

test('D-151: a person allows a request that the app has pushed; its link opens once', async () => {
  const [app, user] = [await someApp(plaza), await someUser(plaza)]
  const { client_id, client_secret } = app
  const body = { ...requestOf(app, pkce().code_challenge, { state: 's' }), client_id, client_secret }
  const { request_uri } = await anonymous.result(pushAuthorization, { body })
  const { page, visits } = await openBrowser()
  const link = `/oauth/authorize?${new URLSearchParams({ client_id, request_uri }).toString()}`
  await page.goto(link)
  await signInByPassword(page, user)
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect.poll(() => visits.at(-1)?.searchParams.get('state')).toBe('s')
  expect(visits.at(-1)?.searchParams.has('code')).toBe(true)
  // A navigation that begins before the previous one has ended is refused.
  await waitForHeading(page, 'The app')
  await page.goto(link)
  await page.getByRole('alert').getByText(failures.invalid_request_uri.message).waitFor()
})

test('D-123: without a click a browser goes to approved apps only: pending and rejected ones get a page that names the host', async () => {
  const user = await someUser(plaza)
  const [pending, rejected] = [await someApp(plaza, { approved: false }), await someApp(plaza)]
  await (await theAdmin(plaza)).api.result(rejectApp, { params: { id: rejected.id }, body: {} })
  const { page, visits } = await openBrowser()
  const silent: Record<string, string>[] = [{}, { scope: 'nonsense' }, { request: 'x' }]
  const addressesOf = (app: SomeApp) => [
    ...silent.map(
      (more) =>
        `/oauth/authorize?${new URLSearchParams(requestOf(app, pkce().code_challenge, { prompt: 'none', ...more })).toString()}`,
    ),
    `/oauth/logout?client_id=${app.client_id}&post_logout_redirect_uri=https://app.test/bye&state=s`,
  ]
  for (const address of addressesOf(pending)) {
    await page.goto(address)
    const button = page.getByRole('link', { name: /^(?:Go back to App|Continue)/ })
    await button.waitFor()
    await page.getByText('This opens app.test').waitFor()
    await page.waitForLoadState('networkidle')
    expect([address, visits.length]).toEqual([address, 0])
  }
  await expectAccessible(page)

  await page.goto('/sign-in?next=/status')
  await signInByPassword(page, user)
  await page.waitForURL(({ pathname }) => pathname === '/status')
  for (const address of addressesOf(rejected).slice(0, 3)) {
    await page.goto(address)
    await page.getByRole('link', { name: /^Go back to App/ }).waitFor()
    expect([address, visits.length]).toEqual([address, 0])
  }
  await page.goto(addressesOf(rejected)[3] ?? '')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await waitForHeading(page, 'You are signed out')
  await page.getByRole('link', { name: 'Continue' }).click()
  await expect.poll(() => visits.map(({ href }) => href)).toEqual(['https://app.test/bye?state=s'])
})

test('F16: a logout to an address that is not registered offers to sign out, and stays', async () => {
  const [app, user] = [await someApp(plaza), await someUser(plaza)]
  const { page, visits } = await openBrowser()
  const queries: Record<string, string>[] = [
    { client_id: app.client_id, post_logout_redirect_uri: 'https://evil.test/' },
    { id_token_hint: 'forged', post_logout_redirect_uri: 'https://app.test/bye' },
  ]
  for (const query of queries) {
    const address = `/oauth/logout?${new URLSearchParams({ ...query, state: 's' }).toString()}`
    await page.goto('/sign-in?next=/status')
    await signInByPassword(page, user)
    await page.waitForURL(({ pathname }) => pathname === '/status')
    await page.goto(address)
    await waitForHeading(page, 'Sign out of Plaza?')
    await page.getByText('so you stay at Plaza').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await waitForHeading(page, 'You are signed out')
    expect(await page.getByRole('link', { name: 'Continue' }).count()).toBe(0)
    expect(page.url().endsWith(address)).toBe(true)
  }
  expect(visits).toEqual([])
})

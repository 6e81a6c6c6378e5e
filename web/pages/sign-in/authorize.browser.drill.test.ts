import { expect, onTestFinished, test } from 'vitest'
import { startOperatorApp } from '../../../examples/operator-app/app.ts'
import { approveApp, rejectApp } from '../../../contract/admin-apps.ts'
import { failures } from '../../../contract/errors.ts'
import { createApp, updateMyApp } from '../../../contract/oauth-apps.ts'
import { token } from '../../../contract/oauth.ts'
import type { Scope } from '../../../contract/kinds/scopes.ts'
import { PlazaClient } from '../../../contract/client.ts'
import { freePort } from '../../../server/test/free-port.ts'
import {
  authorizationQuery,
  givePoints,
  pkce,
  pointsOf,
  codeRequest,
  someApp,
  someUser,
  theAdmin,
  type SomeApp,
} from '../../../server/test/world.ts'
import {
  expectAccessible,
  expectFits,
  waitForHeading,
  type Page,
  phone,
  signIn,
  startConsole,
} from '../../test/browser.ts'

// Logo hosts of apps are not resolved: no DNS query leaves this machine.
const { plaza, page: newPage, pageAs } = await startConsole({ DNS_SERVERS: '127.0.0.1:1' })

/** An https app whose pages the browser's routing serves, with the URLs it was redirected to. */
async function webApp(page: Page, scopes: Scope[] = ['profile:read']) {
  const app = await someApp(plaza, { scopes, redirect_uris: ['https://app.test/cb?from=plaza'] })
  const visits: URL[] = []
  await page.route('https://app.test/**', async (route) => {
    visits.push(new URL(route.request().url()))
    await route.fulfill({ contentType: 'text/html', body: '<title>App</title><h1>The app</h1>' })
  })
  return { app, visits }
}

function request(app: SomeApp, more: Record<string, string> = {}) {
  const { code_verifier, code_challenge } = pkce()
  const query = new URLSearchParams({ ...authorizationQuery(app, code_challenge), ...more }).toString()
  return { code_verifier, address: `/oauth/authorize?${query}` }
}

/** The address of a request with another value of a parameter, or without it. */
function changed(address: string, name: string, value?: string) {
  const url = new URL(address, plaza.url)
  if (value === undefined) url.searchParams.delete(name)
  else url.searchParams.set(name, value)
  return url.pathname + url.search
}

/** Expects the message of a refusal and its advice. */
async function expectAdvice(page: Page, message: string, advice: RegExp) {
  await page.getByRole('alert').getByText(message.replaceAll('`', '')).waitFor()
  await page.getByText(advice).first().waitFor()
  await page.getByText('For the operator of the app').waitFor()
}

test('D-30: the example operator app signs a person in, and sells for points', async () => {
  const port = await freePort()
  const app_url = `http://127.0.0.1:${port}`
  const owner = await someUser(plaza)
  const { app } = await owner.api.result(createApp, {
    body: {
      app_name: 'Sticker Shop',
      app_description: 'Stickers for points',
      redirect_uris: [`${app_url}/callback`],
      requested_scopes: ['profile:read', 'points:read', 'points:spend'],
    },
  })
  await (await theAdmin(plaza)).api.result(approveApp, { params: { id: app.id }, body: {} })
  const { client_id, client_secret } = app
  const shop = await startOperatorApp({ plaza_url: plaza.url, client_id, client_secret, port, app_url })
  onTestFinished(() => shop.stop().then(() => {}))
  const user = await someUser(plaza)
  await givePoints(plaza, user, 1100)

  const page = await newPage({ viewport: phone })
  await page.goto(app_url)
  await page.getByRole('link', { name: 'Sign in with Plaza' }).click()
  await waitForHeading(page, 'Sign in')
  await signIn(page, user)
  await waitForHeading(page, 'Sticker Shop wants access to your account')
  expect(await page.title()).toBe('Allow Sticker Shop? · Plaza')
  await expectFits(page)
  for (const name of ['Allow', 'Not you?'])
    expect(
      await page.getByRole('button', { name }).evaluate((one) => one.getBoundingClientRect().bottom < innerHeight),
    ).toBe(true)
  for (const text of [
    'Stickers for points',
    owner.username,
    `127.0.0.1:${port}`,
    'Spend your points in this app',
    '1,100 points',
    `Signed in as ${user.username}.`,
  ])
    await page.getByText(text).first().waitFor()
  await page.getByText('not verified', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('You have 1100 points').waitFor()
  await page.getByRole('button', { name: 'Buy a sticker for 30 points' }).click()
  await page.getByText('Thank you! 30 points were taken.').waitFor()
  expect(await pointsOf(user)).toBe(1070)

  // A redirect URI without https needs consent every time; this time it is denied.
  await page.goto(`${app_url}/sign-in`)
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.getByText('Plaza answered: access_denied.').waitFor()
})

test('D-30: Allow returns a valid code, state and iss, replaces the page in the history, and is remembered', async () => {
  const user = await someUser(plaza)
  const page = await pageAs(user)
  const { app, visits } = await webApp(page)
  const { address, code_verifier } = request(app, { state: 'a&b=c d' })
  await page.goto(address)
  await page.getByRole('button', { name: 'Allow' }).click()
  await waitForHeading(page, 'The app')
  const [visit] = visits
  const parameters = Object.fromEntries(visit?.searchParams ?? [])
  expect(parameters).toEqual({ from: 'plaza', code: expect.any(String), state: 'a&b=c d', iss: plaza.url })
  const body = codeRequest(app, { code: parameters.code ?? '', code_verifier })
  expect((await new PlazaClient(plaza.url).call(token, { body })).status).toBe(200)
  expect(await page.evaluate(() => history.length)).toBe(2)
  await page.goto(request(app).address)
  await expect.poll(() => visits.length).toBe(2)
  expect(visits[1]?.searchParams.has('code')).toBe(true)
})

test('D-117: an app that changes between the page and the click is shown again, as it is now', async () => {
  const page = await pageAs(await someUser(plaza))
  const { app, visits } = await webApp(page)
  await page.goto(request(app).address)
  const allow = page.getByRole('button', { name: 'Allow' })
  await allow.waitFor()
  await app.owner.api.result(updateMyApp, { params: { id: app.id }, body: { app_name: 'Bank of Ada' } })
  await allow.click()
  await page.getByText('Bank of Ada').first().waitFor()
  await allow.waitFor()
  expect(visits).toEqual([])
  await allow.click()
  await waitForHeading(page, 'The app')
})

test('D-30: Deny returns access_denied without a code or grant', async () => {
  const user = await someUser(plaza)
  const page = await pageAs(user)
  const { app, visits } = await webApp(page)
  await page.goto(request(app).address)
  await page.getByRole('button', { name: 'Deny' }).click()
  await waitForHeading(page, 'The app')
  expect(Object.fromEntries(visits[0]?.searchParams ?? [])).toEqual({
    from: 'plaza',
    error: 'access_denied',
    iss: plaza.url,
  })
  expect(await plaza.db.sql`select app_id from connections where app_id = ${app.id}`).toEqual([])
  expect(await plaza.db.sql`select app_id from authorization_codes where app_id = ${app.id}`).toEqual([])
})

test('D-30: another account signs the first one out; the sign-in names the app, and an unknown app is refused before it', async () => {
  const [user, other] = [await someUser(plaza), await someUser(plaza)]
  const page = await pageAs(user)
  const { app } = await webApp(page)
  const body = { app_name: 'Paper Boats' }
  await app.owner.api.result(updateMyApp, { params: { id: app.id }, body })
  const { address } = request(app)
  await page.goto(address)
  await page.getByRole('button', { name: 'Not you?' }).click()
  await waitForHeading(page, 'Sign in')
  await page.getByText('Paper Boats asks for access').waitFor()
  await page.goto(address.replace(app.client_id, 'nobody'))
  await page.getByRole('alert').getByText(failures.unknown_client.message).waitFor()
  expect(await page.getByLabel('E-mail address').count()).toBe(0)
  await page.goto(address)
  await signIn(page, other)
  await page.getByText(`Signed in as ${other.username}.`).waitFor()
})

test('D-30: a password reset keeps the request', async () => {
  const user = await someUser(plaza)
  const page = await newPage()
  const { app } = await webApp(page, ['points:spend'])
  const { address } = request(app)
  await page.goto(address)
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await waitForHeading(page, 'Forgot your password?')
  await page.getByLabel('E-mail address').fill(user.email)
  await page.getByRole('button', { name: 'Send the mail' }).click()
  await page.getByRole('link', { name: 'Sign in here' }).click()
  // The page reports that the balance cannot be read before it enables Allow.
  await page.route('**/api/auth/me', (route) => route.fulfill({ status: 403, json: {} }))
  await signIn(page, user)
  await page.getByText('Your balance could not be read.').waitFor()
  await page.getByRole('button', { name: 'Allow' }).waitFor()
  expect(page.url()).toBe(plaza.url + address)
})

test('D-30: an invalid request shows advice to the operator, without a redirect, and without a link to an unverified receiver', async () => {
  const user = await someUser(plaza)
  const page = await pageAs(user)
  const app = await someApp(plaza)
  const elsewhere: string[] = []
  page.on('request', (sent) => {
    if (!sent.url().startsWith(plaza.url)) elsewhere.push(sent.url())
  })
  const { address } = request(app)
  const cases: [string, string, RegExp][] = [
    [changed(address, 'client_id', 'nobody'), failures.unknown_client.message, /Check client_id/],
    [
      changed(address, 'redirect_uri', 'https://evil.test/'),
      failures.redirect_uri_not_registered.message,
      /character by/,
    ],
    [`${address}&redirect_uri=https://evil.test/`, failures.parameter_repeated.message, /Correct the parameter/],
    [`${address}&client_id=${app.client_id}`, failures.parameter_repeated.message, /Correct the parameter/],
    ['/oauth/authorize', failures.validation_failed.message, /Add or correct the parameters/],
  ]
  for (const [at, message, advice] of cases) {
    await page.goto(at)
    await expectAdvice(page, message, advice)
    await page.waitForLoadState('networkidle')
    expect([page.url(), await page.getByRole('link', { name: /Go back/ }).count()]).toEqual([plaza.url + at, 0])
  }
  await expectAccessible(page)
  expect(elsewhere).toEqual([])
})

test('D-30: a refused request with a verified redirect URI shows advice and links back with error, state and iss (RFC 6749 §4.1.2.1)', async () => {
  const user = await someUser(plaza)
  const page = await pageAs(user)
  const { app, visits } = await webApp(page)
  const { address } = request(app, { state: 'a&b=c d' })
  const admin = await theAdmin(plaza)
  const { invalid_scope, unsupported_challenge_method, validation_failed, parameter_repeated } = failures
  const cases: [string, string, { message: string }, RegExp, string?][] = [
    [changed(address, 'scope', 'points:spend'), 'invalid_scope', invalid_scope, /allowed_scopes/],
    [
      changed(address, 'response_type', 'token'),
      'unsupported_response_type',
      failures.unsupported_response_type,
      /Send response_type=code/,
    ],
    [
      changed(address, 'code_challenge_method', 'plain'),
      'invalid_request',
      unsupported_challenge_method,
      /has to be S256/,
    ],
    [changed(address, 'code_challenge'), 'invalid_request', validation_failed, /Add or correct the parameters/],
    [`${address}&scope=a&scope=b`, 'invalid_request', parameter_repeated, /Correct the parameter/],
    [`${address}&state=again`, 'invalid_request', parameter_repeated, /Correct the parameter/, 'no state'],
    [address, 'unauthorized_client', failures.app_not_approved, /not yet verified/],
  ]
  for (const [at, error, { message }, advice, no_state] of cases) {
    if (error === 'unauthorized_client')
      await admin.api.result(rejectApp, { params: { id: app.id }, body: { reason: 'no' } })
    await page.goto(at)
    await expectAdvice(page, message, advice)
    await page.getByText('This opens app.test and tells the app what was wrong.').waitFor()
    await page.getByRole('link', { name: /^Go back to App/ }).click()
    await waitForHeading(page, 'The app')
    expect(Object.fromEntries(visits.at(-1)?.searchParams ?? [])).toEqual({
      from: 'plaza',
      error,
      error_description: message.replace(/["\\]/g, ''),
      ...(no_state === undefined && { state: 'a&b=c d' }),
      iss: plaza.url,
    })
  }
  expect(visits).toHaveLength(cases.length)
})

test('D-30: the warning about an unverified receiver is shown in full at every width', async () => {
  const user = await someUser(plaza)
  const app = await someApp(plaza, { redirect_uris: ['http://127.0.0.1/cb'] })
  const page = await pageAs(user)
  await page.goto(request(app, { redirect_uri: 'http://127.0.0.1:49152/cb' }).address)
  await page.getByText('not verified', { exact: false }).waitFor()
  for (const width of [320, 390, 768, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    const clipped = await page.evaluate(() =>
      [...document.querySelectorAll('main *')]
        .filter((one) => one.scrollWidth > one.clientWidth && one.clientWidth > 1)
        .filter((one) => getComputedStyle(one).overflowX !== 'visible')
        .map((one) => one.textContent),
    )
    expect([width, clipped]).toEqual([width, []])
  }
  await expectAccessible(page)
})

test('D-30: if an app on the device does not open, the page offers a retry', async () => {
  const user = await someUser(plaza)
  const page = await pageAs(user)
  const app = await someApp(plaza, { redirect_uris: ['com.example.boats:/cb'] })
  await page.goto(request(app).address)
  await page.getByRole('button', { name: 'Deny' }).click()
  const again = page.getByRole('link', { name: /^Open / })
  await again.waitFor()
  expect(await again.getAttribute('href')).toMatch(/^com\.example\.boats:\/cb\?error=access_denied&/)
  expect(await page.getByRole('button', { name: 'Allow' }).count()).toBe(0)
  await expectAccessible(page)
})

test('D-30: app metadata is rendered as text: no markup, no script URL, no external image', async () => {
  const user = await someUser(plaza)
  const page = await pageAs(user)
  const { app } = await webApp(page)
  const external: string[] = []
  page.on('request', (sent) => {
    if (!sent.url().startsWith(plaza.url)) external.push(sent.url())
  })
  await app.owner.api.result(updateMyApp, {
    params: { id: app.id },
    body: { app_name: '<img src=x onerror=alert(1)>', logo_url: 'https://tracker.test/logo.png' },
  })
  await plaza.db.sql`update oauth_apps set website_url = 'javascript:alert(1)' where id = ${app.id}`
  await page.goto(request(app).address)
  await waitForHeading(page, '<img src=x onerror=alert(1)> wants access to your account')
  expect(await page.getByRole('link', { name: 'javascript:alert(1)' }).count()).toBe(0)
  await page.waitForLoadState('networkidle')
  expect(external).toEqual([])
})

test('F5: the website of an app is shown as a URL parser reads it, also one that was stored before', async () => {
  const user = await someUser(plaza)
  const page = await pageAs(user)
  const { app } = await webApp(page)
  for (const [website_url, shown] of [
    ['https://evil.test/\u202emoc.knab//:sptth', 'https://evil.test/%E2%80%AEmoc.knab//:sptth'],
    ['https://bank.test\u3002evil.test/', 'https://bank.test.evil.test/'],
    ['https://\u0430pple.test', 'https://xn--pple-43d.test'],
  ] as const) {
    await plaza.db.sql`update oauth_apps set website_url = ${website_url} where id = ${app.id}`
    await page.goto(request(app).address)
    const link = page.getByRole('link', { name: shown, exact: true })
    await link.waitFor()
    expect(await page.locator('main').innerText()).not.toMatch(/\p{Bidi_Control}|\u3002|\u0430/u)
  }
})

test('D-100: a daily limit given with the consent binds the app from its first call on', async () => {
  const user = await someUser(plaza)
  await givePoints(plaza, user, 100)
  const page = await pageAs(user, { viewport: phone })
  const { app, visits } = await webApp(page, ['profile:read', 'points:read', 'points:spend', 'points:transfer'])
  await page.goto(request(app).address)
  const limit = page.getByLabel('Daily limit')
  // Without scrolling, the bar of the decision does not cover it.
  const [field, allow] = [await limit.boundingBox(), await page.getByRole('button', { name: 'Allow' }).boundingBox()]
  expect(field!.y + field!.height).toBeLessThan(allow!.y)
  await limit.fill('ten')
  await page.getByText('A whole number, or nothing for no limit.').waitFor()
  expect(await page.getByRole('button', { name: 'Allow' }).isDisabled()).toBe(true)
  await expectAccessible(page)
  await limit.fill('10')
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByRole('heading', { name: 'The app' }).waitFor()
  expect(visits).toHaveLength(1)
  const limits = await plaza.db.sql`select app_id, daily_limit from spending_limits where user_id = ${user.id}`
  expect(limits).toEqual([{ app_id: app.id, daily_limit: 10 }])
})

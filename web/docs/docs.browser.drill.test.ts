import { expect, test } from 'vitest'
import { listMyApps } from '../../contract/oauth-apps.ts'
import { getPoints } from '../../contract/points.ts'
import { pointsOf, someApp, someUser, world } from '../../server/test/world.ts'
import { expectStaticPageAccessible, phone, signIn, startConsole, waitForHeading, type Page } from '../test/browser.ts'

const { plaza, page: newPage, pageAs } = await startConsole()

test('without JavaScript guides and reference can be read, contents and samples in any language included', async () => {
  const page = await newPage({ javaScriptEnabled: false, viewport: phone })
  await page.goto('/docs')
  await page.getByRole('button', { name: 'Contents' }).click()
  await page.getByRole('navigation').getByRole('link', { name: 'Points', exact: true }).click()
  await waitForHeading(page, 'Points')
  const spend = page.locator('#spendPoints')
  await spend.getByRole('radio', { name: 'Python' }).check()
  await spend.getByText('import urllib.request').waitFor()
  expect(await page.getByText('Search').count()).toBe(1)
  expect(await page.getByRole('button', { name: /Search|Copy|Try it/ }).count()).toBe(0)
})

test('the search finds calls, guides and refusals by the keyboard alone', async () => {
  const page = await newPage()
  await page.goto('/docs')
  const input = page.getByRole('combobox', { name: /^Search/ })
  const find = async (words: string) => {
    await page.keyboard.press('/')
    await input.fill(words)
    await page.getByRole('option').first().waitFor()
  }
  await find('spend points')
  await expectStaticPageAccessible(page)
  await find('capture held points')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/docs\/reference\/payments#captureHold$/)

  await find('insufficient_points')
  await page.keyboard.press('Enter')
  await page.waitForURL(/refusals#insufficient_points$/)

  await page.keyboard.press('Control+k')
  await input.fill('native browser sign in')
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/docs\/guides\/pkce/)

  // Enter before the index has arrived follows the first result once it has.
  let send = () => {}
  const sent = new Promise<void>((resolve) => (send = resolve))
  await page.route('**/docs/search.json', (route) => sent.then(() => route.continue()))
  await page.keyboard.press('/')
  await input.fill('spend points')
  await page.keyboard.press('Enter')
  send()
  await page.waitForURL(/\/docs\/(?:guides|reference)\/(?!pkce)/)
  await page.unroute('**/docs/search.json')

  // A question in German, with a typing error.
  await page.keyboard.press('/')
  await input.fill('Wie kann ich Pukte ausgeben?')
  await page.getByRole('option', { name: 'Spend points safely' }).first().waitFor()
  await input.fill('how do i verfy a webhok')
  await page
    .getByRole('option', { name: /webhook/i })
    .first()
    .waitFor()
  // The word of other platforms.
  await input.fill('login')
  await page.getByRole('option', { name: 'Sign in and get a JWT' }).waitFor()
  await input.fill('zzzyx')
  await page.getByText('Nothing found.').waitFor()
  await page.keyboard.press('Escape')
  await input.waitFor({ state: 'hidden' })
})

test('one choice of a language holds for all samples, and on the next page', async () => {
  const page = await newPage()
  await page.goto('/docs/guides/spending')
  await page.getByRole('radio', { name: 'Node' }).first().check()
  expect(await page.getByRole('radio', { name: 'Node', checked: true }).count()).toBeGreaterThan(3)
  await page.goto('/docs/reference/points')
  await page.locator('#getPoints').getByText('await fetch').first().waitFor()
})

test('every block of code has a button that copies it', async () => {
  const page = await newPage({ permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto('/docs/reference/points')
  const sample = page.locator('#getPoints .code').first()
  const code = (await sample.locator('code').textContent()) ?? ''
  await sample.hover()
  await sample.getByRole('button', { name: 'Copy' }).click()
  await sample.getByText('Copied').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(code)
})

const tryForm = async (page: Page, operation: string) => {
  const article = page.locator(`#${operation}`)
  await article.getByRole('button', { name: 'Try it' }).click()
  return article.getByRole('form')
}

test('a call is tried with the user’s session, and a refusal links to its description', async () => {
  const user = await someUser(plaza)
  const page = await pageAs(user)
  await page.goto('/docs/reference/oauth-apps')
  const form = await tryForm(page, 'createApp')
  await form.getByText(`As ${user.username}, with your own session.`).waitFor()
  await expectStaticPageAccessible(page)
  const body = { app_name: 'Made in the reference', redirect_uris: ['https://made.example/cb'] }
  await form.getByLabel('Body').fill(JSON.stringify(body))
  await form.getByRole('button', { name: 'Send POST' }).click()
  await form.getByText('201', { exact: true }).waitFor()
  expect(await user.api.result(listMyApps)).toMatchObject([{ app_name: 'Made in the reference' }])

  await form.getByLabel('Body').fill(JSON.stringify({ ...body, app_name: '' }))
  await form.getByRole('button', { name: 'Send POST' }).click()
  await form.getByRole('link', { name: 'What does this mean?' }).click()
  await page.waitForURL(/refusals#validation_failed$/)
})

test('a call is tried with an access token, which stays in the tab, and with an app’s own credentials', async () => {
  const { user, app, tokens } = await world(plaza, { points: 100, scopes: ['points:read', 'points:spend'] })
  const page = await newPage()
  await page.goto('/docs/reference/points')
  const form = await tryForm(page, 'spendPoints')
  await form.getByLabel('Access token').fill(tokens.access_token)
  await form.getByLabel('Body').fill('{"amount": 40')
  await form.getByRole('button', { name: 'Send POST' }).click()
  expect(await pointsOf(user)).toBe(100)
  await form.getByLabel('Body').fill('{"amount": 40}')
  await form.getByRole('button', { name: 'Send POST' }).click()
  await form.getByText('"amount_spent": 40').waitFor()
  // The same key again: no further points are spent.
  await form.getByRole('button', { name: 'Send POST' }).click()
  await form.getByText('idempotency-replayed: true').waitFor()
  expect(await tokens.api.result(getPoints)).toEqual({ points: 60, held: 0 })

  await page.reload()
  const again = await tryForm(page, 'getPoints')
  await again.getByRole('button', { name: 'Send GET' }).click()
  await again.getByText('"points": 60').waitFor()

  await page.goto('/docs/reference/payments')
  const own = await tryForm(page, 'getOwnBalance')
  await own.getByLabel('client_id').fill(app.client_id)
  await own.getByLabel('client_secret').fill(app.client_secret)
  await own.getByRole('button', { name: 'Send GET' }).click()
  await own.getByText('"points": 40').waitFor()
})

test('an operator makes a call with a token of their own app, which is in no address', async () => {
  const { owner } = await someApp(plaza, { scopes: ['points:read'] })
  const page = await pageAs(owner)
  const addresses: string[] = []
  page.on('request', (request) => addresses.push(request.url()))
  await page.goto('/docs/reference/points')
  const form = await tryForm(page, 'getPoints')
  await form.getByRole('button', { name: 'Use a token of this app' }).click()
  await form.getByText(/^App .+ now acts for you/).waitFor()
  await expectStaticPageAccessible(page)
  const token = await form.getByLabel('Access token').inputValue()
  await form.getByRole('button', { name: 'Send GET' }).click()
  await form.getByText('"points": 0').waitFor()
  expect([token.length > 20, addresses.filter((address) => address.includes(token))]).toEqual([true, []])
})

test('a signed-out user is redirected to the sign-in and back; an old link to a call opens its page', async () => {
  const user = await someUser(plaza)
  const page = await newPage()
  await page.goto('/docs#me')
  await page.waitForURL(/\/docs\/reference\/accounts#me$/)
  const form = await tryForm(page, 'me')
  await form.getByRole('link', { name: 'Sign in' }).click()
  await signIn(page, user)
  await page.waitForURL(/\/docs\/reference\/accounts#me$/)
  await waitForHeading(page, 'Accounts')
  const mine = await tryForm(page, 'me')
  await mine.getByRole('button', { name: 'Send GET' }).click()
  await mine.getByText(`"email": "${user.email}"`).waitFor()
})

test('a stream is shown as it comes, until it is stopped', async () => {
  const user = await someUser(plaza)
  const page = await pageAs(user)
  await page.goto('/docs/reference/social')
  const form = await tryForm(page, 'readEvents')
  await form.getByRole('button', { name: 'Send GET' }).click()
  await form.getByText('retry:').waitFor()
  await form.getByRole('button', { name: 'Stop' }).click()
  await form.getByText('Stopped.').waitFor()
})

test('little is loaded before a page can be read', async () => {
  for (const path of ['/docs', '/docs/guides/spending', '/docs/reference/payments']) {
    const page = await newPage()
    await page.goto(path, { waitUntil: 'networkidle' })
    const loaded = await page.evaluate(() => {
      const entries = performance.getEntries() as (PerformanceResourceTiming & { renderBlockingStatus?: string })[]
      return entries
        .filter(({ entryType }) => entryType === 'navigation' || entryType === 'resource')
        .map(({ name, entryType, encodedBodySize, renderBlockingStatus }) => ({
          path: new URL(name).pathname,
          bytes: encodedBodySize,
          is_awaited: entryType === 'navigation' || renderBlockingStatus === 'blocking',
        }))
    })
    const awaited = loaded.filter(({ is_awaited }) => is_awaited)
    expect(awaited.map((entry) => entry.path)).toEqual([path, '/docs/docs.css', '/docs/scheme.js'])
    // 60 kB take a third of a second at 1.6 Mbit/s; `web/test/page-costs.ts` measures the largest contentful paint.
    const bytes = awaited.reduce((sum, entry) => sum + entry.bytes, 0)
    expect([path, bytes > 1_000, bytes < 60_000]).toEqual([path, true, true])
    expect(loaded.reduce((sum, entry) => sum + entry.bytes, 0)).toBeLessThan(200_000)
  }
})

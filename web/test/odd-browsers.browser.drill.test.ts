import { expect, test } from 'vitest'
import { authorizationQuery, pkce, someApp, someUser } from '../../server/test/world.ts'
import { signIn, startConsole, waitForHeading } from './browser.ts'

const { plaza, page: newPage } = await startConsole()

/** A page in a browser whose storage throws on any access. */
async function forgetfulPage() {
  const page = await newPage()
  await page.addInitScript(() => {
    const refuse = {
      get: () => {
        throw new DOMException('The operation is insecure.', 'SecurityError')
      },
    }
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches'])
      Object.defineProperty(window, name, refuse)
    Object.defineProperty(Document.prototype, 'cookie', refuse)
  })
  return page
}

const consentAddress = async () =>
  `/oauth/authorize?${new URLSearchParams(authorizationQuery(await someApp(plaza), pkce().code_challenge)).toString()}`

test('F1: with a language tag that Intl refuses, sign-in, consent and the console work', async () => {
  const user = await someUser(plaza)
  const page = await newPage()
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'language', { get: () => 'en-US@posix' })
    Object.defineProperty(navigator, 'languages', { get: () => ['en-US@posix'] })
  })
  await page.goto('/sign-in')
  await signIn(page, user)
  await waitForHeading(page, `Hello, ${user.username}`)
  await page.goto(await consentAddress())
  await page.getByRole('button', { name: 'Allow' }).waitFor()
  for (const path of ['/points', '/friends', '/status', '/build/apps', '/account']) {
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    expect([path, await page.getByText(/Plaza was updated|This page failed/).count()]).toEqual([path, 0])
  }
})

test('F1: a part whose code fails says so, and not that Plaza was updated', async () => {
  const page = await newPage()
  // React logs errors of the page.
  await page.addInitScript(() => void Object.assign(console, { error: () => undefined }))
  await page.route('**/assets/forgot-password-*.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: 'throw new RangeError("odd part")' }),
  )
  await page.goto('/forgot-password')
  await waitForHeading(page, 'This page failed')
  await page.getByText('odd part').waitFor()
  expect(await page.getByText('Plaza was updated').count()).toBe(0)
})

test('F7: without storage the pages work for the visit, and the sign-in warns that nothing is stored', async () => {
  const user = await someUser(plaza, { verified: false })
  const page = await forgetfulPage()
  for (const path of ['/', '/register', '/nothing-here', '/docs', '/docs/reference/points']) {
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
  }
  await page.goto('/verify-email#code=123456')
  await waitForHeading(page, 'Sign in')
  await page.getByText('Your browser keeps no data of Plaza').waitFor()
  expect(await page.getByLabel('Language').count()).toBe(0)
  await signIn(page, user)
  await page.getByLabel('Code from the mail').waitFor()
  expect(await page.getByLabel('Code from the mail').inputValue()).toBe('123456')
  await page.goto(await consentAddress())
  await signIn(page, user)
  await page.getByRole('button', { name: 'Allow' }).waitFor()
  await page.goto('/sign-in')
  await signIn(page, user)
  await waitForHeading(page, `Hello, ${user.username}`)
  await page.getByRole('link', { name: 'Points' }).first().click()
  await waitForHeading(page, 'Points')
})

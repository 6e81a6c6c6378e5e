import { expect, test } from 'vitest'
import { me } from '../../../contract/accounts.ts'
import { createApp } from '../../../contract/oauth-apps.ts'
import { createTestPerson } from '../../../contract/sandbox.ts'
import { sharedService } from '../../../server/test/harness.ts'
import { authorizationQuery, pkce, someUser } from '../../../server/test/world.ts'
import { expectAccessible, phone, startConsole, waitForHeading, type Page } from '../../test/browser.ts'
import { expectFitsPhone } from '../../test/fits-phone.ts'

const { plaza, page: newPage, pageAs } = await startConsole({ SANDBOX: 'on', ROLES: 'api' })

const banner = (page: Page) => page.getByRole('region', { name: 'Sandbox', exact: true })
/** The banner is fully visible, also on a phone. */
async function expectBanner(page: Page) {
  await banner(page).getByText('Sandbox', { exact: true }).waitFor()
  await expectFitsPhone(page)
}

/** The button lies within the window of a phone. */
async function expectWhole(page: Page, name: string) {
  await page.setViewportSize(phone)
  const { x = 0, width = 0 } = (await page.getByRole('button', { name }).boundingBox()) ?? {}
  expect([name, width > 0, x + width <= phone.width]).toEqual([name, true, true])
}

async function appOf({ api }: Awaited<ReturnType<typeof someUser>>) {
  const redirect_uri = 'https://lantern.example/callback'
  const { app } = await api.result(createApp, {
    body: { app_name: 'Lantern', redirect_uris: [redirect_uri], requested_scopes: ['profile:read', 'points:spend'] },
  })
  const query = authorizationQuery({ ...app, redirect_uri, owner: undefined as never }, pkce().code_challenge)
  return {
    ...app,
    consent: `/oauth/authorize?${new URLSearchParams({ ...query, scope: 'profile:read points:spend' }).toString()}`,
  }
}

test('D-102: every page has a banner: the first one, sign-in, registration, consent, logout, and those of people', async () => {
  const olga = await someUser(plaza)
  const app = await appOf(olga)
  const guest = await newPage()
  for (const path of ['/', '/sign-in', '/register', '/directory', '/nowhere', app.consent]) {
    await guest.goto(path)
    await guest.locator('main h1').first().waitFor()
    await expectBanner(guest)
  }
  await guest.goto('/docs')
  await guest.getByText('Play points, and apps that nobody has checked.').waitFor()
  await expectFitsPhone(guest)
  await guest.goto('/sign-in')
  const page = await pageAs(olga)
  for (const path of ['/', '/account', '/points', '/apps', '/chat', app.consent, '/oauth/logout']) {
    await page.goto(path)
    await page.locator('main h1').first().waitFor()
    await page.getByRole('button', { name: `Seen as ${olga.username}` }).waitFor()
    await expectBanner(page)
  }
})

test('D-102: a person gives oneself points, and sees them as play points in the history', async () => {
  const olga = await someUser(plaza)
  const page = await pageAs(olga)
  await page.goto('/points')
  await page.getByRole('link', { name: 'Give me points' }).first().click()
  await waitForHeading(page, 'Give me points')
  await page.getByLabel('Points', { exact: true }).fill('20000')
  await page.getByRole('button', { name: 'Give me points' }).click()
  await page
    .getByText('must be <= 10000')
    .or(page.getByText(/10,?000/).nth(1))
    .first()
    .waitFor()
  await page.getByLabel('Points', { exact: true }).fill('250')
  await page.getByRole('button', { name: 'Give me points' }).click()
  await page.getByText('250 points for you. Your balance is 250 points.').waitFor()
  await expectAccessible(page)
  await expectFitsPhone(page)
  await page.getByRole('link', { name: 'history' }).click()
  await waitForHeading(page, 'Points')
  await page
    .getByRole('cell', { name: /Play points/ })
    .first()
    .waitFor()
})

test('D-102: the mails of a person are shown, and the code of one verifies the address', async () => {
  const ada = await someUser(plaza, { verified: false })
  const page = await pageAs(ada)
  await page.goto('/sandbox/mails')
  await page.getByText('No mails yet').waitFor()
  await page.goto('/verify-email')
  await page.getByRole('button', { name: 'Send the code' }).click()
  await page.getByText('A new code is in My mails.').waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'My mails' }).click()
  await waitForHeading(page, 'My mails')
  const subject = page.getByRole('heading', { name: /^\d{6} is your Plaza verification code$/ })
  await expect
    .poll(async () => {
      await page.getByRole('button', { name: 'Look again' }).click()
      return subject.count()
    })
    .toBe(1)
  await expectAccessible(page)
  await expectFitsPhone(page)
  const [opened] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: /verify-email#code=/ }).click(),
  ])
  await opened.getByRole('button', { name: 'Verify' }).click()
  await waitForHeading(opened, /^Hello, /)
})

test('D-102: one makes a test person, sees an app as this person, and comes back with one click', async () => {
  const olga = await someUser(plaza)
  const app = await appOf(olga)
  const page = await pageAs(olga)
  await page.goto('/sandbox/persons')
  await page.getByText('No test persons yet').waitFor()
  await page.getByLabel('Username').fill('a b')
  await page.getByRole('button', { name: 'Make a test person' }).click()
  await page
    .getByText(/3 to \d+ letters, digits, dots, dashes or underscores\.$/)
    .first()
    .waitFor()
  await page.getByLabel('Username').fill(olga.username)
  await page.getByRole('button', { name: 'Make a test person' }).click()
  await page.getByText('This username is taken.').waitFor()
  await page.getByLabel('Username').fill(`Tess-${olga.username}`)
  await page.getByRole('button', { name: 'Make a test person' }).click()
  await page.getByRole('list', { name: 'Test persons' }).getByText(`Tess-${olga.username}`, { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Make a test person' }).click()
  await expect.poll(() => page.getByRole('list', { name: 'Test persons' }).getByRole('listitem').count()).toBe(2)
  await expectAccessible(page)
  await expectFitsPhone(page)

  await page.getByRole('button', { name: `Sign in as Tess-${olga.username}` }).click()
  await page.getByRole('button', { name: `Seen as Tess-${olga.username}. Change` }).waitFor()
  await page.getByText('You, now').waitFor()
  await page.goto(app.consent)
  await waitForHeading(page, /Lantern wants access/)
  await page.getByText(`Signed in as Tess-${olga.username}.`).waitFor()
  await expectBanner(page)
  await expectAccessible(page)

  // Another person from the banner of this page, then back.
  await page.getByRole('button', { name: /^Seen as/ }).click()
  await page.getByRole('menuitem', { name: /^As person-/ }).waitFor()
  expect(await page.getByRole('menuitem', { name: /^As / }).count()).toBe(1)
  await page.getByRole('menuitem', { name: /^As person-/ }).click()
  await page.getByText(/^Signed in as person-/).waitFor()
  await page.setViewportSize(phone)
  await expectWhole(page, `Back to ${olga.username}`)
  await page.getByRole('button', { name: `Back to ${olga.username}` }).click()
  await page.getByText(`Signed in as ${olga.username}.`).waitFor()
  expect(await page.getByRole('button', { name: /^Back to/ }).count()).toBe(0)
  expect(await page.evaluate(() => localStorage.getItem('plaza.own_session'))).toBeNull()
})

test('D-102: after the sign-in as a test person has ended, one click renews it; signing out ends one’s own session too', async () => {
  const olga = await someUser(plaza)
  const { person } = await olga.api.result(createTestPerson, { body: {} })
  const page = await pageAs(olga)
  await page.goto('/sandbox/persons')
  await page.getByRole('button', { name: `Sign in as ${person.username}` }).click()
  await page.getByText('You, now').waitFor()
  await plaza.db.sql`update login_sessions set ended_at = now() where user_id = ${person.id}`
  await plaza.service.app.invalidations.publish(plaza.db as never, [`user ${person.id}`]).catch(() => undefined)
  await page.goto('/account')
  await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
  await page.getByRole('button', { name: `Continue as ${person.username}` }).click()
  await waitForHeading(page, 'Your account')
  await page.getByText(person.email).first().waitFor()

  const tokens = await page.evaluate(() =>
    ['plaza.session', 'plaza.own_session'].map((key) => {
      const { token, session } = JSON.parse(localStorage.getItem(key) ?? '{}') as {
        token?: string
        session?: { token: string }
      }
      return token ?? session?.token ?? ''
    }),
  )
  const isValid = async (token: string) => (await olga.api.withToken(token).call(me)).status === 200
  expect(await Promise.all(tokens.map(isValid))).toEqual([true, true])
  await page.getByRole('button', { name: person.username, exact: true }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in' }).first().waitFor()
  await expect.poll(() => Promise.all(tokens.map(isValid))).toEqual([false, false])
  expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('session')))).toEqual([])
})

test('D-102: the console of the real space has no banner, no page of a sandbox and no switch, also with a stored session of a sandbox', async () => {
  const real = await sharedService()
  const ada = await someUser(real)
  const session = { token: ada.token, user: { id: ada.id, username: ada.username, email: ada.email, is_admin: false } }
  const own = { session: { ...session, user: { ...session.user, username: 'root' } }, person_id: ada.id }
  const localStorage = Object.entries({ 'plaza.session': session, 'plaza.own_session': own }).map(([name, value]) => ({
    name,
    value: JSON.stringify(value),
  }))
  const page = await newPage({
    baseURL: real.url,
    storageState: { cookies: [], origins: [{ origin: real.url, localStorage }] },
  })
  for (const path of ['/sandbox/points', '/sandbox/mails', '/sandbox/persons']) {
    await page.goto(path)
    await waitForHeading(page, 'There is no page here')
  }
  await page.goto('/docs')
  await page.locator('h1').first().waitFor()
  expect(await page.getByText(/nobody has checked/).count()).toBe(0)
  await page.goto('/points')
  await waitForHeading(page, 'Points')
  expect(await page.getByText(/sandbox|play points|give me points|back to root/i).count()).toBe(0)
})

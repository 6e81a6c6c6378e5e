import { expect, test } from 'vitest'
import { approveApp } from '../../../contract/admin.ts'
import { createApp } from '../../../contract/oauth-apps.ts'
import { firstAdmin } from '../../../server/test/harness.ts'
import { raw, someApp, someUser, theAdmin } from '../../../server/test/world.ts'
import { pages } from '../../pages.ts'
import { expectAccessible, expectFits, waitForHeading, phone, startConsole } from '../../test/browser.ts'

const { plaza, page: newPage, pageAs } = await startConsole({})

test('the landing page describes Plaza and links to the next pages', async () => {
  const page = await newPage()
  await page.goto('/')
  await waitForHeading(page, 'One account and one balance for many apps')
  expect(await page.title()).toBe('Plaza')
  await page.getByRole('link', { name: 'Create an account' }).click()
  await waitForHeading(page, 'Create an account')
  await expect.poll(() => page.title()).toBe('Create an account · Plaza')
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Create an account')
})

test('the first page of a new user lists next steps', async () => {
  const user = await someUser(plaza, { verified: false })
  const page = await pageAs(user)
  await page.goto('/')
  await waitForHeading(page, `Hello, ${user.username}`)
  const steps = page.getByRole('listitem').filter({ has: page.getByRole('link') })
  await page.getByText('Verify your e-mail address').waitFor()
  expect(await steps.getByRole('link').allTextContents()).toContain('Verify')
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Verify' }).click()
  await page.waitForURL('/verify-email')
})

test('the overview of an admin counts pending reviews', async () => {
  await someApp(plaza, { approved: false })
  const page = await pageAs(firstAdmin)
  await page.goto('/')
  await page.getByText('1 app is pending your decision.').waitFor()
})

test('the directory shows listed apps with escaped text and safe links', async () => {
  const app = await someApp(plaza)
  const admin = await theAdmin(plaza)
  await admin.api.result(approveApp, { params: { id: app.id }, body: { listed: true } })
  await plaza.db
    .sql`update oauth_apps set app_name = '<b>Bold</b>', website_url = 'javascript:alert(1)' where id = ${app.id}`
  const page = await newPage({ viewport: phone })
  await page.goto('/directory')
  await page.getByRole('heading', { name: '<b>Bold</b>' }).waitFor()
  expect(await page.locator('main a').count()).toBe(0)
  await expectFits(page)
})

test('the status page shows the state of the service', async () => {
  const page = await newPage()
  await page.goto('/status')
  await page.getByText('Everything works.').waitFor()
  const { body } = await raw(plaza, 'GET', '/health')
  await page.getByText((body as { version: string }).version).waitFor()
  await page.context().setOffline(true)
  await page.getByText('This device is offline.').waitFor()
})

test('the documentation links to the first page', async () => {
  const page = await newPage()
  await page.goto('/docs')
  await page.getByRole('link', { name: 'Plaza, first page' }).click()
  await waitForHeading(page, 'One account and one balance for many apps')
})

test('unknown pages and admin pages have a page that says so', async () => {
  const page = await newPage()
  await page.goto('/no/such/page')
  await waitForHeading(page, 'There is no page here')
  await expectAccessible(page)
  const [admins_page] = pages.filter(({ access, path }) => access === 'admin' && !path.includes('$'))
  const mine = await pageAs(await someUser(plaza))
  await mine.goto(admins_page?.path ?? '')
  await waitForHeading(mine, 'This page is for admins')
  await expectAccessible(mine)
})

test('the command palette opens with a key and navigates to a page', async () => {
  const page = await newPage()
  await page.goto('/')
  await waitForHeading(page, 'One account and one balance for many apps')
  await page.keyboard.press('/')
  await page.keyboard.press('Control+k')
  await page.getByLabel('What do you look for?').fill('stat')
  await page.keyboard.press('Enter')
  await page.waitForURL('/status')
  await waitForHeading(page, 'Service status')
})

test('the colour scheme is remembered and applied before the first paint', async () => {
  const page = await newPage({ colorScheme: 'light' })
  await page.goto('/')
  const scheme = () => page.evaluate(() => document.documentElement.getAttribute('data-mantine-color-scheme'))
  expect(await scheme()).toBe('light')
  await page.getByRole('button', { name: /^Colours: like the system/ }).click()
  await page.getByRole('button', { name: /^Colours: light/ }).click()
  expect(await scheme()).toBe('dark')
  await page.reload()
  await page.getByRole('button', { name: /^Colours: dark/ }).waitFor()
  expect(await scheme()).toBe('dark')
})

test('the first Tab stop skips to the content', async () => {
  const page = await newPage()
  await page.goto('/directory')
  await waitForHeading(page, 'Directory of apps')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('content')
})

test('at phone width Tab skips the closed navigation', async () => {
  const page = await pageAs(await someUser(plaza), { viewport: phone })
  await page.goto('/')
  await waitForHeading(page, /^Hello, /)
  const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
  expect(await links.count()).toBe(0)
  await page.getByRole('button', { name: 'Open the navigation' }).click()
  // The first entry has the focus; Escape returns it to the button.
  await expect.poll(() => page.evaluate(() => document.activeElement?.closest('nav')?.ariaLabel)).toBe('Pages')
  expect(await page.getByRole('button', { name: 'Close the navigation' }).getAttribute('aria-expanded')).toBe('true')
  await page.keyboard.press('Escape')
  await expect.poll(() => page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Open the navigation')
  await page.keyboard.press('Enter')
  await links.getByText('Connected apps').click()
  await waitForHeading(page, 'Connected apps')
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Connected apps')
  expect(await links.count()).toBe(0)
})

test('the palette finds pages and apps by word prefixes in any order', async () => {
  const owner = await someUser(plaza)
  await owner.api.result(createApp, {
    body: { app_name: 'The Sticker Shop', redirect_uris: ['https://stickers.example/callback'] },
  })
  const page = await pageAs(owner)
  await page.goto('/status')
  await waitForHeading(page, 'Service status')
  await page.keyboard.press('Control+k')
  const query = page.getByLabel('What do you look for?')
  const found = () => page.getByRole('dialog').getByRole('button').allInnerTexts()
  for (const words of ['stick', 'shop stick', 'my apps STICK', 'sho the']) {
    await query.fill(words)
    await expect.poll(found).toEqual([expect.stringContaining('The Sticker Shop')])
  }
  await query.fill('tick')
  await page.getByText('Nothing has these words.').waitFor()
  await query.fill('auth two')
  await expect.poll(found).toEqual([expect.stringContaining('Security')])
  await query.fill('stick')
  await page.keyboard.press('Enter')
  await waitForHeading(page, 'The Sticker Shop')
})

import { expect, test } from 'vitest'
import { approveApp } from '../../../contract/admin-apps.ts'
import { raw, someApp, theAdmin } from '../../../server/test/world.ts'
import { expectAccessible, expectFits, waitForHeading, phone, startConsole } from '../../test/browser.ts'

const { plaza, page: newPage } = await startConsole({})

test('a visitor: the landing page has links, the palette opens with a key, and the documentation links back', async () => {
  const page = await newPage()
  await page.goto('/docs')
  await page.getByRole('link', { name: 'Plaza, home page' }).click()
  await waitForHeading(page, 'One account and one balance for many apps')
  expect(await page.title()).toBe('One account and one balance for many apps · Plaza')
  await page.keyboard.press('/')
  await page.keyboard.press('Control+k')
  await page.getByLabel('What are you looking for?').fill('direc')
  await page.keyboard.press('Enter')
  await waitForHeading(page, 'Directory of apps')
  await page.goBack()
  await page.getByRole('link', { name: 'Create an account' }).click()
  await waitForHeading(page, 'Create an account')
  await expect.poll(() => page.title()).toBe('Create an account · Plaza')
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Create an account')
  await page.goto('/no/such/page')
  await waitForHeading(page, 'There is no page here')
  await expectAccessible(page)
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

test('the colour scheme is remembered and applied before the first paint, also in the documentation', async () => {
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
  await page.goto('/docs')
  expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(20, 25, 23)')
})

import { expect, test } from 'vitest'
import { listMyApps } from '../../contract/oauth-apps.ts'
import { someApp, someUser } from '../../server/test/world.ts'
import { expectAccessible, waitForHeading, startConsole, type Page } from '../test/browser.ts'

const { plaza, page: newPage, pageAs } = await startConsole()

const question = (page: Page) => page.getByRole('dialog', { name: 'Leave without saving?' })
const stay = (page: Page) => question(page).getByRole('button', { name: 'Stay on this page' }).click()
const leave = (page: Page) => question(page).getByRole('button', { name: 'Leave', exact: true }).click()

test('links, tabs, Back and sign-out ask before changed settings of an app are lost', async () => {
  const app = await someApp(plaza)
  const page = await pageAs(app.owner)
  await page.goto('/apps')
  await page.locator(`main a[href="/apps/${app.id}"]`).first().click()
  await page.getByRole('tab', { name: 'Settings' }).click()
  const name = page.getByLabel('Name', { exact: true })
  await name.fill('Another name')

  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Playground', exact: true }).click()
  await expectAccessible(page)
  await stay(page)
  await question(page).waitFor({ state: 'detached' })
  expect(await name.inputValue()).toBe('Another name')

  await page.getByRole('tab', { name: 'Home' }).click()
  await page.keyboard.press('Escape')
  await question(page).waitFor({ state: 'detached' })
  expect([await name.inputValue(), new URL(page.url()).search]).toEqual(['Another name', '?tab=settings'])

  await page.evaluate(() => history.back())
  await stay(page)
  await expect.poll(() => new URL(page.url()).search).toBe('?tab=settings')
  expect(await name.inputValue()).toBe('Another name')

  await page.getByRole('button', { name: app.owner.username }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await stay(page)
  expect(await name.inputValue()).toBe('Another name')

  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Playground', exact: true }).click()
  await leave(page)
  await waitForHeading(page, 'Playground')
  // No question on the next page or after the change is saved.
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Deployments', exact: true }).click()
  await waitForHeading(page, 'Deployments')
  await page.goto(`/apps/${app.id}?tab=settings`)
  await name.fill('A saved name')
  await page.getByRole('button', { name: 'Save changes', exact: true }).click()
  await expect.poll(async () => (await app.owner.api.result(listMyApps))[0]?.app_name).toBe('A saved name')
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Playground', exact: true }).click()
  await waitForHeading(page, 'Playground')
})

test('closing the tab asks only while a new app is not saved', async () => {
  const page = await pageAs(await someUser(plaza))
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.type())
    void dialog.dismiss()
  })
  await page.goto('/apps/new')
  const name = page.getByLabel('Name', { exact: true })
  await name.fill('Half an app')
  await page.close({ runBeforeUnload: true })
  await expect.poll(() => dialogs).toEqual(['beforeunload'])
  expect(await name.inputValue()).toBe('Half an app')
  await name.fill('')
  await page.close({ runBeforeUnload: true })
  await expect.poll(() => page.isClosed()).toBe(true)
  expect(dialogs).toEqual(['beforeunload'])
})

test('signing out of an expired session asks before changes are lost', async () => {
  const app = await someApp(plaza)
  const page = await pageAs(app.owner)
  await page.goto(`/apps/${app.id}?tab=settings`)
  await page.getByLabel('Name', { exact: true }).fill('Late at night')
  await page.route('**/api/oauth/my-apps/*', (route) =>
    route.fulfill({ status: 401, json: { error: 'invalid_token', message: 'over' } }),
  )
  await page.getByRole('button', { name: 'Save changes', exact: true }).click()
  const again = page.getByRole('dialog', { name: 'Sign in again' })
  await again.getByRole('button', { name: 'Sign out instead' }).click()
  await stay(page)
  await page.unroute('**/api/oauth/my-apps/*')
  await again.getByLabel('Password', { exact: true }).fill(app.owner.password)
  await again.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect.poll(async () => (await app.owner.api.result(listMyApps))[0]?.app_name).toBe('Late at night')
})

test('typed passwords and codes do not ask', async () => {
  const page = await newPage()
  await page.goto('/sign-in')
  await page.getByLabel('E-mail address').fill('ada@people.test')
  await page.getByLabel('Password', { exact: true }).fill('something')
  await page.getByRole('link', { name: 'Create an account' }).click()
  await waitForHeading(page, 'Create an account')
  // A started registration does ask.
  await page.getByLabel('Username').fill('ada')
  await page
    .getByRole('link', { name: /sign in/i })
    .first()
    .click()
  await stay(page)
  expect(await page.getByLabel('Username').inputValue()).toBe('ada')
})

import { expect, test } from 'vitest'
import { adminListCampaigns } from '../../contract/admin-campaigns.ts'
import { listConnectedApps } from '../../contract/oauth.ts'
import { firstAdmin } from '../../server/test/harness.ts'
import { someApp, someUser, theAdmin, world } from '../../server/test/world.ts'
import { expectAccessible, startConsole, type Page } from '../test/browser.ts'

const { plaza, page: guestPage, pageAs } = await startConsole()

/** The label of the focused field, whether it is `aria-invalid`, and whether an error message describes it. */
const focusedField = (page: Page) =>
  page.evaluate(() => {
    const field = document.activeElement as HTMLInputElement
    const descriptions = (field.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id))
    return [
      field.ariaLabel ?? field.labels?.[0]?.textContent ?? field.tagName,
      field.ariaInvalid === 'true',
      descriptions.some((note) => note?.classList.contains('mantine-InputWrapper-error')),
    ]
  })

const expectFocusedError = (page: Page, label: string) =>
  expect.poll(() => focusedField(page)).toEqual([label, true, true])

const invalidFields = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('[aria-invalid=true]')].map((field) => field.ariaLabel),
  )

test('an invalid form focuses its first invalid field, also a password and one that the API refuses', async () => {
  const { email } = await someUser(plaza)
  const page = await guestPage()
  await page.goto('/register')
  const send = page.getByRole('button', { name: 'Create the account' })
  await send.click()
  await expectFocusedError(page, 'E-mail address')
  await page.keyboard.type(email)
  await page.getByLabel('Username').fill('ada')
  await page.getByRole('textbox', { name: 'Password' }).fill('short')
  await send.click()
  await expectFocusedError(page, 'Password')
  await expectAccessible(page)
  await page.getByRole('textbox', { name: 'Password' }).fill('long enough to be good')
  expect(await page.getByRole('textbox', { name: 'Password' }).getAttribute('aria-invalid')).toBeNull()
  await page.keyboard.press('Enter')
  await expectFocusedError(page, 'E-mail address')
})

test('of several redirect URIs the invalid one is marked, by the form and by the API', async () => {
  const app = await someApp(plaza)
  const page = await pageAs(app.owner)
  await page.goto(`/apps/${app.id}?tab=settings`)
  await page.getByRole('button', { name: 'Add another' }).click()
  await page.getByRole('textbox', { name: 'Redirect URI 2' }).fill('not an address')
  await page.getByRole('button', { name: 'Add another' }).click()
  await page.getByRole('textbox', { name: 'Redirect URI 3' }).fill('https://third.example/callback')
  expect(await invalidFields(page)).toEqual(['Redirect URI 2'])
  const save = page.getByRole('button', { name: 'Save' })
  await save.click()
  await expectFocusedError(page, 'Redirect URI 2')
  await expectAccessible(page)
  // The error moves with its item, and is removed with it.
  await page.getByRole('button', { name: 'Remove redirect URI 1' }).click()
  expect(await invalidFields(page)).toEqual(['Redirect URI 1'])
  await page.getByRole('textbox', { name: 'Redirect URI 1' }).fill('https://first.example/callback')
  expect(await invalidFields(page)).toEqual([])
  await page.getByRole('textbox', { name: 'Redirect URI 2' }).fill('http://in-the-open.example/callback')
  await save.click()
  await expectFocusedError(page, 'Redirect URI 2')
  expect(await invalidFields(page)).toEqual(['Redirect URI 2'])
})

test('the first invalid field is the first on the page, not the first of the body', async () => {
  const page = await pageAs(await someUser(plaza))
  await page.goto('/apps/new')
  await page.getByLabel('Name').fill('Shop')
  await page.getByLabel('Description').fill('d'.repeat(5000))
  await page.getByRole('button', { name: 'Register the app' }).click()
  await expectFocusedError(page, 'Redirect URI 1')
})

test('forms without a request body focus the first invalid field too', async () => {
  const page = await pageAs(firstAdmin)
  await page.goto('/admin/messages')
  await page.getByLabel('Id of the message').fill('no id')
  await page.getByRole('button', { name: 'Show the message' }).click()
  await expectFocusedError(page, 'Id of the message')
  await page.goto('/chat')
  await page.getByRole('button', { name: 'Open a table' }).click()
  await page.getByRole('button', { name: 'Open the table' }).click()
  await expectFocusedError(page, 'Name of the table')
})

test('numbers are read in the format of the language; other texts are refused at the field', async () => {
  const { user } = await world(plaza, { points: 100, scopes: ['points:spend'] })
  const page = await pageAs(user, { locale: 'de-DE' })
  await page.goto('/connected-apps')
  await page.getByRole('button', { name: /Tageslimit/ }).click()
  const dialog = page.getByRole('dialog')
  const limit = dialog.getByLabel('Punkte in 24 Stunden')
  const save = dialog.getByRole('button', { name: 'Speichern' })
  for (const [typed, error] of [
    ['1.234,5', 'Gib eine ganze Zahl ein.'],
    [',', 'Gib eine Zahl ein.'],
    ['1,234.5', 'Gib eine Zahl ein.'],
  ] as const) {
    await limit.fill(typed)
    await save.click()
    await dialog.getByText(error).waitFor()
    await expectFocusedError(page, 'Punkte in 24 Stunden')
  }
  await limit.fill('1.234')
  await limit.blur()
  expect(await limit.inputValue()).toBe('1.234')
  await save.click()
  await dialog.waitFor({ state: 'detached' })
  const { connected_apps } = await user.api.result(listConnectedApps)
  expect(connected_apps.map(({ daily_limit }) => daily_limit)).toEqual([1_234])

  const admins = await pageAs(firstAdmin, { locale: 'de-DE' })
  await admins.goto('/admin/campaigns')
  await admins.getByRole('button', { name: 'Neue Kampagne' }).click()
  const form = admins.getByRole('dialog')
  await form.getByLabel('Name').fill('Laternen')
  await form.getByLabel('Auszahlungssatz').fill('0,25')
  await form.getByLabel('Gewicht').fill('1.000')
  await form.getByRole('button', { name: 'Kampagne anlegen' }).click()
  await form.waitFor({ state: 'detached' })
  const { data } = await (await theAdmin(plaza)).api.result(adminListCampaigns)
  const made = data.filter(({ name }) => name === 'Laternen')
  expect(made.map(({ payout_rate, weight }) => [payout_rate, weight])).toEqual([[0.25, 1_000]])
})

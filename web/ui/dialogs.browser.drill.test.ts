import { expect, test } from 'vitest'
import { endOtherLoginSessions } from '../../contract/accounts.ts'
import { createSecret, listSecrets } from '../../contract/oauth-apps.ts'
import { listFriends, requestFriend } from '../../contract/social.ts'
import { someApp, someUser } from '../../server/test/world.ts'
import { startConsole, type Page } from '../test/browser.ts'

const { plaza, pageAs } = await startConsole()

const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.textContent)

async function friends() {
  const [one, other] = [await someUser(plaza), await someUser(plaza)]
  await one.api.result(requestFriend, { body: { friend_id: other.id } })
  await other.api.result(requestFriend, { body: { friend_id: one.id } })
  return { one, other }
}

async function askToEnd(page: Page, username: string) {
  await page.getByRole('button', { name: `More about ${username}` }).click()
  await page.getByRole('menuitem', { name: 'End the friendship…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  return dialog
}

test('a dialog returns the focus to its opener, and shows no earlier error', async () => {
  const { one, other } = await friends()
  const page = await pageAs(one)
  await page.goto('/friends')
  const dialog = await askToEnd(page, other.username)
  let release: () => void = () => {}
  const released = new Promise<void>((done) => (release = done))
  await page.route('**/api/social/friends/*', async (route) => {
    if (route.request().method() !== 'DELETE') return route.fallback()
    await released
    await route.fulfill({ status: 500, json: { errors: { detail: 'Internal Server Error' } } })
  })
  // The dialog stays while its call is in flight, even if Escape follows the click immediately.
  await dialog.getByRole('button', { name: 'End friendship' }).evaluate(async (button: HTMLElement) => {
    button.click()
    await new Promise<void>((next) => {
      void scheduler.postTask(() => next(), { priority: 'user-blocking' })
    })
    button.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
  })
  await page.keyboard.press('Escape')
  release()
  await dialog.getByRole('alert').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => focused(page)).toBe(`More about ${other.username}`)
  expect(await (await askToEnd(page, other.username)).getByRole('alert').count()).toBe(0)
})

test('offline a call fails at once and is not made later', async () => {
  const { one, other } = await friends()
  const page = await pageAs(one)
  await page.goto('/friends')
  const dialog = await askToEnd(page, other.username)
  await page.context().setOffline(true)
  await dialog.getByRole('button', { name: 'End friendship' }).click()
  await dialog.getByRole('alert').getByText('Plaza cannot be reached.', { exact: false }).waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.context().setOffline(false)
  await page.reload()
  await page.getByRole('button', { name: `More about ${other.username}` }).waitFor()
  expect(await one.api.result(listFriends)).toHaveLength(1)
})

test('a double click makes one call', async () => {
  const app = await someApp(plaza)
  const page = await pageAs(app.owner)
  await page.goto(`/apps/${app.id}?tab=secrets`)
  const made: string[] = []
  page.on('request', (sent) => {
    if (sent.method() === createSecret.method && sent.url().endsWith('/secrets')) made.push(sent.url())
  })
  await page.getByRole('button', { name: 'Add a secret' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add a secret' }).dblclick()
  await page.getByText('Save the secret now').waitFor()
  expect(made).toHaveLength(1)
  expect((await app.owner.api.result(listSecrets, { params: { id: app.id } })).secrets).toHaveLength(2)
})

test('after a release, dialogs are loaded already, and a page whose chunk is gone says so', async () => {
  const user = await someUser(plaza, { verified: false })
  const page = await pageAs(user)
  const preloaded = page.waitForResponse((response) => /\/dialogs-[^/]*\.js$/.test(response.url()))
  await page.goto('/verify-email')
  await page.getByLabel('Code from the mail').fill('12345')
  await preloaded
  await page.waitForLoadState('networkidle')
  await page.route('**/assets/*.js', (route) => route.fulfill({ status: 404, body: '' }))
  await user.api.result(endOtherLoginSessions)
  await page.getByLabel('Code from the mail').fill('123456')
  await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
  await page.keyboard.press('Escape')
  expect(await page.getByRole('dialog', { name: 'Sign in again' }).count()).toBe(1)
  expect(await page.getByLabel('Code from the mail').inputValue()).toBe('123456')
  const other = await pageAs(await someUser(plaza))
  await other.goto('/')
  await other.getByRole('heading', { name: /^Hello, / }).waitFor()
  await other.route('**/assets/*.js', (route) => route.fulfill({ status: 404, body: '' }))
  await other.getByRole('navigation', { name: 'Pages' }).getByText('Connected apps').click()
  await other.getByText('Plaza was updated since you opened it.', { exact: false }).waitFor()
  await other.getByRole('button', { name: 'Reload the page' }).waitFor()
  // The service does not answer, although the device has a network.
  await other.route('**/*', (route) => route.abort())
  await other.getByRole('navigation', { name: 'Pages' }).getByText('Friends', { exact: true }).click()
  await other.getByText('This page continues when your connection is back', { exact: false }).waitFor()
})

test('a page opened offline loads when the network is back, and so do its reads', async () => {
  const page = await pageAs(await someUser(plaza))
  await page.goto('/')
  await page.getByRole('heading', { name: /^Hello, / }).waitFor()
  await page.waitForLoadState('networkidle')
  const navigation = page.getByRole('navigation', { name: 'Pages' })
  await page.context().setOffline(true)
  // Neither the chunk of the page nor its data is loaded.
  await navigation.getByText('Friends', { exact: true }).click()
  await page.getByText('This page continues when your connection is back', { exact: false }).waitFor()
  await page.context().setOffline(false)
  await page.getByRole('heading', { name: 'Friends', level: 1 }).waitFor()
  await page.getByText('New messages do not arrive').waitFor({ state: 'detached' })

  await navigation.getByText('Points', { exact: true }).click()
  await page.getByRole('heading', { name: 'Points', level: 1 }).waitFor()
  await page.context().setOffline(true)
  // Its chunk was loaded with the points page; its data was not.
  await navigation.getByText('Connected apps', { exact: true }).click()
  await page.getByText('Plaza cannot be reached.', { exact: false }).first().waitFor()
  await page.context().setOffline(false)
  await page.getByText('No connected apps').waitFor()
})

import { expect, test } from 'vitest'
import { awardPoints } from '../../contract/admin.ts'
import { someUser, theAdmin } from '../../server/test/world.ts'
import { phone, startConsole, waitForHeading, expectFits, type Page } from '../test/browser.ts'

const { plaza, pageAs } = await startConsole()

/** Waits until the worker has the files and controls the next page. */
const awaitWorker = (page: Page) =>
  page.evaluate(async () => {
    await navigator.serviceWorker.register('/sw.js')
    return (await navigator.serviceWorker.ready).active?.state
  })

test('D-160: without a network a phone shows the console and the last data with their age; after the sign-out none', async () => {
  const user = await someUser(plaza)
  const admin = await theAdmin(plaza)
  await admin.api.result(awardPoints, { body: { user_id: user.id, amount: 75, description: 'A lantern' } })
  const page = await pageAs(user, { serviceWorkers: 'allow', viewport: phone })
  await page.goto('/points')
  await page.getByText('A lantern').waitFor()
  await awaitWorker(page)
  // With the worker, pages still come from the network, each with its own nonce.
  const nonce = async () => {
    await page.goto('/points')
    return page.locator('meta[property=csp-nonce]').evaluate((meta) => (meta as HTMLElement).nonce)
  }
  expect(await nonce()).not.toBe(await nonce())
  await page.getByText('A lantern').waitFor()
  await page.context().setOffline(true)
  for (const passed of ['/docs', '/oauth/authorize', '/sandbox/mails', '/api/auth/me']) {
    // In a new page, because the browser's page about the failure would interrupt the next navigation.
    const other = await page.context().newPage()
    await expect(other.goto(passed)).rejects.toThrow('ERR_INTERNET_DISCONNECTED')
    await other.close()
  }
  await page.goto('/')
  await waitForHeading(page, /^Hello, /)
  await page.getByText('75', { exact: true }).first().waitFor()
  const bar = page.getByRole('navigation', { name: 'Main pages' })
  await bar.getByRole('link', { name: 'Points' }).click()
  await page.getByText('A lantern').waitFor()
  await page
    .getByRole('status')
    .getByText(/You see data from \d+ seconds? ago/)
    .waitFor()
  expect(await page.getByRole('alert').allInnerTexts()).toEqual([])
  await expectFits(page)
  const kept = () => page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('plaza.kept.')))
  expect(await kept()).not.toEqual([])
  await page.getByRole('banner').getByRole('button').last().click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in' }).first().waitFor()
  expect(await kept()).toEqual([])
  await page.context().setOffline(false)
})

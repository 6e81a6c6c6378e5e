import { expect, test } from 'vitest'
import { someUser } from '../../server/test/world.ts'
import { expectAccessible, expectFits, phone, startConsole, waitForHeading, type Page } from '../test/browser.ts'

const { plaza, pageAs } = await startConsole()

const entries = (page: Page) => page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link')
const switchOf = (page: Page) => page.getByRole('navigation', { name: 'Spaces' })

test('the switch at the top opens each space of a person, and the navigation is that of the page', async () => {
  const page = await pageAs(await someUser(plaza))
  await page.goto('/')
  await waitForHeading(page, /^Hello, /)
  expect(await switchOf(page).getByRole('link').allInnerTexts()).toEqual(['Personal', 'Build'])
  expect(await entries(page).first().innerText()).toBe('Overview')
  await switchOf(page).getByRole('link', { name: 'Build' }).click()
  await waitForHeading(page, 'My apps')
  await page.getByRole('link', { name: 'Register your first app' }).waitFor()
  expect(await entries(page).first().innerText()).toBe('My apps')
  // The page determines the space, also for a URL opened from outside.
  await page.goto('/deployments/new')
  await waitForHeading(page, 'Deploy a container')
  expect(await switchOf(page).locator('[aria-current]').innerText()).toBe('Build')
  await page.goto('/account/sessions')
  await waitForHeading(page, 'Sign-ins')
  expect(await switchOf(page).locator('[aria-current]').innerText()).toBe('Personal')
})

test('on a phone Tab skips the closed navigation; the open one has the switch, and stays open for another space', async () => {
  const page = await pageAs(await someUser(plaza), { viewport: phone })
  await page.goto('/')
  await waitForHeading(page, /^Hello, /)
  expect(await entries(page).count()).toBe(0)
  const focused = () => page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.textContent)
  await page.getByRole('button', { name: 'Open the navigation' }).click()
  // The first entry has the focus; Escape returns it to the button.
  await expect.poll(() => page.evaluate(() => document.activeElement?.closest('nav')?.ariaLabel)).toBe('Pages')
  expect(await page.getByRole('button', { name: 'Close the navigation' }).getAttribute('aria-expanded')).toBe('true')
  await page.keyboard.press('Escape')
  await expect.poll(focused).toBe('Open the navigation')
  await page.keyboard.press('Enter')
  await page.getByRole('group', { name: 'Spaces' }).getByRole('link', { name: 'Build' }).click()
  await page.waitForURL('/apps')
  await page.getByRole('button', { name: 'Close the navigation' }).waitFor()
  expect(await focused()).toBe('Build')
  await expectAccessible(page)
  await expectFits(page)
  await entries(page).getByText('Playground').click()
  await waitForHeading(page, 'Playground')
  await expect.poll(focused).toBe('Playground')
  expect(await entries(page).count()).toBe(0)
})

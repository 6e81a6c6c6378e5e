import { expect, test } from 'vitest'
import { firstAdmin } from '../../server/test/harness.ts'
import { startConsole, type Page } from '../test/browser.ts'

const { pageAs } = await startConsole()

/** The accessible label or the text of the focused element. */
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.textContent?.trim())

test('the first Tab on a page reaches the skip link to the content, then the header', async () => {
  const page = await pageAs(firstAdmin)
  for (const path of ['/', '/account/security', '/chat', '/apps', '/admin/review']) {
    await page.goto(path)
    await page.locator('main h1').waitFor()
    await page.waitForFunction(() => document.querySelector('main [aria-busy=true]') === null)
    const order: unknown[] = []
    for (let presses = 0; presses < 6; presses += 1) {
      await page.keyboard.press('Tab')
      order.push(await focused(page))
    }
    expect([path, ...order]).toEqual([
      path,
      'Skip to the content',
      'Plaza, home page',
      'Personal',
      'Build',
      'Admin',
      expect.stringMatching(/Go to/),
    ])
  }
  for (let presses = 0; presses < 5; presses += 1) await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('content')
})

import { desktop, expectFits, phone, type Page } from './browser.ts'

/** Does the page as it stands fit into a phone? Puts the window back to a desk's afterwards. */
export async function expectFitsPhone(page: Page) {
  await page.setViewportSize(phone)
  // What slides on the way from one width to the other is not yet where it will be.
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'))
  await expectFits(page)
  await page.setViewportSize(desktop)
}

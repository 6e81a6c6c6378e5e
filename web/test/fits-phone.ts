import { desktop, expectFits, phone, type Page } from './browser.ts'

/** Expects that the page fits a phone; restores the desktop viewport afterwards. */
export async function expectFitsPhone(page: Page) {
  await page.setViewportSize(phone)
  // Wait for transitions of the layout.
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'))
  await expectFits(page)
  await page.setViewportSize(desktop)
}

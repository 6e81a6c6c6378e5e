import type { Page } from './browser.ts'

/** The messages of the conversation on a page. */
export const conversation = (page: Page) => page.getByRole('region', { name: /^Messages in/ })

/** Writes and sends a message in the conversation on a page. */
export async function write(page: Page, text: string) {
  await page.getByRole('textbox', { name: /^Message to/ }).fill(text)
  await page.keyboard.press('Enter')
}

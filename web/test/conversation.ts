import type { Page } from './browser.ts'

/** The messages of the conversation that a page shows. */
export const conversation = (page: Page) => page.getByRole('region', { name: /^Messages in/ })

/** Writes a message in the conversation that a page shows, and sends it. */
export async function write(page: Page, text: string) {
  await page.getByRole('textbox', { name: /^Message to/ }).fill(text)
  await page.keyboard.press('Enter')
}

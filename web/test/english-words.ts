import type { Page } from 'playwright-core'

/**
 * The English texts of a page: those with words that no German text has. Code, such as names of the API, and texts of people and of
 * learning paths (`.user-content`) are left out.
 */
export const englishOn = (page: Page) =>
  page.evaluate(() => {
    const words = /\b(?:the|is|are|and|with|your|you|not|of|this|that|must|has|cannot|from|wrong|unknown|yet|who)\b/i
    const skipped = 'code, pre, kbd, script, style, option, bdi, .user-content'
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found = new Set<string>()
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode
      const text = textContent?.trim() ?? ''
      if (words.test(text) && parentElement?.checkVisibility() && !parentElement.closest(skipped)) found.add(text)
    }
    return [...found]
  })

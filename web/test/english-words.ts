import type { Page } from 'playwright-core'

/**
 * The English texts of a page: those with words that do not occur in German. Excludes code, such as API names, and
 * texts of people and learning paths (`.user-content`).
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

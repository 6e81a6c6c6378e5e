import type { CDPSession, Page } from 'playwright-core'

/** As a pointer that presses an element, and as the keyboard that is at it, have it drawn. */
const states = {
  'under the pointer': ['hover', 'active'],
  focused: ['focus', 'focus-visible', 'focus-within'],
} as const

/** Marks, for the time of a scan, the elements that are scanned (`it`) and what they stand in. */
export const mark = 'data-in-state'

/** The kinds of elements that were scanned before: those of other pages look the same. */
const scanned = new Set<string>()

/**
 * Draws each kind of interactive element of the page that no page before has had as if it were in this state, and then in
 * the next; `run` is called in between. Only the styles know of it: no event is sent, so nothing opens.
 */
export async function inEachState(page: Page, scheme: string, run: (state: string) => Promise<void>) {
  const kinds = await page.evaluate(markNewKinds, { mark, scheme, known: [...scanned] })
  if (kinds.length === 0) return
  const browser = await page.context().newCDPSession(page)
  try {
    for (const [state, forcedPseudoClasses] of Object.entries(states)) {
      for (const nodeId of await markedNodes(browser))
        await browser
          .send('CSS.forcePseudoState', { nodeId, forcedPseudoClasses: [...forcedPseudoClasses] })
          // What the page has taken away meanwhile is scanned where it comes back.
          .catch(() => undefined)
      await run(state)
    }
    for (const kind of kinds) scanned.add(kind)
  } finally {
    // What a session forces ends with it.
    await browser.detach()
    await page.evaluate((name) => {
      for (const element of document.querySelectorAll(`[${name}]`)) element.removeAttribute(name)
    }, mark)
  }
}

async function markedNodes(browser: CDPSession) {
  await browser.send('DOM.enable')
  await browser.send('CSS.enable')
  const { root } = await browser.send('DOM.getDocument', { depth: 0 })
  const { nodeIds } = await browser.send('DOM.querySelectorAll', { nodeId: root.nodeId, selector: `[${mark}]` })
  return nodeIds
}

/** Marks one element of each kind that is not known, and what is around it; answers the kinds. Runs in the page. */
function markNewKinds({ mark: name, scheme, known }: { mark: string; scheme: string; known: string[] }) {
  const found = new Set<string>()
  const answering =
    'a, button, input, textarea, select, summary, label, tr, [tabindex="0"], ' +
    '[role=listitem], [role=tab], [role=menuitem], [role=option], [role=radio], [role=switch]'
  /** Colours depend on where an element stands and on how far it is chosen. */
  const kindOf = (element: Element) => {
    const chosen = ['aria-current', 'aria-selected', 'aria-checked', 'aria-invalid', 'data-active', 'disabled']
    const { color } = getComputedStyle(element)
    let ground: Element | null = element
    while (ground && /, 0\)$|transparent/.test(getComputedStyle(ground).backgroundColor)) ground = ground.parentElement
    return [
      scheme,
      element.tagName,
      element.className,
      element.parentElement?.className,
      ...chosen.map((attribute) => element.getAttribute(attribute)),
      color,
      ground && getComputedStyle(ground).backgroundColor,
    ].join('|')
  }
  for (const element of document.querySelectorAll(answering)) {
    const kind = kindOf(element)
    if (!element.checkVisibility() || found.has(kind) || known.includes(kind)) continue
    found.add(kind)
    for (let at: Element | null = element; at && at !== document.body; at = at.parentElement)
      if (at === element || !at.hasAttribute(name)) at.setAttribute(name, at === element ? 'it' : 'around it')
  }
  return [...found]
}

import type { CDPSession, Page } from 'playwright-core'

/** The forced pseudo-classes of a pressed and of a focused element. */
const states = {
  'under the pointer': ['hover', 'active'],
  focused: ['focus', 'focus-visible', 'focus-within'],
} as const

/** The attribute that marks, during a scan, the scanned elements (`it`) and their ancestors. */
export const mark = 'data-in-state'

/** The kinds of elements already scanned; they look the same on other pages. */
const scanned = new Set<string>()

/**
 * Forces each state on one interactive element of each kind not scanned before, and calls `run`. Only styles change: no
 * event is sent.
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
          // The element may have been removed in the meantime.
          .catch(() => undefined)
      await run(state)
    }
    for (const kind of kinds) scanned.add(kind)
  } finally {
    // Detaching ends the forced states.
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

/** Marks one element of each unknown kind and its ancestors; returns the kinds. Runs in the page. */
function markNewKinds({ mark: name, scheme, known }: { mark: string; scheme: string; known: string[] }) {
  const found = new Set<string>()
  const interactive =
    'a, button, input, textarea, select, summary, label, tr, [tabindex="0"], ' +
    '[role=listitem], [role=tab], [role=menuitem], [role=option], [role=radio], [role=switch]'
  /** Elements of one kind have the same colours: class, parent, state attributes and background are equal. */
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
  for (const element of document.querySelectorAll(interactive)) {
    const kind = kindOf(element)
    if (!element.checkVisibility() || found.has(kind) || known.includes(kind)) continue
    found.add(kind)
    for (let at: Element | null = element; at && at !== document.body; at = at.parentElement)
      if (at === element || !at.hasAttribute(name)) at.setAttribute(name, at === element ? 'it' : 'around it')
  }
  return [...found]
}

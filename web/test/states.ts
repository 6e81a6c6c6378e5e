import type { CDPSession, Page } from 'playwright-core'

/** The forced pseudo-classes of a pressed and of a focused element. */
const states = {
  'under the pointer': ['hover', 'active'],
  focused: ['focus', 'focus-visible', 'focus-within'],
} as const

/** One change of the scheme, and one of the states in each scheme: changes take longer than scans. */
const steps = [
  ['light', 'under the pointer'],
  ['light', 'focused'],
  ['dark', 'focused'],
  ['dark', 'under the pointer'],
] as const

/** The attribute that marks, during a scan, the scanned elements (`it`) and their ancestors. */
export const mark = 'data-in-state'

/** The kinds of elements already scanned; they look the same on other pages. */
const scanned = new Set<string>()

type Scheme = 'light' | 'dark'

/**
 * Forces each state on one interactive element of each kind not scanned before, and calls `show` and `scan` for each
 * scheme. Only styles change: no event is sent. The page shows the light scheme. Throws if `show` replaces a marked
 * element, because `scan` would miss it.
 */
export async function inEachState(
  page: Page,
  show: (scheme: Scheme) => Promise<void>,
  scan: (scheme: Scheme, state: string) => Promise<void>,
) {
  const kinds = await page.evaluate(markNewKinds, { mark, known: [...scanned] })
  if (kinds.length === 0) return
  const browser = await page.context().newCDPSession(page)
  try {
    let forced: string | undefined
    for (const [scheme, state] of steps) {
      if (state !== forced)
        for (const nodeId of await markedNodes(browser))
          await browser
            .send('CSS.forcePseudoState', { nodeId, forcedPseudoClasses: [...states[state]] })
            // The element may have been removed in the meantime.
            .catch(() => undefined)
      forced = state
      await show(scheme)
      const marked = await page.locator(`[${mark}=it]`).count()
      if (marked !== kinds.length)
        throw new Error(`${page.url()} (${scheme}), ${state}: ${marked} of ${kinds.length} marked elements are left`)
      await scan(scheme, state)
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
function markNewKinds({ mark: name, known }: { mark: string; known: string[] }) {
  const found = new Set<string>()
  const interactive =
    'a, button, input, textarea, select, summary, label, tr, [tabindex="0"], ' +
    '[role=listitem], [role=tab], [role=menuitem], [role=option], [role=radio], [role=switch]'
  /** Elements of one kind have the same colours in both schemes: class, style, parent, state attributes and background are equal. */
  const kindOf = (element: Element) => {
    const chosen = ['aria-current', 'aria-selected', 'aria-checked', 'aria-invalid', 'data-active', 'disabled']
    const { color } = getComputedStyle(element)
    let ground: Element | null = element
    while (ground && /, 0\)$|transparent/.test(getComputedStyle(ground).backgroundColor)) ground = ground.parentElement
    return [
      element.tagName,
      element.className,
      element.getAttribute('style'),
      element.parentElement?.className,
      ...chosen.map((attribute) => element.getAttribute(attribute)),
      color,
      ground?.className,
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

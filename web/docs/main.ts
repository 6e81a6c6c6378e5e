import { addCopyButtons, shareTabs } from './code.ts'
import { startSearch } from './search.ts'
import { addTryButtons } from './try.ts'

/** The reference used to be one page: redirects a link to a call to the page that now has it. */
async function followOldAnchor() {
  const anchor = location.hash.slice(1)
  if (location.pathname !== '/docs' || anchor === '' || document.getElementById(anchor)) return
  const entries = (await (await fetch('/docs/search.json')).json()) as { href: string }[]
  const entry = entries.find(({ href }) => href.endsWith(`#${anchor}`))
  const decision = /^D-\d+$/.test(anchor) ? `/docs/decisions#${anchor}` : undefined
  const target = entry?.href ?? decision
  if (target !== undefined) location.replace(target)
}

addCopyButtons()
shareTabs()
startSearch()
addTryButtons()
document.querySelector('nav#contents [aria-current]')?.scrollIntoView({ block: 'nearest' })
// Contents entries that link to a place on the page close the contents on a phone.
document.querySelector('nav#contents')?.addEventListener('click', ({ target, currentTarget }) => {
  const contents = currentTarget as HTMLElement
  if (target instanceof Element && target.closest('a[href^="#"]') && contents.matches(':popover-open'))
    contents.hidePopover()
})
void followOldAnchor().catch(() => undefined)

import { useLayoutEffect, useRef } from 'react'

interface OpenDialog {
  close: () => void
}

/** The dialogs that are open, the topmost last. */
const stack: OpenDialog[] = []

/** Is any dialog open? What lies beneath takes no keys then. */
export const isDialogOpen = () => stack.length > 0

// One Escape closes one dialog. The kit's own dialogs would all hear it, and a list that is open in one keeps it.
addEventListener(
  'keydown',
  ({ key, isComposing, target }) => {
    if (key !== 'Escape' || isComposing) return
    if (target instanceof Element && target.getAttribute('data-mantine-stop-propagation') === 'true') return
    stack.at(-1)?.close()
  },
  { capture: true },
)

let last_focused: Element | undefined

/** A menu is gone when the dialog comes that it has opened: what opened the menu counts. */
function ofMenu(element: Element) {
  const menu = element.closest('[role=menu]')
  return (menu && document.querySelector(`[aria-controls="${CSS.escape(menu.id)}"]`)) ?? element
}

addEventListener('focusin', ({ target }) => {
  if (target instanceof Element) last_focused = ofMenu(target)
})

/**
 * Makes a dialog one of a stack: Escape closes the topmost only, and when it closes, or is taken away, the focus is back
 * at what opened it; at the heading of the page when that is gone.
 */
export function useDialog(opened: boolean, close: () => void) {
  const latest = useRef(close)
  useLayoutEffect(() => {
    latest.current = close
  })
  useLayoutEffect(() => {
    if (!opened) return undefined
    const opener = last_focused
    const dialog: OpenDialog = { close: () => latest.current() }
    stack.push(dialog)
    return () => {
      const was_topmost = stack.at(-1) === dialog
      stack.splice(stack.indexOf(dialog), 1)
      const beneath = stack.length
      setTimeout(() => {
        if (was_topmost && stack.length <= beneath) giveFocusBack(opener)
      })
    }
  }, [opened])
}

function giveFocusBack(opener: Element | undefined) {
  const here = document.activeElement
  const dialogOf = (element: Element | null | undefined) => element?.closest('[role=dialog]')
  const is_adrift = here === null || here === document.body || here.id === 'content'
  if (!is_adrift && dialogOf(here) === dialogOf(opener)) return
  if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true })
  if (document.activeElement !== opener) document.querySelector<HTMLElement>('main h1')?.focus()
}

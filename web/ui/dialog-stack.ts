import { useLayoutEffect, useRef } from 'react'
import { isFocusLost } from './page-title.tsx'

interface OpenDialog {
  close: () => void
}

/** The open dialogs, the topmost last. */
const stack: OpenDialog[] = []

/** Whether any dialog is open; the page's keyboard shortcuts are then disabled. */
export const isDialogOpen = () => stack.length > 0

// Escape closes only the topmost dialog: Mantine would close all. An open dropdown in a dialog handles Escape itself.
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

/** The menu's button for a menu item: the menu is unmounted when the dialog opens. */
function focusTargetOf(element: Element) {
  const menu = element.closest('[role=menu]')
  return (menu && document.querySelector(`[aria-controls="${CSS.escape(menu.id)}"]`)) ?? element
}

addEventListener('focusin', ({ target }) => {
  if (target instanceof Element) last_focused = focusTargetOf(target)
})

/**
 * Adds a dialog to the stack. Escape closes only the topmost. When it closes or unmounts, the focus returns to the
 * element that opened it, or to the page's heading if that element is gone.
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
      const remaining = stack.length
      setTimeout(() => {
        if (was_topmost && stack.length <= remaining) restoreFocus(opener)
      })
    }
  }, [opened])
}

function restoreFocus(opener: Element | undefined) {
  const here = document.activeElement
  const dialogOf = (element: Element | null | undefined) => element?.closest('[role=dialog]')
  if (!isFocusLost(document) && dialogOf(here) === dialogOf(opener)) return
  if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true })
  if (document.activeElement !== opener) document.querySelector<HTMLElement>('main h1')?.focus()
}

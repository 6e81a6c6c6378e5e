import { useHotkeys } from '@mantine/hooks'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { spaces, type Space } from '../page.ts'
import { browser_storage } from '../storage.ts'
import { createStore } from '../store.ts'
import { isDialogOpen } from './dialog-stack.ts'
import { spacesFor } from './spaces.ts'

const storage_key = 'plaza.single-keys'
const are_on = createStore(browser_storage.get(storage_key) !== 'off')

/**
 * Whether single-key shortcuts are on. WCAG 2.1.4 requires that they can be switched off, because speech input triggers
 * them by accident.
 */
export const useSingleKeys = are_on.use

export function setSingleKeys(on: boolean) {
  browser_storage.set(storage_key, on ? undefined : 'off')
  are_on.set(on)
}

/** The key that follows G, for each space. */
export const space_keys: Record<Space, string> = { personal: 'p', build: 'b', admin: 'a' }

/** The second key counts for this long after G. */
const sequence_ms = 1_500

/**
 * The shortcuts of every page: the palette, their list, and the spaces. None works in an input or while a dialog is
 * open.
 */
export function useShortcuts(user: { is_admin: boolean } | undefined, openPalette: () => void, openList: () => void) {
  const router = useRouter()
  const single_keys = useSingleKeys()
  // Also in inputs, but not while a dialog is open: the palette would navigate away from it.
  useHotkeys([['mod+K', () => isDialogOpen() || openPalette()]], [])
  const is_admin = user?.is_admin
  useEffect(() => {
    if (!single_keys) return undefined
    let started_at = -Infinity
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey, isComposing, timeStamp } = event
      if (ctrlKey || metaKey || altKey || isComposing || event.defaultPrevented || isDialogOpen()) return
      if (
        target instanceof Element &&
        target.closest('input, textarea, select, [contenteditable], [role=dialog], [role=menu]')
      )
        return
      if (key === '?') return openList()
      const is_second = timeStamp - started_at < sequence_ms
      started_at = key === 'g' ? timeStamp : -Infinity
      if (!is_second || is_admin === undefined) return
      const space = spacesFor({ is_admin }).find((one) => space_keys[one] === key)
      if (space) void router.navigate({ to: spaces[space].home })
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [single_keys, is_admin, openList, router])
}

import { useEffect, useSyncExternalStore } from 'react'
import { withoutBidiControls } from './title.ts'

let name: string | undefined
const listeners = new Set<() => void>()

function change(next: string | undefined) {
  name = next
  for (const listener of listeners) listener()
}

/** Names the tab after what the page shows, as long as it shows it: an app, a deployment. */
export function useTabTitle(shown: string | undefined) {
  useEffect(() => {
    change(shown === undefined ? undefined : withoutBidiControls(shown))
    return () => change(undefined)
  }, [shown])
}

/** What the page has named the tab; undefined where its own title does. */
export const useCurrentTabTitle = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => name,
  )

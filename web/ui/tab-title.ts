import { useEffect, useSyncExternalStore } from 'react'
import { withoutBidiControls } from './title.ts'

let name: string | undefined
const listeners = new Set<() => void>()

function setTitle(next: string | undefined) {
  name = next
  for (const listener of listeners) listener()
}

/** Overrides the tab's title while mounted, with the name of an app or a deployment. */
export function useTabTitle(shown: string | undefined) {
  useEffect(() => {
    setTitle(shown === undefined ? undefined : withoutBidiControls(shown))
    return () => setTitle(undefined)
  }, [shown])
}

/** The current override; undefined without one. */
export const useCurrentTabTitle = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => name,
  )

import { useEffect } from 'react'
import { createStore } from '../store.ts'
import { withoutBidiControls } from './title.ts'

const title = createStore<string | undefined>(undefined)

/** Overrides the tab's title while mounted, with the name of an app or a deployment. */
export function useTabTitle(shown: string | undefined) {
  useEffect(() => {
    title.set(shown === undefined ? undefined : withoutBidiControls(shown))
    return () => title.set(undefined)
  }, [shown])
}

/** The current override; undefined without one. */
export const useCurrentTabTitle = title.use

import { createContext, use, useEffect, useId } from 'react'

/** How a dialog learns that a form in it holds what would be lost. */
export const UnsavedContext = createContext<((form: string, unsaved: boolean) => void) | undefined>(undefined)

/** Tells the dialog around, if there is one, whether this form holds what would be lost with it. */
export function useUnsaved(unsaved: boolean) {
  const report = use(UnsavedContext)
  const form = useId()
  useEffect(() => {
    report?.(form, unsaved)
    return () => report?.(form, false)
  }, [report, form, unsaved])
}

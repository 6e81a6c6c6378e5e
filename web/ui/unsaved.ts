import { createContext, use, useEffect, useId } from 'react'

type Report = (form: string, unsaved: boolean) => void

/** The forms of the page that hold what would be lost with it. */
const forms = new Set<string>()
/** What outlives the page but not the tab. */
const kept_in_tab: (() => boolean)[] = []

const reportToPage: Report = (form, unsaved) => {
  if (unsaved) forms.add(form)
  else forms.delete(form)
}

/** Who is told that a form holds what would be lost: the page, and the dialog around the form. */
export const UnsavedContext = createContext<Report>(reportToPage)

/**
 * Tells whether this form holds what would be lost with the page or with the dialog around it. Call the answer once it is
 * saved, before leading elsewhere.
 */
export function useUnsaved(unsaved: boolean) {
  const report = use(UnsavedContext)
  const form = useId()
  useEffect(() => {
    report(form, unsaved)
    return () => report(form, false)
  }, [report, form, unsaved])
  return () => report(form, false)
}

/** Names what is lost with the tab or the sign-in, though not with the page. */
export const registerTabState = (holds: () => boolean) => void kept_in_tab.push(holds)

/** Would closing the tab, or signing out, lose something? */
export const hasUnsavedChanges = () => forms.size > 0 || kept_in_tab.some((holds) => holds())

/** The page is left on purpose: what its forms hold may go. */
export const discardUnsaved = () => forms.clear()

let answer: ((leave: boolean) => void) | undefined
const listeners = new Set<() => void>()
const tell = () => {
  for (const listener of listeners) listener()
}

/** The question whether to leave, for who shows it. */
export const leaveConfirmation = {
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  isOpen: () => answer !== undefined,
  answer: (leave: boolean) => {
    if (leave) discardUnsaved()
    answer?.(leave)
    answer = undefined
    tell()
  },
}

/** Asks where something would be lost. Asked anew, the question before counts as answered with no. */
function ask(lost: boolean): Promise<boolean> {
  if (!lost) return Promise.resolve(true)
  answer?.(false)
  const asked = new Promise<boolean>((done) => {
    answer = done
  })
  tell()
  return asked
}

/** May the page be left? Asks if a form on it holds something that is not saved. */
export const confirmLeavePage = () => ask(forms.size > 0)

/** May the sign-in end? Asks if anything is not saved. */
export const confirmSignOut = () => ask(hasUnsavedChanges())

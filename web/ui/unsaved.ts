import { createContext, use, useEffect, useId } from 'react'

type Report = (form: string, unsaved: boolean) => void

/** The ids of the forms with unsaved changes. */
const forms = new Set<string>()
/** Checks of state that survives navigation but not the tab. */
const tab_states: (() => boolean)[] = []

const reportToPage: Report = (form, unsaved) => {
  if (unsaved) forms.add(form)
  else forms.delete(form)
}

/** Receives the reports of forms: the page, or the dialog around the form. */
export const UnsavedContext = createContext<Report>(reportToPage)

/**
 * Reports whether this form has unsaved changes, to the page and the dialog around it. Call the result after saving, before
 * navigating.
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

/** Registers state that is lost with the tab or the session, but not with the page. */
export const registerTabState = (holds: () => boolean) => void tab_states.push(holds)

/** Would closing the tab or signing out lose changes? */
export const hasUnsavedChanges = () => forms.size > 0 || tab_states.some((holds) => holds())

/** Discards the changes of all forms: the page is left on purpose. */
export const discardUnsaved = () => forms.clear()

let answer: ((leave: boolean) => void) | undefined
const listeners = new Set<() => void>()
const notifyListeners = () => {
  for (const listener of listeners) listener()
}

/** The state of the leave dialog. */
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
    notifyListeners()
  },
}

/** Opens the dialog if changes would be lost; resolves with the choice. A new question cancels the previous one. */
function confirm(lost: boolean): Promise<boolean> {
  if (!lost) return Promise.resolve(true)
  answer?.(false)
  const choice = new Promise<boolean>((resolve) => {
    answer = resolve
  })
  notifyListeners()
  return choice
}

/** May the page be left? Asks when a form has unsaved changes. */
export const confirmLeavePage = () => confirm(forms.size > 0)

/** May the user sign out? Asks when there are unsaved changes. */
export const confirmSignOut = () => confirm(hasUnsavedChanges())

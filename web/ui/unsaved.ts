import { createContext, use, useCallback, useEffect, useId } from 'react'
import { createStore } from '../store.ts'

type Report = (form: string, unsaved: boolean) => void

const forms = new Set<string>()
/** The forms with changes that the end of the session keeps, with their page. */
const session_forms = new Set<string>()
/** Checks of state that survives the tab but not the session. */
const session_states: (() => boolean)[] = []

const reportToPage: Report = (form, unsaved) => {
  if (unsaved) forms.add(form)
  else forms.delete(form)
}

/** Receives the reports of forms: the page, or the dialog around the form. */
export const UnsavedContext = createContext<Report>(reportToPage)

/** `true`: changes are not kept. `by_leaving`: leaving the page drops them, but the end of the session elsewhere keeps the page. */
export type Ignored = boolean | 'by_leaving'

/**
 * Reports whether this form has unsaved changes, to the page and the dialog around it. Call the result after saving, before
 * navigating.
 */
export function useUnsaved(unsaved: boolean, ignored: Ignored = false) {
  const report = use(UnsavedContext)
  const form = useId()
  const forget = useCallback(() => {
    report(form, false)
    session_forms.delete(form)
  }, [report, form])
  useEffect(() => {
    report(form, unsaved && !ignored)
    if (unsaved && ignored !== true) session_forms.add(form)
    return forget
  }, [report, forget, form, unsaved, ignored])
  return forget
}

/** Registers state that is lost with the session, but neither with the page nor with the tab. */
export const registerSessionState = (holds: () => boolean) => void session_states.push(holds)

/** Whether closing the tab would lose changes. */
export const hasUnsavedChanges = () => forms.size > 0

/** A call that waits until it can no longer be undone. */
export interface DelayedCall {
  goOn: () => void
  drop: (reason: Error) => void
  made: Promise<unknown>
}

/** The delayed calls of this tab without a response. */
export const delayed_calls = new Set<DelayedCall>()

/** Whether the end of the session would lose something. */
export const needsSession = () => session_forms.size > 0 || delayed_calls.size > 0

/** Discards the changes of all forms, because the page is left on purpose. */
export function discardUnsaved() {
  forms.clear()
  session_forms.clear()
}

/** Resolves the open question of the leave dialog. */
const question = createStore<((leave: boolean) => void) | undefined>(undefined)

export const useLeaveQuestion = () => question.use() !== undefined

/** Answers the leave dialog and closes it. */
export function answerLeaveQuestion(leave: boolean) {
  if (leave) discardUnsaved()
  question.get()?.(leave)
  question.set(undefined)
}

/** Opens the dialog if changes would be lost; resolves with the choice. A new question cancels the previous one. */
function confirm(lost: boolean): Promise<boolean> {
  if (!lost) return Promise.resolve(true)
  question.get()?.(false)
  return new Promise((resolve) => question.set(resolve))
}

/** Whether the page may be left. Asks if a form has unsaved changes. */
export const confirmLeavePage = () => confirm(forms.size > 0)

/** Whether the user may sign out. Asks if there are unsaved changes. */
export const confirmSignOut = () => confirm(hasUnsavedChanges() || session_states.some((holds) => holds()))

import { useState } from 'react'
import { lazyDialog } from './lazy-component.tsx'

/** Asks for confirmation of an action that cannot simply be undone. The cancel button has the focus. */
export const Confirm = lazyDialog(() => import('./confirm-dialog.tsx'))

/** `ask` opens a `<Confirm>` and resolves with the choice; `question` contains its props. */
export function useConfirmation() {
  const [answer, setAnswer] = useState<(yes: boolean) => void>()
  const ask = () => new Promise<boolean>((resolve) => setAnswer(() => resolve))
  const close = (yes: boolean) => () => {
    answer?.(yes)
    setAnswer(undefined)
  }
  return { ask, question: { opened: answer !== undefined, onClose: close(false), onConfirm: close(true) } }
}

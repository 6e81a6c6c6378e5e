import { useSyncExternalStore } from 'react'
import { onUserChange } from './session.ts'

/** Resolvers of the calls that wait for a proof (D-129): true when it was given. */
let waiting: ((proved: boolean) => void)[] = []
const listeners = new Set<() => void>()

/** Opens the dialog that asks for a proof; false where the person closes it. */
export function askForProof(): Promise<boolean> {
  return new Promise((resolve) => {
    waiting = [...waiting, resolve]
    for (const listener of listeners) listener()
  })
}

/** Closes the dialog and lets the calls go on, or fail. */
export function answerProof(proved: boolean) {
  const resolvers = waiting
  waiting = []
  for (const listener of listeners) listener()
  for (const resolve of resolvers) resolve(proved)
}

onUserChange(() => answerProof(false))

/** Whether a call waits for a proof. */
export const useProofAsked = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => waiting.length > 0,
  )

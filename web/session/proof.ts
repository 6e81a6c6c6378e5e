import { createStore } from '../store.ts'
import { onUserChange } from './session.ts'

/** Resolvers of the calls that wait for a proof (D-129): true if it was given. */
const waiting = createStore<readonly ((proved: boolean) => void)[]>([])

/** Opens the dialog that asks for a proof; false if the person closes it. */
export const askForProof = () => new Promise<boolean>((resolve) => waiting.set([...waiting.get(), resolve]))

/** Closes the dialog, and repeats or fails the waiting calls. */
export function answerProof(proved: boolean) {
  const resolvers = waiting.get()
  waiting.set([])
  for (const resolve of resolvers) resolve(proved)
}

onUserChange(() => answerProof(false))

export const useProofAsked = () => waiting.use().length > 0

import { useSyncExternalStore } from 'react'
import type { login } from '../../contract/accounts.ts'
import type { ResponseOf, Wire } from '../../contract/endpoint.ts'

/** What a sign-in answers: the JWT and who it is. */
export type Session = Wire<ResponseOf<typeof login>>

interface State {
  session: Session | undefined
  /** The API no longer takes the session's token: whoever sits here is asked to sign in again, over the page. */
  expired: boolean
}

const storage_key = 'plaza.session'
const listeners = new Set<() => void>()
let state: State = { session: read(), expired: false }

/** Waiting calls, answered with whether the same person signed in again. */
let waiting: ((again: boolean) => void)[] = []

function read(): Session | undefined {
  const kept = localStorage.getItem(storage_key)
  return kept === null ? undefined : (JSON.parse(kept) as Session)
}

function change(next: State) {
  state = next
  for (const listener of listeners) listener()
}

function answerWaiting(again: boolean) {
  const answered = waiting
  waiting = []
  for (const answer of answered) answer(again)
}

/** Another tab signed in, out, or as somebody else: this one follows. */
addEventListener('storage', ({ key }) => {
  if (key !== storage_key && key !== null) return
  take(read())
})

const on_other_person: (() => void)[] = []

/** Runs before anybody hears that another person, or nobody, is signed in now. */
export const whenPersonChanges = (run: () => void) => on_other_person.push(run)

function take(session: Session | undefined) {
  const same = session !== undefined && session.user.id === state.session?.user.id
  if (session?.user.id !== state.session?.user.id) for (const run of on_other_person) run()
  change({ session, expired: false })
  answerWaiting(same)
}

/** The session now, for what is not a component. */
export const currentSession = () => state.session

/** Keeps a sign-in, in this and every other tab. */
export function startSession(session: Session) {
  localStorage.setItem(storage_key, JSON.stringify(session))
  take(session)
}

/** The same person with another JWT: after a change of password. */
export function replaceToken(token: string) {
  if (state.session) startSession({ ...state.session, token })
}

/** Forgets the sign-in, in every tab. */
export function endSession() {
  localStorage.removeItem(storage_key)
  take(undefined)
}

/**
 * Says that the API refused this token. Resolves with true as soon as the same person has signed in again, in the dialog
 * or in another tab, and with false when they do not.
 */
export function tokenRefused(token: string): Promise<boolean> {
  if (state.session === undefined) return Promise.resolve(false)
  if (state.session.token !== token) return Promise.resolve(true)
  if (!state.expired) change({ ...state, expired: true })
  return new Promise((answer) => waiting.push(answer))
}

/** The session and whether it has run out; changes with every tab. */
export const useSession = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
  )

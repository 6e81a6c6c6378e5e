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

/** A browser may keep its storage to itself, and what is there may be spoilt: nobody is signed in then. */
function read(): Session | undefined {
  try {
    return (JSON.parse(localStorage.getItem(storage_key) ?? 'null') as Session | null) ?? undefined
  } catch {
    return undefined
  }
}

/** Where nothing can be kept, the sign-in lasts as long as the page. */
function keep(session: Session | undefined) {
  try {
    if (session) localStorage.setItem(storage_key, JSON.stringify(session))
    else localStorage.removeItem(storage_key)
  } catch {
    // It is in memory all the same.
  }
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
export const onUserChange = (run: () => void) => on_other_person.push(run)

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
  keep(session)
  take(session)
}

/** The same person with another JWT: after a change of password. */
export function replaceToken(token: string) {
  if (state.session) startSession({ ...state.session, token })
}

/** What the service says now of the person who is signed in: a role may have come or gone since the sign-in. */
export function updateUser(user: Session['user']) {
  const { session } = state
  if (!session || session.user.id !== user.id || JSON.stringify(session.user) === JSON.stringify(user)) return
  const next = { ...session, user }
  keep(next)
  change({ ...state, session: next })
}

/** Forgets the sign-in, in every tab. */
export function endSession() {
  keep(undefined)
  take(undefined)
}

/**
 * Says that the API refused this session's token. Resolves with true as soon as the same person has signed in again, in
 * the dialog or in another tab, and with false when they do not: nothing is ever repeated in another person's name.
 */
export function reauthenticate({ token, user }: Session): Promise<boolean> {
  if (state.session?.user.id !== user.id) return Promise.resolve(false)
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

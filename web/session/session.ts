import type { login } from '../../contract/accounts.ts'
import type { AdminRole } from '../../contract/kinds/admin-roles.ts'
import type { ResponseOf, Wire } from '../../contract/endpoint.ts'
import { browser_storage, parseStored } from '../storage.ts'
import { createStore } from '../store.ts'
import type { Look } from '../ui/person.tsx'
import { needsSession } from '../ui/unsaved.ts'

type SignIn = Wire<ResponseOf<typeof login>>

/** The response of a sign-in: the JWT and the user, whose look is read later. */
export type Session = Omit<SignIn, 'user'> & {
  user: SignIn['user'] & Partial<Look> & { admin_roles?: readonly AdminRole[] }
}

interface State {
  session: Session | undefined
  /** The API has rejected the token: a dialog over the page asks the user to sign in again. */
  expired: boolean
  /** The session ended in another tab. */
  ended_elsewhere?: boolean
}

const storage_key = 'plaza.session'
const state = createStore<State>({ session: read(), expired: false })

/** Resolvers of the calls that wait for a sign-in: true when the same user has signed in again. */
let pending_calls: ((again: boolean) => void)[] = []

/** The session of all tabs. */
export const storedSession = read

function read() {
  return parseStored<Session>(browser_storage.get(storage_key))
}

const store = (session: Session | undefined) => browser_storage.set(storage_key, session && JSON.stringify(session))

function resolvePendingCalls(again: boolean) {
  const resolvers = pending_calls
  pending_calls = []
  for (const resolve of resolvers) resolve(again)
}

/** Follows the sign-in and sign-out of other tabs. */
addEventListener('storage', ({ key }) => {
  if (key !== storage_key && key !== null) return
  const [stored, session] = [read(), currentSession()]
  if (stored === undefined && session !== undefined && needsSession())
    return state.set({ session, expired: true, ended_elsewhere: true })
  applySession(stored, stored === undefined && session !== undefined)
})

const user_change_listeners: (() => void)[] = []

/** Registers a callback for when the user changes or signs out; it runs before components are notified. */
export const onUserChange = (run: () => void) => user_change_listeners.push(run)

function applySession(session: Session | undefined, ended_elsewhere = false) {
  const user_before = currentSession()?.user.id
  const same = session !== undefined && session.user.id === user_before
  if (session?.user.id !== user_before) for (const run of user_change_listeners) run()
  state.set({ session, expired: false, ended_elsewhere })
  resolvePendingCalls(same)
}

export const currentSession = () => state.get().session

/** The token of the last sign-in in this document. */
let signed_in_here: string | undefined

/** Whether the person signed in in this document, and not before or in another tab. */
export const isSignedInHere = ({ token }: Session) => token === signed_in_here

/** Signs in, in every tab. */
export function startSession(session: Session) {
  signed_in_here = session.token
  replaceSession(session)
}

function replaceSession(session: Session) {
  store(session)
  applySession(session)
}

/** Replaces the JWT of the user, after a change of password. */
export function replaceToken(token: string) {
  const session = currentSession()
  if (!session) return
  if (isSignedInHere(session)) signed_in_here = token
  replaceSession({ ...session, token })
}

/** Updates the user of the session, whose role may have changed since the sign-in. */
export function updateUser(user: Session['user']) {
  const session = currentSession()
  if (!session || session.user.id !== user.id || JSON.stringify(session.user) === JSON.stringify(user)) return
  const next = { ...session, user }
  store(next)
  state.set({ ...state.get(), session: next })
}

/** Removes the session, in every tab. */
export function endSession() {
  store(undefined)
  applySession(undefined)
}

/**
 * Opens the sign-in dialog. Resolves with true if the same user has signed in again, in the dialog or in another tab,
 * otherwise with false.
 */
export function askToSignIn({ token, user }: Session): Promise<boolean> {
  const { session, expired } = state.get()
  if (session?.user.id !== user.id) return Promise.resolve(false)
  if (session.token !== token) return Promise.resolve(true)
  if (!expired) state.set({ session, expired: true })
  return new Promise((resolve) => pending_calls.push(resolve))
}

export const isExpired = () => state.get().expired

/** The session and whether it has expired, in sync with other tabs. */
export const useSession = state.use

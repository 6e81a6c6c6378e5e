import { endInService } from '../../session/end-in-service.ts'
import { currentSession, startSession, type Session } from '../../session/session.ts'
import { settings } from '../../settings.ts'
import { browser_storage, parseStored } from '../../storage.ts'

/** The user's own session while signed in as a test person (D-102). */
interface Own {
  session: Session
  person_id: string
}

const storage_key = 'plaza.own_session'

const read = () => parseStored<Own>(browser_storage.get(storage_key))
const keep = (own: Own | undefined) => browser_storage.set(storage_key, own && JSON.stringify(own))

/**
 * The own session of the user who is signed in as the current test person; undefined otherwise, and outside a sandbox.
 */
export function ownSession(): Session | undefined {
  const own = settings.is_sandbox ? read() : undefined
  return own && own.person_id === currentSession()?.user.id ? own.session : undefined
}

/** Removes the user's own session, and returns it. */
export function forgetOwnSession() {
  const own = ownSession()
  keep(undefined)
  return own
}

/** Signs in as a test person, in every tab. Keeps the user's own session, and ends that of the previous test person. */
export function actAs(person: Session) {
  const [before, own] = [currentSession(), ownSession()]
  const mine = own ?? before
  if (!before || !mine) return
  keep({ session: mine, person_id: person.user.id })
  startSession(person)
  if (own) void endInService(before.token)
}

/** Returns to the user's own session, in every tab. */
export function comeBack() {
  const [before, own] = [currentSession(), ownSession()]
  if (!before || !own) return
  keep(undefined)
  startSession(own)
  void endInService(before.token)
}

import { renewSession } from '../../contract/accounts.ts'
import { PlazaClient } from '../../contract/client.ts'
import { askToSignIn, currentSession, isExpired, replaceToken, storedSession, type Session } from './session.ts'

/** A session is renewed after this part of its JWT's lifetime. */
const renewed_after_part = 1 / 12
/** The minimum time between renewals by a tab, in case the device's clock is wrong. */
const pause_ms = 600_000

let renewal: Promise<boolean> | undefined
let renewed_at = -Infinity

/** Renews the session in one tab for all (D-166). Returns true if it has another token afterwards. */
function renew(session: Session): Promise<boolean> {
  renewal ??= inOneTab(() => renewHere(session)).finally(() => (renewal = undefined))
  return renewal
}

/**
 * Called after the API has rejected this session's token: renews the session, or opens the sign-in dialog. Resolves
 * with true if the same user is signed in again, here or in another tab, otherwise with false: no call is repeated as
 * another user.
 */
export const reauthenticate = async (rejected: Session) =>
  (!isExpired() && (await renew(rejected))) || askToSignIn(rejected)

/**
 * The session for a call. It is renewed in the background if its JWT is no longer new, and before the call if the JWT
 * has expired.
 */
export async function sessionForCall(): Promise<Session | undefined> {
  const session = currentSession()
  if (!session) return undefined
  const { iat, exp } = claimsOf(session.token)
  const now = Date.now() / 1000
  if (now - iat < (exp - iat) * renewed_after_part || performance.now() - renewed_at < pause_ms) return session
  renewed_at = performance.now()
  const renewal = renew(session)
  if (now >= exp) await renewal
  return currentSession()
}

async function renewHere({ token, user }: Session) {
  const stored = storedSession() ?? currentSession()
  if (stored?.user.id !== user.id) return false
  if (stored.token !== token) return true
  const reply = await new PlazaClient(location.origin, token).call(renewSession).catch(() => undefined)
  if (!reply?.ok || currentSession()?.user.id !== user.id) return false
  replaceToken(reply.body.token)
  return true
}

/** Browsers have locks only where they also store the cookie: over https and on localhost. */
const inOneTab = (run: () => Promise<boolean>): Promise<boolean> =>
  'locks' in navigator ? navigator.locks.request('plaza.renew', run) : run()

/** Zeros for a token that is not a JWT: the service refuses it. */
function claimsOf(token: string): { iat: number; exp: number } {
  try {
    const payload = token.split('.')[1] ?? ''
    return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as { iat: number; exp: number }
  } catch {
    return { iat: 0, exp: 0 }
  }
}

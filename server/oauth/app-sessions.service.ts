import type { AppCaller } from '../../contract/caller.ts'
import { secondsAfter } from '../platform/clock.ts'
import { Failure } from '../platform/failure.ts'
import { newSecret, sha256 } from '../platform/secrets.ts'
import { pointsAwarded } from '../points/issuing.service.ts'
import { prefixes } from './rules.ts'
import type { OAuthDeps } from './service.ts'
import { endActiveSession, findActiveSession, renewSession } from './app-sessions.store.ts'

/**
 * The app session of the caller's grant (D-38), as it was before this call, which is itself a heartbeat. Without a
 * session the fields are false and null.
 */
export async function sessionStatus({ db, clock, heartbeat_seconds, last_uses }: OAuthDeps, caller: AppCaller) {
  const now = clock()
  const { grant_id, app_id, user_id } = caller
  // Read before the row: a use that is written in the meantime is found in the row.
  const unwritten = last_uses.pending(grant_id)
  const session = await findActiveSession(db, grant_id, now)
  if (!session)
    return { session_active: false, session_id: null, points_earned: null, last_heartbeat: null, is_alive: false }
  const points_earned = await pointsAwarded(db, { app_id, user_id, since: session.inserted_at })
  const last_heartbeat = unwritten && unwritten > session.last_heartbeat_at ? unwritten : session.last_heartbeat_at
  return {
    session_active: true,
    session_id: session.id,
    points_earned,
    last_heartbeat,
    is_alive: now < secondsAfter(last_heartbeat, heartbeat_seconds),
  }
}

/** Ends the session of the caller's grant; its tokens stay valid. Fails with `no_active_session`. */
export async function endSession({ db, clock }: OAuthDeps, { grant_id }: AppCaller) {
  const session_id = await endActiveSession(db, grant_id, clock())
  if (session_id === undefined) throw new Failure('no_active_session', { grant_id })
  return session_id
}

/**
 * Issues a new session token for a valid one. The old token stays valid until it expires, so that a lost response does not
 * end the session.
 * Fails with `invalid_token`.
 */
export async function refreshSessionToken({ db, clock, lifetimes }: OAuthDeps, token: string) {
  const now = clock()
  const session_token = newSecret(prefixes.session_token)
  const expires_at = secondsAfter(now, lifetimes.session_token_seconds)
  const renewed = await renewSession(db, sha256(token), { token_hash: sha256(session_token), expires_at, now })
  if (!renewed) throw new Failure('invalid_token', { why: 'unknown, expired or ended session' })
  return { session_token, expires_at }
}

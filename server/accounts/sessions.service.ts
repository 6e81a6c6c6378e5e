import type { UserCaller } from '../../contract/caller.ts'
import { decisions } from '../../contract/decisions.ts'
import { secondsAfter } from '../platform/clock.ts'
import { createInvalidatingCache, type Reading } from '../platform/batching/invalidating-cache.ts'
import type { Database, Sql, Tx } from '../platform/postgres/database.ts'
import { Failure, orFail } from '../platform/failure.ts'
import { newId } from '../platform/ids.ts'
import type { InvalidationBus } from '../platform/batching/invalidation-bus.ts'
import {
  endSession,
  endSessions,
  findSessionUsers,
  insertLoginSession,
  lockSession,
  listSessions,
  type SessionUser,
} from './sessions.store.ts'
import type { AccountsDeps } from './service.ts'

export { findSignInTime } from './sessions.store.ts'

/** True if the login session of a caller is still active (D-15). */
export async function isSignedIn({ sessions, clock }: Pick<AccountsDeps, 'sessions' | 'clock'>, caller: UserCaller) {
  const user = await sessions.get(caller.session_id)
  return user !== undefined && user.user_id === caller.user_id && user.expires_at > clock()
}

/**
 * The user of a JWT whose login session is active (D-15). If the session was renewed, the previous JWT stays valid for
 * 30 seconds (D-166). With `accepts_expired`, any JWT of the session is valid. Fails with `invalid_token`.
 */
export async function authenticateUser(
  { sessions, jwt, clock }: AccountsDeps,
  token: string,
  reading?: Reading,
  accepts_expired = false,
): Promise<UserCaller> {
  const now = clock()
  const claims = jwt.verify(token, now, accepts_expired)
  if (!claims) throw new Failure('invalid_token', { why: 'not a JWT of ours, or expired' })
  const { seq = 0 } = claims
  let user = await sessions.get(claims.sid, reading)
  // Another process has just renewed the session.
  if (user && seq > user.renewals) user = await sessions.get(claims.sid, 'current')
  if (user && !accepts_expired && !isCurrent(seq, user, now))
    throw new Failure('invalid_token', { why: 'its session has a newer JWT' })
  if (!user || user.user_id !== claims.sub || user.expires_at <= now)
    throw new Failure('invalid_token', { why: 'its login session is over' })
  const { user_id, is_admin, admin_roles } = user
  return { user_id, session_id: claims.sid, is_admin, admin_roles }
}

const { overlap_seconds } = decisions.kept_sessions

const isCurrent = (seq: number, { renewals, renewed_at }: SessionUser, now: Date) =>
  seq === renewals || (seq === renewals - 1 && renewed_at !== null && secondsAfter(renewed_at, overlap_seconds) > now)

/**
 * Starts a login session for a user whose password matched this hash, and signs its JWT. Fails with
 * `invalid_credentials` if the password changed in the meantime.
 */
export async function beginSession(
  deps: AccountsDeps,
  db: Sql,
  { user_id, password_hash, user_agent }: { user_id: string; password_hash: string; user_agent: string | undefined },
) {
  const now = deps.clock()
  const id = newId()
  const expires_at = secondsAfter(now, deps.jwt_seconds)
  const agent = user_agent?.slice(0, 300) ?? null
  if (!(await insertLoginSession(db, { id, user_id, password_hash, user_agent: agent, now, expires_at })))
    throw new Failure('invalid_credentials', { user_id, why: 'password changed or user suspended meanwhile' })
  return signSession(deps, { user_id, session_id: id, now, expires_at })
}

interface SignedSession {
  user_id: string
  session_id: string
  now: Date
  expires_at: Date
  /** The number of renewals of the session. */
  seq?: number
}

/** Signs a JWT of a session. It lasts for `jwt_seconds`, but not longer than the session. */
export function signSession(
  { jwt, jwt_seconds }: Pick<AccountsDeps, 'jwt' | 'jwt_seconds'>,
  { user_id, session_id, now, expires_at, ...renewed }: SignedSession,
) {
  const iat = Math.floor(now.getTime() / 1000)
  const exp = Math.min(iat + jwt_seconds, Math.floor(expires_at.getTime() / 1000))
  return jwt.sign({ sub: user_id, sid: session_id, iat, exp, ...renewed })
}

const sessions_cached_max = 50_000

// Tags that invalidate a cached session, or everything cached about a user.
export const sessionTag = (session_id: string) => `session ${session_id}`
export const userTag = (user_id: string) => `user ${user_id}`

export const createSessionCache = (db: Database, bus: InvalidationBus) =>
  createInvalidatingCache<SessionUser>({
    name: 'sessions',
    bus,
    entries_max: sessions_cached_max,
    load: async (session_ids) => {
      const found = new Map((await findSessionUsers(db, session_ids)).map((row) => [row.session_id, row]))
      return session_ids.map((session_id) => found.get(session_id))
    },
    tagsOf: (session_id, { user_id }) => [sessionTag(session_id), userTag(user_id)],
  })

/** Ends a session of the user, in every process immediately; false if it is not active. */
const endOneSession = ({ db, clock, invalidations }: AccountsDeps, user_id: string, session_id: string) =>
  db.transaction(async (tx) => {
    const ended = await endSession(tx, { user_id, session_id, now: clock() })
    if (ended) await invalidations.publish(tx, [sessionTag(session_id)])
    return ended
  })

/** Ends the user's sessions except one, in every process immediately, inside a transaction. */
export async function endAllSessions(
  { clock, invalidations }: Pick<AccountsDeps, 'clock' | 'invalidations'>,
  tx: Tx,
  user_id: string,
  except_session_id: string | null,
) {
  await endSessions(tx, { user_id, except_session_id, now: clock() })
  await invalidations.publish(tx, [userTag(user_id)])
}

/** Ends the session of the caller's own JWT. */
export const logOut = (deps: AccountsDeps, { user_id, session_id }: UserCaller) =>
  endOneSession(deps, user_id, session_id)

export async function listLogins({ db, clock }: AccountsDeps, { user_id, session_id }: UserCaller) {
  const sessions = await listSessions(db, { user_id, now: clock() })
  return sessions.map((session) => ({ ...session, current: session.id === session_id }))
}

/** Ends one of the caller's sessions. Fails with `not_found`. */
export async function endLogin(deps: AccountsDeps, { user_id }: UserCaller, session_id: string) {
  if (!(await endOneSession(deps, user_id, session_id))) throw new Failure('not_found')
}

/** The active login sessions of a person, newest first, for admins. */
export const listSessionsOf = ({ db, clock }: Pick<AccountsDeps, 'db' | 'clock'>, user_id: string) =>
  listSessions(db, { user_id, now: clock() })

/**
 * Ends a person's login sessions, or one of them, in every process immediately, in the admin's transaction; returns the
 * number.
 */
export async function endSessionsOf(
  deps: Pick<AccountsDeps, 'clock' | 'invalidations'>,
  tx: Tx,
  { user_id, session_id }: { user_id: string; session_id: string | undefined },
) {
  const now = deps.clock()
  if (session_id !== undefined) {
    const ended = await endSession(tx, { user_id, session_id, now })
    if (ended) await deps.invalidations.publish(tx, [sessionTag(session_id)])
    return ended ? 1 : 0
  }
  const { length } = await listSessions(tx, { user_id, now })
  await endAllSessions(deps, tx, user_id, null)
  return length
}

export const endOtherLogins = (deps: AccountsDeps, caller: UserCaller) =>
  deps.db.transaction(async (tx) => {
    await requireSession(deps, tx, caller)
    await endAllSessions(deps, tx, caller.user_id, caller.session_id)
  })

/**
 * Locks the caller's account and login session until the transaction ends, so that a change does not outlive the
 * caller's credentials or rights (D-120). Call it before other rows are locked, but after the account's own if that row
 * changes. Fails with `invalid_token`.
 */
export const requireSession = (
  { clock }: Pick<AccountsDeps, 'clock'>,
  tx: Tx,
  { user_id, session_id }: Pick<UserCaller, 'user_id' | 'session_id'>,
) =>
  orFail(lockSession(tx, { session_id, user_id, now: clock() }), 'invalid_token', {
    user_id,
    why: 'its login session ended meanwhile',
  })

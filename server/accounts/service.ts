import type { AdminRole } from '../../contract/kinds/admin-roles.ts'
import type { UserCaller } from '../../contract/caller.ts'
import { decisions } from '../../contract/decisions.ts'
import { secondsAfter, type Clock } from '../platform/clock.ts'
import {
  createInvalidatingCache,
  type InvalidatingCache,
  type Reading,
} from '../platform/batching/invalidating-cache.ts'
import type { Database, Sql, Tx } from '../platform/postgres/database.ts'
import { Failure, orFail } from '../platform/failure.ts'
import type { Passwords } from '../platform/passwords.ts'
import { newId } from '../platform/ids.ts'
import type { JwtKeyRing } from '../platform/jwt.ts'
import type { RateCounter } from '../platform/rate-limit.ts'
import type { Mailer } from '../platform/mail.ts'
import type { InvalidationBus } from '../platform/batching/invalidation-bus.ts'
import { inBatches } from '../platform/in-batches.ts'
import { keyRing, sealingKeys, type KeyRing, type SealingKeys } from '../platform/secrets.ts'
import { tierEmoji, type Tier } from './rules.ts'
import type { StaffNames } from './staff-names.rules.ts'
import { purgeEmailChanges, purgeUndos } from './changes.store.ts'
import { purgeReservedNames } from './usernames.store.ts'
import { purgeResetCodes } from './reset-codes.store.ts'
import { purgeChallenges } from './passkeys.store.ts'
import { purgeMailedCodes } from './mailed-codes.store.ts'
import { purgeProofs } from './second-factor-proofs.store.ts'
import {
  endSession,
  endSessions,
  findSessionUsers,
  purgeSessions,
  insertLoginSession,
  lockSession,
  listSessions,
  type SessionUser,
} from './sessions.store.ts'
import {
  findProfile,
  findUser,
  findUserIdByUsername,
  findUsernames,
  isUserSuspended,
  lockActiveUser,
  lockVerified,
  setUserLanguage,
} from './store.ts'
import type { UserRow } from './user-columns.rules.ts'

export { findSignInTime } from './sessions.store.ts'
export { findInviter } from './store.ts'

/** The events of accounts, with the facts for the handlers of other domains. */
interface AccountEventFacts {
  registered: { user_id: string; now: Date }
  /** `referrer` is the user who referred this one, if any. */
  email_verified: { user: UserRow; referrer: UserRow | undefined; now: Date }
  /** All access on behalf of the account ends, because its password was reset or an admin suspended it. */
  access_revoked: { user_id: string; now: Date }
  /** The user has changed the name or picture; a handler that fails refuses the change. */
  renamed: { user_id: string; now: Date }
  /** The user sets a display name; a handler that fails refuses it. */
  display_named: { user_id: string; display_name: string; now: Date }
  /** An admin suspended the account; `access_revoked` has run already. */
  suspended: { user_id: string; now: Date }
  /** An admin lifted the suspension; also called when there was none. */
  reactivated: { user_id: string; now: Date }
  /** The account got an admin role, at start or by command, and now has these roles. */
  admin_granted: { user_id: string; roles: readonly AdminRole[]; now: Date }
  /** The owner changed the password: pending authorization codes are voided, connected apps stay. */
  password_changed: { user_id: string }
}

/** Handlers of account events, called in the transaction of the event. */
export type AccountEvents = {
  [Name in keyof AccountEventFacts]: (tx: Tx, event: AccountEventFacts[Name]) => Promise<unknown>
}

/** Calls the handlers of each domain one after the other, in order. */
export function handledByAll(domains: () => readonly Partial<AccountEvents>[]): AccountEvents {
  const all =
    <Name extends keyof AccountEventFacts>(name: Name) =>
    async (tx: Tx, event: AccountEventFacts[Name]) => {
      for (const handlers of domains()) await handlers[name]?.(tx, event)
    }
  return {
    registered: all('registered'),
    email_verified: all('email_verified'),
    access_revoked: all('access_revoked'),
    renamed: all('renamed'),
    display_named: all('display_named'),
    suspended: all('suspended'),
    reactivated: all('reactivated'),
    admin_granted: all('admin_granted'),
    password_changed: all('password_changed'),
  }
}

export interface AccountsDeps {
  db: Database
  clock: Clock
  jwt: JwtKeyRing
  jwt_seconds: number
  /** The lifetime of console sessions without use, and at most (D-166). */
  session_idle_seconds: number
  session_max_seconds: number
  is_sandbox: boolean
  /** The base of the links in mails. */
  public_url: string
  keys: AccountKeys
  passwords: Passwords
  /** For the message of calls that queue a mail; jobs send it. */
  mailer: Pick<Mailer, 'check'>
  tiers: [Tier, ...Tier[]]
  isStaffName: StaffNames
  events: AccountEvents
  invalidations: InvalidationBus
  /** Counts login failures and requested reset codes (D-91). */
  counter: RateCounter
  /** Active login sessions by id. */
  sessions: InvalidatingCache<SessionUser>
}

export interface AccountKeys {
  /** Keys that encrypt TOTP secrets at rest. The newest is first; older ones only decrypt. */
  totp: SealingKeys
  /** Keys for hashes of short codes. The newest is first; older ones only verify. */
  codes: KeyRing
}

/**
 * The derivation purpose of the keys of short codes. They are retained after their secret is retired, for recovery
 * codes.
 */
export const codes_purpose = 'codes'

/** The keys of this domain: derived from the service's secrets, newest first, and retained ones of retired secrets. */
export const accountKeys = (
  secrets: readonly [string, ...string[]],
  retained_code_keys: readonly Buffer[] = [],
): AccountKeys => ({
  totp: sealingKeys(secrets, 'totp'),
  codes: keyRing(secrets, codes_purpose, retained_code_keys),
})

/** Whether the login session of a caller is still active (D-15). */
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

/** The caller's own profile, with its totals: points = total_earned − total_spent always (D-18). */
export async function getProfile({ db, tiers }: Pick<AccountsDeps, 'db' | 'tiers'>, user_id: string) {
  const profile = await orFail(findProfile(db, user_id), 'not_found', { user_id })
  const { direct_referrals, connected_apps, total_earned, total_spent } = profile
  return {
    ...profile,
    tier_emoji: tierEmoji(tiers, profile.tier),
    stats: { direct_referrals, connected_apps, total_earned, total_spent },
  }
}

/** Sets the language of mails to a person. */
export const chooseLanguage = ({ db }: Pick<AccountsDeps, 'db'>, user_id: string, language: string) =>
  setUserLanguage(db, user_id, language, false)

export const isPerson = async (db: Sql, user_id: string) => (await findUsernames(db, [user_id])).length > 0

/** A user by id, even if suspended; undefined if there is none or they have left. */
export const findPerson = (db: Sql, user_id: string) => findUser(db, user_id)

/** A user by id. Fails with `user_not_found`. */
export const getUser = (db: Sql, user_id: string) => orFail(findUser(db, user_id), 'user_not_found', { user_id })

/**
 * Locks a user against suspension until the transaction ends. Fails with `invalid_token` if the user is suspended,
 * because the credential is not valid then.
 */
export async function requireActiveUser(tx: Tx, user_id: string) {
  if (!(await lockActiveUser(tx, user_id))) throw new Failure('invalid_token', { user_id, why: 'suspended meanwhile' })
}

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

/**
 * Whether a user's address is verified, which cannot change before the transaction ends; undefined if there is no user.
 */
export const isVerifiedUntilCommit = (tx: Tx, user_id: string) => lockVerified(tx, user_id)

/** The names of users by id; unknown ids are omitted. */
export const namesOfUsers = async (db: Sql, user_ids: string[]) =>
  new Map((await findUsernames(db, user_ids)).map(({ id, username }) => [id, username]))

/** The id of the user with this name, ignoring case. */
export const findUserIdByName = (db: Sql, username: string) => findUserIdByUsername(db, username)

export const isSuspended = (db: Sql, user_id: string) => isUserSuspended(db, user_id)

/** The profile of a user that an app may read, without private data (D-35). */
export async function getPublicProfile({ db, tiers }: Pick<AccountsDeps, 'db' | 'tiers'>, user_id: string) {
  const { id, username, email, email_verified, tier } = await getUser(db, user_id)
  return { id, username, email, email_verified, tier, tier_emoji: tierEmoji(tiers, tier) }
}

/** How long ended login sessions are retained. */
export const logins_kept_seconds = 30 * 86_400

/** Deletes expired login sessions, codes, passkey challenges, undos and name reservations, in batches of `rows_max`. */
export async function purgeExpiredLogins({ db, clock }: AccountsDeps, { rows_max }: { rows_max: number }) {
  const now = clock()
  const before = secondsAfter(now, -logins_kept_seconds)
  await inBatches(rows_max, () => purgeSessions(db.adHoc, { before, rows_max }))
  await inBatches(rows_max, () => purgeMailedCodes(db.adHoc, { before: now, rows_max }))
  await inBatches(rows_max, () => purgeResetCodes(db.adHoc, { before: now, rows_max }))
  await inBatches(rows_max, () => purgeEmailChanges(db.adHoc, { before: now, rows_max }))
  await inBatches(rows_max, () => purgeUndos(db.adHoc, { before: now, rows_max }))
  await inBatches(rows_max, () => purgeReservedNames(db.adHoc, { before: now, rows_max }))
  await inBatches(rows_max, () => purgeProofs(db.adHoc, { before: now, rows_max }))
  await inBatches(rows_max, () => purgeChallenges(db.adHoc, { before: now, rows_max }))
}

/** Emits `email_verified` with the user's referrer. */
export async function emitEmailVerified({ events }: AccountsDeps, tx: Tx, user: UserRow, now: Date) {
  const referrer = user.referred_by === null ? undefined : await findUser(tx, user.referred_by)
  await events.email_verified(tx, { user, referrer, now })
}

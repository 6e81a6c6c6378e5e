import type { UserCaller } from '../../contract/caller.ts'
import { secondsAfter, type Clock } from '../kit/clock.ts'
import type { Database, Sql, Tx } from '../kit/database.ts'
import { Failure } from '../kit/failure.ts'
import { newId } from '../kit/ids.ts'
import type { JwtRing } from '../kit/jwt.ts'
import { deriveKey } from '../kit/secrets.ts'
import { tierEmoji, type Tier } from './rules.ts'
import {
  endSession,
  endSessions,
  findProfile,
  findSessionUser,
  findUser,
  forgetMailedCodes,
  forgetSessions,
  insertLoginSession,
  listSessions,
  type UserRow,
} from './store.ts'

/** What other domains do when something happens to an account, inside the transaction in which it happens. */
export interface AccountEvents {
  registered(tx: Tx, event: { user_id: string; now: Date }): Promise<void>
  /** `referrer` is who referred this user, if anybody did. */
  email_verified(tx: Tx, event: { user: UserRow; referrer: UserRow | undefined; now: Date }): Promise<void>
  /** Everything that acts for this account must stop: its password was reset, or an admin suspended it. */
  access_withdrawn(tx: Tx, event: { user_id: string; now: Date }): Promise<void>
  /** The password was changed by its owner: what was under way ends, what was connected stays. */
  password_changed(tx: Tx, event: { user_id: string }): Promise<void>
}

export interface AccountsDeps {
  db: Database
  clock: Clock
  jwt: JwtRing
  jwt_seconds: number
  keys: AccountKeys
  tiers: [Tier, ...Tier[]]
  events: AccountEvents
}

export interface AccountKeys {
  /** Encrypts TOTP secrets at rest; the newest first, older ones still decrypt. */
  totp: Buffer[]
  /** Keys the hashes of short codes. */
  codes: Buffer
}

/** The keys of this domain, derived from the service's secrets (the first is the newest). */
export const accountKeys = (secrets: readonly [string, ...string[]]): AccountKeys => ({
  totp: secrets.map((secret) => deriveKey(secret, 'totp')),
  codes: deriveKey(secrets[0], 'codes'),
})

/** Who a JWT stands for, if its login session is in force (D-15). Fails with `invalid_token`. */
export async function authenticateUser({ db, jwt, clock }: AccountsDeps, token: string): Promise<UserCaller> {
  const now = clock()
  const claims = jwt.verify(token, now)
  if (!claims) throw new Failure('invalid_token', { why: 'not a JWT of ours, or expired' })
  const user = await findSessionUser(db, { session_id: claims.sid, now })
  if (!user || user.user_id !== claims.sub) throw new Failure('invalid_token', { why: 'its login session is over' })
  return { user_id: user.user_id, session_id: claims.sid, is_admin: user.is_admin }
}

/** Begins a login session and signs its JWT. */
export async function beginSession(
  { jwt, jwt_seconds, clock }: AccountsDeps,
  db: Sql,
  { user_id, user_agent }: { user_id: string; user_agent: string | undefined },
) {
  const now = clock()
  const id = newId()
  const expires_at = secondsAfter(now, jwt_seconds)
  await insertLoginSession(db, { id, user_id, user_agent: user_agent?.slice(0, 300) ?? null, now, expires_at })
  const iat = Math.floor(now.getTime() / 1000)
  return jwt.sign({ sub: user_id, sid: id, iat, exp: iat + jwt_seconds })
}

/** Ends the session that the caller's own JWT stands for. */
export const logOut = ({ db, clock }: AccountsDeps, { user_id, session_id }: UserCaller) =>
  endSession(db, { user_id, session_id, now: clock() })

export async function listLogins({ db, clock }: AccountsDeps, { user_id, session_id }: UserCaller) {
  const sessions = await listSessions(db, { user_id, now: clock() })
  return sessions.map((session) => ({ ...session, current: session.id === session_id }))
}

/** Ends one of the caller's sessions. Fails with `not_found`. */
export async function endLogin({ db, clock }: AccountsDeps, { user_id }: UserCaller, session_id: string) {
  if (!(await endSession(db, { user_id, session_id, now: clock() }))) throw new Failure('not_found')
}

export const endOtherLogins = ({ db, clock }: AccountsDeps, { user_id, session_id }: UserCaller) =>
  endSessions(db, { user_id, keep: session_id, now: clock() })

/** The caller's own profile, with its totals: points = total_earned − total_spent always (D-18). */
export async function getProfile({ db, tiers }: Pick<AccountsDeps, 'db' | 'tiers'>, user_id: string) {
  const profile = await findProfile(db, user_id)
  if (!profile) throw new Failure('not_found', { user_id })
  const { direct_referrals, connected_apps, total_earned, total_spent } = profile
  return {
    ...profile,
    tier_emoji: tierEmoji(tiers, profile.tier),
    stats: { direct_referrals, connected_apps, total_earned, total_spent },
  }
}

/** A user by id. Fails with `user_not_found`. */
export async function getUser(db: Sql, user_id: string) {
  const user = await findUser(db, user_id)
  if (!user) throw new Failure('user_not_found', { user_id })
  return user
}

/** A user as an app may see it: nothing of the account's private data (D-35). */
export async function getPublicProfile({ db, tiers }: Pick<AccountsDeps, 'db' | 'tiers'>, user_id: string) {
  const { id, username, email, email_verified, tier } = await getUser(db, user_id)
  return { id, username, email, email_verified, tier, tier_emoji: tierEmoji(tiers, tier) }
}

/** Login sessions are shown to their user no longer than this after they are over. */
const kept_seconds = 30 * 86_400

/** Deletes login sessions and mailed codes that are long over, up to `rows_max` of each. */
export async function forgetOldLogins({ db, clock }: AccountsDeps, { rows_max }: { rows_max: number }) {
  await forgetSessions(db, { before: secondsAfter(clock(), -kept_seconds), rows_max })
  await forgetMailedCodes(db, { before: clock(), rows_max })
}

/** Tells the other domains that a user's address was verified, and who referred the user. */
export async function announceVerified({ events }: AccountsDeps, tx: Tx, user: UserRow, now: Date) {
  const referrer = user.referred_by === null ? undefined : await findUser(tx, user.referred_by)
  await events.email_verified(tx, { user, referrer, now })
}

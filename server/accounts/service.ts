import type { AdminRole } from '../../contract/kinds/admin-roles.ts'
import { secondsAfter, type Clock } from '../platform/clock.ts'
import type { InvalidatingCache } from '../platform/batching/invalidating-cache.ts'
import type { Database, Sql, Tx } from '../platform/postgres/database.ts'
import { Failure, orFail } from '../platform/failure.ts'
import type { Passwords } from '../platform/passwords.ts'
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
import { purgeSessions, type SessionUser } from './sessions.store.ts'
import { findProfile, findUser, findUsernames, lockActiveUser, setUserLanguage } from './store.ts'
import type { UserRow } from './user-columns.rules.ts'

export {
  findInviter,
  findUser as findPerson,
  findUserIdByUsername as findUserIdByName,
  isUserSuspended as isSuspended,
  lockVerified as isVerifiedUntilCommit,
} from './store.ts'

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

/** A user by id. Fails with `user_not_found`. */
export const getUser = (db: Sql, user_id: string) => orFail(findUser(db, user_id), 'user_not_found', { user_id })

/**
 * Locks a user against suspension until the transaction ends. Fails with `invalid_token` if the user is suspended,
 * because the credential is not valid then.
 */
export async function requireActiveUser(tx: Tx, user_id: string) {
  if (!(await lockActiveUser(tx, user_id))) throw new Failure('invalid_token', { user_id, why: 'suspended meanwhile' })
}

/** The names of users by id; unknown ids are omitted. */
export const namesOfUsers = async (db: Sql, user_ids: string[]) =>
  new Map((await findUsernames(db, user_ids)).map(({ id, username }) => [id, username]))

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

import type { AdminRole } from '../../contract/kinds/admin-roles.ts'
import type { UserCaller } from '../../contract/caller.ts'
import { decisions } from '../../contract/decisions.ts'
import { secondsAfter } from '../platform/clock.ts'
import { violates, type Database, type Sql, type Tx } from '../platform/postgres/database.ts'
import { Failure, invalidField } from '../platform/failure.ts'
import { newId } from '../platform/ids.ts'
import type { JobMailer } from '../platform/mail.ts'
import { enqueue } from '../platform/queue.ts'
import { mailedDigits } from '../platform/mailed-secrets.ts'
import { keyedHash, keyedHashes, newSecret } from '../platform/secrets.ts'
import { mailIn } from '../platform/texts.ts'
import { tryCode } from './code-tries.service.ts'
import { mailedLink, newReferralCode } from './rules.ts'
import { refuseReservedAddress } from './reserved-addresses.service.ts'
import { refuseReservedName, refuseStaffName } from './usernames.service.ts'
import { emitEmailVerified, type AccountsDeps } from './service.ts'
import { endAllSessions, requireSession, userTag } from './sessions.service.ts'
import { upsertMailedCode, consumeMailedCodeAttempt } from './mailed-codes.store.ts'
import {
  findUser,
  findUserByEmail,
  findUserIdByReferralCode,
  grantRole,
  insertUser,
  numberRegistration,
  setEmailVerified,
  type NewUser,
} from './store.ts'

export interface Registration {
  email: string
  password: string
  username: string
  referral_code?: string
  /** The language of mails to the person; null means English. */
  language?: string | null
}

/**
 * Creates an account with its points account (D-12, D-16, D-17).
 * Fails with `email_taken`, `username_taken`, or `validation_failed` for an unknown referral code.
 */
export async function register(
  deps: AccountsDeps,
  { email, password, username, referral_code, language = null }: Registration,
) {
  refuseStaffName(deps, username)
  const referred_by = await referrerOf(deps.db, referral_code)
  return createUser(deps, { email, password, username, language, referred_by, is_admin: false, email_verified: false })
}

async function referrerOf(db: Database, referral_code: string | undefined) {
  if (referral_code === undefined) return null
  const referrer_id = await findUserIdByReferralCode(db, referral_code)
  if (referrer_id === undefined) throw invalidField('referral_code', 'referral_code')
  return referrer_id
}

/**
 * Creates an account with a verified address and a password that nobody knows. `also` runs in its transaction. Fails
 * with `username_taken`, also if the address is registered.
 */
export async function createTestAccount(
  deps: AccountsDeps,
  { email, username }: { email: string; username: string },
  also: (tx: Tx, user_id: string, now: Date) => Promise<void>,
) {
  refuseStaffName(deps, username)
  const account = { email, username, password: newSecret(''), referred_by: null, is_admin: false, email_verified: true }
  return createUser(deps, account, also).catch((error: unknown) => {
    throw error instanceof Failure && error.code === 'email_taken' ? new Failure('username_taken') : error
  })
}

type Account = Pick<NewUser, 'email' | 'username' | 'referred_by' | 'is_admin' | 'email_verified'> & {
  password: string
  language?: string | null
}

async function createUser(
  deps: AccountsDeps,
  { password, language = null, ...account }: Account,
  also?: (tx: Tx, user_id: string, now: Date) => Promise<void>,
) {
  const { db, clock, tiers, passwords, events } = deps
  const now = clock()
  const password_hash = await passwords.hash(password)
  const user: NewUser = {
    ...account,
    language,
    id: newId(),
    password_hash,
    tier: tiers[0].name,
    referral_code: newReferralCode(),
    now,
  }
  try {
    const registration_number = await db.transaction(async (tx) => {
      await insertUser(tx, user)
      await refuseReservedName(deps, tx, user.id, user.username)
      await refuseReservedAddress(deps, tx, user.id, user.email)
      await events.registered(tx, { user_id: user.id, now })
      if (user.is_admin) await events.admin_granted(tx, { user_id: user.id, roles: ['administrator'], now })
      await also?.(tx, user.id, now)
      return numberRegistration(tx, user.id)
    })
    return { ...user, registration_number }
  } catch (error) {
    if (violates(error, 'users_email')) throw new Failure('email_taken')
    if (violates(error, 'users_username')) throw new Failure('username_taken')
    throw error
  }
}

/** Queues a verification mail. Fails with `already_verified`. */
export async function requestVerification({ db }: { db: Sql }, user_id: string) {
  const user = await findUser(db, user_id)
  if (!user || user.email_verified) throw new Failure('already_verified')
  await enqueue(db, 'accounts.mail_verification_code', { user_id }, { priority: 'mail' })
}

/** Creates a verification code in place of an earlier one and mails it. The code exists in clear in the mail only (D-11). */
export async function mailVerificationCode(deps: AccountsDeps, mailer: JobMailer, user_id: string) {
  const { db, clock, keys, public_url } = deps
  const user = await findUser(db, user_id)
  if (!user || user.email_verified) return
  const { digits, lifetime_seconds, tries: attempts } = decisions.mailed_codes
  const code = mailedDigits(keys.codes[0], mailer.job, digits)
  await upsertMailedCode(db, {
    user_id,
    purpose: 'verify_email',
    code_hash: keyedHash(keys.codes[0], `${user_id} ${code}`),
    attempts,
    expires_at: secondsAfter(clock(), lifetime_seconds),
  })
  const link = mailedLink(public_url, '/verify-email', code)
  const facts = { username: user.username, code, link, minutes: lifetime_seconds / 60 }
  await mailer.send({ to: user.email, ...mailIn(user.language, 'mail.verification', facts) })
}

/**
 * Verifies the caller's address with the mailed code, and ends the account's other login sessions: they may belong to
 * somebody who registered with another person's address. Fails with `invalid_code`, `too_many_codes` or
 * `already_verified`.
 */
export async function verifyEmail(deps: AccountsDeps, caller: UserCaller, code: string) {
  const { db, clock, keys } = deps
  const { user_id, session_id } = caller
  const user = await findUser(db, user_id)
  if (!user || user.email_verified) throw new Failure('already_verified')
  const now = clock()
  const code_hashes = keyedHashes(keys.codes, `${user_id} ${code.trim()}`)
  // Outside the transaction below: a wrong attempt must count although the call fails.
  const is_right = await tryCode(deps, { user_id, email: user.email }, 'too_many_codes', () =>
    consumeMailedCodeAttempt(db, { user_id, purpose: 'verify_email', code_hashes, now }),
  )
  if (!is_right) throw new Failure('invalid_code')
  await db.transaction(async (tx: Tx) => {
    if (!(await setEmailVerified(tx, user_id))) return
    await requireSession(deps, tx, caller)
    await endAllSessions(deps, tx, user_id, session_id)
    await emitEmailVerified(deps, tx, user, now)
  })
}

/** Creates the first admin unless an account has the address (D-19); returns whether it did. */
export async function ensureAdmin(deps: AccountsDeps, { email, password }: { email: string; password: string }) {
  if (await findUserByEmail(deps.db, email)) return false
  const base = (email.split('@')[0] ?? '').replace(/[^A-Za-z0-9_.-]/g, '').slice(0, 24)
  for (const username of [base.length >= 3 ? base : 'admin', `${base}-${newReferralCode().slice(0, 6)}`]) {
    try {
      await createUser(deps, { email, password, username, referred_by: null, is_admin: true, email_verified: true })
      return true
    } catch (error) {
      if (error instanceof Failure && error.code === 'email_taken') return false
      if (!(error instanceof Failure) || error.code !== 'username_taken') throw error
    }
  }
  return false
}

/** The dependencies of `makeAdmin`; its command runs without the rest of the service. */
export interface MakeAdminDeps extends Pick<AccountsDeps, 'db' | 'clock'> {
  events: Pick<AccountsDeps['events'], 'admin_granted'>
  invalidations: Pick<AccountsDeps['invalidations'], 'publish'>
}

/**
 * Gives the account with this address a role (`npm run admin -- grant <email> [role]`); false if no account has the
 * address.
 */
export const makeAdmin = (
  { db, clock, events, invalidations }: MakeAdminDeps,
  email: string,
  role: AdminRole = 'administrator',
) =>
  db.transaction(async (tx) => {
    const granted = await grantRole(tx, email, role)
    if (granted === undefined) return false
    await events.admin_granted(tx, { ...granted, now: clock() })
    await invalidations.publish(tx, [userTag(granted.user_id)])
    return true
  })

import { decisions } from '../../contract/decisions.ts'
import { secondsAfter } from '../platform/clock.ts'
import type { UserCaller } from '../../contract/caller.ts'
import { Failure, invalidField, orFail } from '../platform/failure.ts'
import type { JobMailer } from '../platform/mail.ts'
import { enqueue } from '../platform/queue.ts'
import { mailedSecret } from '../platform/mailed-secrets.ts'
import { sha256 } from '../platform/secrets.ts'
import { mailIn } from '../platform/texts.ts'
import { deleteEmailChange, deleteUndosOfOthers } from './changes.store.ts'
import { enqueueNotice, enqueueReset } from './notices.service.ts'
import { findProved, missingWithoutPasskey, requirePasskey, requirePassword, type Proof } from './proof.service.ts'
import { mailedLink } from './rules.ts'
import { endFactorsSince, findFactors } from './recent-factors.service.ts'
import { emitEmailVerified, type AccountsDeps } from './service.ts'
import { beginSession, endAllSessions, requireSession } from './sessions.service.ts'
import { countReset } from './login-throttle.service.ts'
import { insertResetCode, consumeResetCode } from './reset-codes.store.ts'
import { removePasskeysOf } from './passkeys.store.ts'
import { findUser, findUserByEmail, setEmailVerified, setPassword } from './store.ts'
import { clearTotp } from './two-factor.store.ts'

const { recent_days } = decisions.account_recovery

/** The field errors of `changePassword`. */
export const changeErrors = missingWithoutPasskey('current_password')

interface PasswordChange {
  current_password?: string
  new_password: string
}

/**
 * Changes the caller's password, ends every login session of the account and starts a new one for the caller (D-15). Needs the present
 * password or a passkey (D-108). Fails with `validation_failed` without either, `wrong_password`, `too_many_failures`, or as
 * `requirePasskey` does.
 */
export async function changePassword(
  deps: AccountsDeps,
  caller: UserCaller,
  { current_password, new_password, passkey }: Pick<Proof, 'passkey'> & PasswordChange,
  user_agent: string | undefined,
) {
  const { db, passwords, events } = deps
  const { user_id } = caller
  const user = await requirePasswordOrPasskey(deps, caller, { current_password, passkey })
  const password_hash = await passwords.hash(new_password)
  return db.transaction(async (tx) => {
    if (!(await setPassword(tx, user_id, password_hash, user.password_hash))) throw new Failure('wrong_password')
    await requireSession(deps, tx, caller)
    await endAllSessions(deps, tx, user_id, null)
    await events.password_changed(tx, { user_id })
    await enqueueNotice(tx, { user_id, kind: 'password', now: deps.clock() })
    return beginSession(deps, tx, { user_id, password_hash, user_agent })
  })
}

async function requirePasswordOrPasskey(
  deps: AccountsDeps,
  caller: UserCaller,
  { current_password, passkey }: Pick<Proof, 'passkey'> & Pick<PasswordChange, 'current_password'>,
) {
  if (passkey !== undefined) return requirePasskey(deps, caller, passkey)
  if (current_password === undefined) {
    const proved = await findProved(deps, caller, {})
    if (!proved) throw invalidField('current_password', 'required')
    return proved
  }
  return requirePassword(deps, caller.user_id, current_password)
}

/**
 * Queues a reset mail for an e-mail address. Neither the answer nor its time reveals whether an account has the address. Fails
 * with `too_many_resets`, also for unknown addresses (D-91).
 */
export async function requestReset(deps: AccountsDeps, email: string) {
  const user = await findUserByEmail(deps.db, email)
  await countReset(deps, { user_id: user?.id ?? null, email })
  await enqueue(deps.db, 'accounts.mail_reset_code', { email }, { priority: 'mail' })
}

/** Creates a reset code and mails it; earlier codes stay valid. The code exists in clear in the mail only. */
export async function mailResetCode({ db, clock, keys, public_url }: AccountsDeps, mailer: JobMailer, email: string) {
  const user = await findUserByEmail(db, email)
  if (!user || user.suspended) return
  const { lifetime_seconds } = decisions.mailed_codes
  const code = mailedSecret(keys.codes[0], mailer.job, 'plz_pw_')
  const expires_at = secondsAfter(clock(), lifetime_seconds)
  await insertResetCode(db, { user_id: user.id, code_hash: sha256(code), expires_at })
  const link = mailedLink(public_url, '/reset-password', code)
  const facts = { username: user.username, code, link, minutes: lifetime_seconds / 60 }
  await mailer.send({ to: user.email, ...mailIn(user.language, 'mail.reset', facts) })
}

/**
 * Sets a new password with a mailed code. Ends all login sessions, pending codes, changes of address and app
 * connections, and the passkeys, authenticator apps and recovery codes of the last days, which a thief may have added
 * (D-122). The mailed code also verifies the e-mail address. If it was not verified before, all factors end: the owner
 * of the address did not set them up. Fails with `invalid_code`.
 */
export async function resetPassword(
  deps: AccountsDeps,
  { code, new_password }: { code: string; new_password: string },
) {
  const { db, clock, passwords, events } = deps
  const now = clock()
  const password_hash = await passwords.hash(new_password)
  await db.transaction(async (tx) => {
    const user_id = await consumeResetCode(tx, sha256(code.trim()), now)
    if (user_id === undefined) throw new Failure('invalid_code')
    const user = await orFail(findUser(tx, user_id), 'invalid_code')
    await setPassword(tx, user_id, password_hash, null)
    await endAllSessions(deps, tx, user_id, null)
    await events.access_revoked(tx, { user_id, now })
    await deleteEmailChange(tx, user_id)
    await deleteUndosOfOthers(tx, user_id, user.email)
    await endFactorsSince(tx, user_id, secondsAfter(now, -recent_days * 86_400))
    if (await setEmailVerified(tx, user_id)) {
      await removePasskeysOf(tx, user_id)
      await clearTotp(tx, user_id)
      await emitEmailVerified(deps, tx, user, now)
    }
    await enqueueReset(tx, { user_id, at: now, factors: await findFactors(tx, user_id) })
  })
}

import { decisions } from '../../contract/decisions.ts'
import { secondsAfter } from '../platform/clock.ts'
import { Failure } from '../platform/failure.ts'
import { countFailure, refuseTooManyFailures } from './login-throttle.service.ts'
import { keyedHashes } from '../platform/secrets.ts'
import { normalizeRecoveryCode, totpStep } from './rules.ts'
import { openTotp } from './totp-secrets.rules.ts'
import { countLogin } from './metrics.ts'
import { noteSignIn } from './notices.service.ts'
import { beginSession, type AccountsDeps } from './service.ts'
import { findUserByEmail, type UserRow } from './store.ts'
import { acceptTotpStep, consumeRecoveryCode, consumeTotpAttempt } from './two-factor.store.ts'

export interface Login {
  email: string
  password: string
  totp_code?: string
}

/** The client of a login. */
export interface LoginOrigin {
  /** The network address; for IPv6 its /64. */
  address: string
  user_agent: string | undefined
}

/**
 * Signs a user in (D-13, D-14). An unknown address and a wrong password get the same answer in about the same time, also
 * beyond the failure limits (D-91). The second factor is checked only after a right password, so that strangers cannot
 * consume its attempts.
 * Fails with `invalid_credentials`, `too_many_failures`, `account_suspended`, `totp_required`, `invalid_totp_code` or
 * `totp_locked`.
 */
export async function logIn(deps: AccountsDeps, login: Login, origin: LoginOrigin) {
  try {
    const signed_in = await checkCredentials(deps, login, origin)
    countLogin('success')
    return signed_in
  } catch (error) {
    countLogin(error instanceof Failure ? error.code : 'error')
    throw error
  }
}

/** The checks of a login, in their order. */
async function checkCredentials(
  deps: AccountsDeps,
  { email, password, totp_code }: Login,
  { address, user_agent }: LoginOrigin,
) {
  const user = await findUserByEmail(deps.db, email)
  const attempt = { user_id: user?.id ?? null, email, address }
  await refuseTooManyFailures(deps, attempt)
  const matches = await deps.passwords.matches(user?.password_hash, password)
  if (!user || !matches) {
    await countFailure(deps, attempt)
    throw new Failure('invalid_credentials', { user_id: user?.id })
  }
  await refuseTooManyFailures(deps, attempt)
  if (user.suspended) throw new Failure('account_suspended', { user_id: user.id })
  if (user.totp_secret) {
    if (totp_code === undefined || totp_code === '') throw new Failure('totp_required', { user_id: user.id })
    if (!(await consumeSecondFactor(deps, user, user.totp_secret, totp_code)))
      throw new Failure('invalid_totp_code', { user_id: user.id })
  }
  const token = await beginSession(deps, deps.db, { user_id: user.id, password_hash: user.password_hash, user_agent })
  await noteSignIn(deps, { user_id: user.id, address, user_agent })
  return { token, user }
}

/**
 * Consumes a TOTP or recovery code; false when it is wrong or was used. Every call first consumes one of the account's
 * attempts, in one statement, so that parallel guesses cannot exceed the limit. Fails with `totp_locked`.
 */
export async function consumeSecondFactor(
  deps: AccountsDeps,
  { id, totp_key_id }: UserRow,
  sealed: Buffer,
  code: string,
) {
  const { db, clock, keys } = deps
  const now = clock()
  await countTotpAttempt(deps, id)
  // Without the key of the secret, only recovery codes work.
  const opened = openTotp(keys.totp, sealed, totp_key_id)
  const step = opened && totpStep(opened.secret, code.trim(), now)
  if (step !== undefined) return acceptTotpStep(db, id, step)
  return consumeRecoveryCode(db, id, keyedHashes(keys.codes, recoveryCodeText(id, code)), now)
}

export async function countTotpAttempt({ db, clock }: AccountsDeps, user_id: string) {
  const { failures_max, failures_window_seconds } = decisions['D-14'].value
  const now = clock()
  const resets_at = secondsAfter(now, failures_window_seconds)
  const locked_until = await consumeTotpAttempt(db, { user_id, attempts_max: failures_max, now, resets_at })
  if (!locked_until) return
  const retry_after_seconds = Math.max(1, Math.ceil((locked_until.getTime() - now.getTime()) / 1000))
  throw new Failure('totp_locked', { user_id }, { retry_after_seconds })
}

/** The text of a recovery code that is hashed. */
export const recoveryCodeText = (user_id: string, code: string) => `${user_id} ${normalizeRecoveryCode(code)}`

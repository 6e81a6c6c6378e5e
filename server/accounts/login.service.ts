import { decisions } from '../../contract/decisions.ts'
import { secondsAfter } from '../kit/clock.ts'
import { Failure } from '../kit/failure.ts'
import { decrypt, encrypt, keyedHash, keyedHashes } from '../kit/secrets.ts'
import { countFailure, refuseTooManyFailures } from './guessing.service.ts'
import { rememberAddress } from './guessing.store.ts'
import { newRecoveryCodes, newTotpSecret, plainRecoveryCode, totpStep, totpUri } from './rules.ts'
import { beginSession, type AccountKeys, type AccountsDeps } from './service.ts'
import { findUser, findUserByEmail, type UserRow } from './store.ts'
import {
  acceptTotpStep,
  clearTotp,
  enablePendingTotp,
  replaceRecoveryCodes,
  setPendingTotp,
  takeRecoveryCode,
  takeTotpTry,
} from './two-factor.store.ts'

export interface Login {
  email: string
  password: string
  totp_code?: string
}

/** Where a login comes from. */
export interface LoginOrigin {
  /** The network address; for IPv6 its /64. */
  address: string
  user_agent: string | undefined
}

/**
 * Signs a user in (D-13, D-14). Unknown address and wrong password answer alike, in like time, also where there were too
 * many of them (D-91); the second factor is looked at only after a right password, so strangers cannot use its tries up.
 * Fails with `invalid_credentials`, `too_many_failures`, `account_suspended`, `totp_required`, `invalid_totp_code` or
 * `totp_locked`.
 */
export async function logIn(
  deps: AccountsDeps,
  { email, password, totp_code }: Login,
  { address, user_agent }: LoginOrigin,
) {
  const user = await findUserByEmail(deps.db, email)
  const claim = { user_id: user?.id ?? null, email, address }
  await refuseTooManyFailures(deps, claim)
  const matches = await deps.passwords.matches(user?.password_hash, password)
  if (!user || !matches) {
    await countFailure(deps, claim)
    throw new Failure('invalid_credentials', { user_id: user?.id })
  }
  await refuseTooManyFailures(deps, claim)
  if (user.suspended) throw new Failure('account_suspended', { user_id: user.id })
  if (user.totp_secret) {
    if (totp_code === undefined || totp_code === '') throw new Failure('totp_required', { user_id: user.id })
    if (!(await takeSecondFactor(deps, user, user.totp_secret, totp_code)))
      throw new Failure('invalid_totp_code', { user_id: user.id })
  }
  const token = await beginSession(deps, deps.db, { user_id: user.id, password_hash: user.password_hash, user_agent })
  await rememberAddress(deps.db, { user_id: user.id, address, now: deps.clock() })
  return { token, user }
}

/**
 * Uses a TOTP or recovery code up; false when it is wrong or was used. Every call first takes one of the account's few
 * tries of the window, in one statement, so that parallel guesses cannot exceed them. Fails with `totp_locked`.
 */
async function takeSecondFactor(deps: AccountsDeps, { id }: UserRow, secret: Buffer, code: string) {
  const { db, clock, keys } = deps
  const now = clock()
  await takeTry(deps, id)
  const step = totpStep(openSecret(keys, secret), code.trim(), now)
  if (step !== undefined) return acceptTotpStep(db, id, step)
  return takeRecoveryCode(db, id, keyedHashes(keys.codes, recoveryCodeText(id, code)), now)
}

async function takeTry({ db, clock }: AccountsDeps, user_id: string) {
  const { failures_max, failures_window_seconds } = decisions['D-14'].value
  const now = clock()
  const resets_at = secondsAfter(now, failures_window_seconds)
  const locked_until = await takeTotpTry(db, { user_id, tries_max: failures_max, now, resets_at })
  if (!locked_until) return
  const retry_after_seconds = Math.max(1, Math.ceil((locked_until.getTime() - now.getTime()) / 1000))
  throw new Failure('totp_locked', { user_id }, { retry_after_seconds })
}

/** What is hashed of a recovery code. */
const recoveryCodeText = (user_id: string, code: string) => `${user_id} ${plainRecoveryCode(code)}`

/** Decrypts with whichever key of the ring fits. */
function openSecret(keys: AccountKeys, sealed: Buffer) {
  for (const key of keys.totp) {
    try {
      return decrypt(key, sealed)
    } catch {
      continue
    }
  }
  throw new Error('a TOTP secret was encrypted under a key that SECRET_KEYS no longer holds')
}

/** Starts two-factor set-up; the account signs in without it until `enableTotp`. Fails with `totp_already_enabled`. */
export async function setUpTotp({ db, keys }: AccountsDeps, user_id: string) {
  const user = await findUser(db, user_id)
  const secret = newTotpSecret()
  if (!user || !(await setPendingTotp(db, user_id, encrypt(keys.totp[0], secret))))
    throw new Failure('totp_already_enabled')
  return { secret, uri: totpUri(secret, user.email) }
}

/**
 * Puts the secret of the set-up in force once a first code proves that it was scanned; answers with recovery codes,
 * shown this once. Fails with `totp_already_enabled`, `totp_not_set_up`, `invalid_code` or `totp_locked`.
 */
export async function enableTotp(deps: AccountsDeps, user_id: string, code: string) {
  const { db, clock, keys } = deps
  const user = await findUser(db, user_id)
  if (user?.totp_secret) throw new Failure('totp_already_enabled')
  const pending = user?.totp_pending_secret
  if (!pending) throw new Failure('totp_not_set_up')
  await takeTry(deps, user_id)
  const step = totpStep(openSecret(keys, pending), code.trim(), clock())
  if (step === undefined) throw new Failure('invalid_code')
  const recovery_codes = newRecoveryCodes()
  await db.transaction(async (tx) => {
    if (!(await enablePendingTotp(tx, user_id, pending, step))) throw new Failure('totp_already_enabled')
    await replaceRecoveryCodes(
      tx,
      user_id,
      recovery_codes.map((recovery_code) => keyedHash(keys.codes[0], recoveryCodeText(user_id, recovery_code))),
    )
  })
  return recovery_codes
}

/**
 * Turns two-factor authentication off, for who knows the password and has a code.
 * Fails with `totp_not_enabled`, `wrong_password`, `invalid_code` or `totp_locked`.
 */
export async function disableTotp(deps: AccountsDeps, user_id: string, { password, totp_code }: TotpProof) {
  const user = await findUser(deps.db, user_id)
  if (!user?.totp_secret) throw new Failure('totp_not_enabled')
  if (!(await deps.passwords.matches(user.password_hash, password))) throw new Failure('wrong_password')
  if (!(await takeSecondFactor(deps, user, user.totp_secret, totp_code))) throw new Failure('invalid_code')
  await deps.db.transaction((tx) => clearTotp(tx, user_id))
}
interface TotpProof {
  password: string
  totp_code: string
}

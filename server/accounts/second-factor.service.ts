import { decisions } from '../../contract/decisions.ts'
import { secondsAfter } from '../platform/clock.ts'
import { Failure } from '../platform/failure.ts'
import { keyedHashes } from '../platform/secrets.ts'
import { askForPasskey, checkPasskey, countUse } from './passkey-answers.service.ts'
import { findPasskeySecondFactor } from './passkeys.store.ts'
import { relyingPartyOf } from './passkeys.rules.ts'
import { recoveryCodeText } from './recovery-codes.service.ts'
import { totpStep } from './rules.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { AccountsDeps } from './service.ts'
import type { UserRow } from './store.ts'
import { openTotp } from './totp-secrets.rules.ts'
import { acceptTotpStep, consumeRecoveryCode, consumeTotpAttempt } from './two-factor.store.ts'
import type { PasskeyAnswer } from './webauthn.service.ts'

/**
 * Asks for the second factor of a user whose password matched, where the account has one: a code, or a passkey of the account,
 * also without verification (D-14, D-108). Fails with `totp_required` or `passkey_required`, which bring what the browser is to be
 * asked, with `invalid_totp_code`, `totp_locked`, `invalid_passkey`, `passkey_copied` or `passkey_challenge_over`.
 */
export async function requireSecondFactor(
  deps: AccountsDeps,
  user: UserRow,
  { totp_code, passkey }: { totp_code?: string; passkey?: PasskeyAnswer },
) {
  const { id: user_id, totp_secret } = user
  const { passkeys, required } = await findPasskeySecondFactor(deps.db, user_id)
  if (!totp_secret && !required) return
  const occasion = { purpose: 'second_factor', user_id, session_id: null } as const
  if (passkey !== undefined) return countUse(deps, await checkPasskey(deps, passkey, occasion))
  if (totp_code !== undefined && totp_code !== '') {
    if (!(await consumeSecondFactor(deps, user, totp_code))) throw new Failure('invalid_totp_code', { user_id })
    return
  }
  const can_ask = passkeys > 0 && relyingPartyOf(deps.public_url) !== undefined
  const body = can_ask ? { passkey_options: await askForPasskey(deps, occasion) } : {}
  throw new Failure(totp_secret ? 'totp_required' : 'passkey_required', { user_id }, { body })
}

/** Whether signing in with the password takes more: an authenticator app, or a passkey. */
export const hasSecondFactor = async (db: Sql, { id, totp_secret }: UserRow) =>
  totp_secret !== null || (await findPasskeySecondFactor(db, id)).required

/**
 * Consumes a TOTP or recovery code; false when it is wrong or was used. Every call first consumes one of the account's
 * attempts, in one statement, so that parallel guesses cannot exceed the limit. Fails with `totp_locked`.
 */
export async function consumeSecondFactor(deps: AccountsDeps, { id, totp_secret, totp_key_id }: UserRow, code: string) {
  const { db, clock, keys } = deps
  const now = clock()
  await countTotpAttempt(deps, id)
  // Without the secret, or its key, only recovery codes work.
  const opened = totp_secret ? openTotp(keys.totp, totp_secret, totp_key_id) : undefined
  const step = opened && totpStep(opened.secret, code.trim(), now)
  if (step !== undefined) return acceptTotpStep(db, id, step)
  return consumeRecoveryCode(db, id, keyedHashes(keys.codes, recoveryCodeText(id, code)), now)
}

/** Consumes one of the account's attempts at a code. Fails with `totp_locked`. */
export async function countTotpAttempt({ db, clock }: AccountsDeps, user_id: string) {
  const { failures_max, failures_window_seconds } = decisions['D-14'].value
  const now = clock()
  const resets_at = secondsAfter(now, failures_window_seconds)
  const locked_until = await consumeTotpAttempt(db, { user_id, attempts_max: failures_max, now, resets_at })
  if (!locked_until) return
  const retry_after_seconds = Math.max(1, Math.ceil((locked_until.getTime() - now.getTime()) / 1000))
  throw new Failure('totp_locked', { user_id }, { retry_after_seconds })
}

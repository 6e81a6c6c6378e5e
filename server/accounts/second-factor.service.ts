import type { UserCaller } from '../../contract/caller.ts'
import { Failure } from '../platform/failure.ts'
import { keyedHashes } from '../platform/secrets.ts'
import { tryCode } from './code-tries.service.ts'
import { noteWrongSecondFactor } from './notices.service.ts'
import { askForPasskey, checkPasskey, countUse } from './passkey-answers.service.ts'
import { findPasskeySecondFactor } from './passkeys.store.ts'
import { relyingPartyOf } from './passkeys.rules.ts'
import { recoveryCodeText } from './recovery-codes.service.ts'
import { totpStep } from './rules.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { AccountsDeps } from './service.ts'
import { findUser } from './store.ts'
import type { UserRow } from './user-columns.rules.ts'
import { openTotp } from './totp-secrets.rules.ts'
import { acceptTotpStep, consumeRecoveryCode } from './two-factor.store.ts'
import type { PasskeyAnswer } from './webauthn.service.ts'

/**
 * Requires the second factor of a user whose password matched, if the account has one: a code, or a passkey of the
 * account, also without user verification (D-14, D-108). Fails with `totp_required` or `passkey_required`, which
 * contain the options for the browser, or with `invalid_totp_code`, `totp_locked`, `invalid_passkey`, `passkey_copied`
 * or `passkey_challenge_over`.
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
  if (passkey !== undefined) {
    const used = await checkPasskey(deps, passkey, occasion).catch(async (error: unknown) => {
      if (error instanceof Failure && error.code === 'invalid_passkey') await noteWrongSecondFactor(deps, user_id)
      throw error
    })
    return countUse(deps, used)
  }
  if (totp_code !== undefined && totp_code !== '') {
    if (!(await consumeSecondFactor(deps, user, totp_code))) throw new Failure('invalid_totp_code', { user_id })
    return
  }
  const can_ask = passkeys > 0 && relyingPartyOf(deps.public_url) !== undefined
  const body = can_ask ? { passkey_options: await askForPasskey(deps, occasion) } : {}
  throw new Failure(totp_secret ? 'totp_required' : 'passkey_required', { user_id }, { body })
}

/** Whether a sign-in with the password needs a second factor: an authenticator app or a passkey. */
export const hasSecondFactor = async (db: Sql, { id, totp_secret }: UserRow) =>
  totp_secret !== null || (await findPasskeySecondFactor(db, id)).required

/**
 * Refuses an admin who signs in with the password alone, if the installation requires a second factor
 * (ADMIN_SECOND_FACTOR). Fails with `second_factor_required`.
 */
export async function requireAdminSecondFactor(
  { db }: Pick<AccountsDeps, 'db'>,
  { user_id }: UserCaller,
  wanted: 'advised' | 'required',
) {
  if (wanted === 'advised') return
  const user = await findUser(db, user_id)
  if (!user || !(await hasSecondFactor(db, user))) throw new Failure('second_factor_required', { user_id })
}

/**
 * Consumes a TOTP or recovery code of a person whose password matched; false if it is wrong or used. Counts the try
 * (D-121), and mails the owner about many wrong ones. Fails with `totp_locked`.
 */
export async function consumeSecondFactor(deps: AccountsDeps, { id, totp_secret, totp_key_id }: UserRow, code: string) {
  const { db, clock, keys } = deps
  const is_right = await tryCode(deps, { user_id: id }, 'totp_locked', () => {
    // Without the secret or its key, only recovery codes work.
    const opened = totp_secret ? openTotp(keys.totp, totp_secret, totp_key_id) : undefined
    const step = opened && totpStep(opened.secret, code.trim(), clock())
    if (step !== undefined) return acceptTotpStep(db, id, step)
    return consumeRecoveryCode(db, id, keyedHashes(keys.codes, recoveryCodeText(id, code)), clock())
  })
  if (!is_right) await noteWrongSecondFactor(deps, id)
  return is_right
}

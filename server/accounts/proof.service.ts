import { Failure, fieldErrors, fieldsOf, invalidField, type FieldError } from '../platform/failure.ts'
import type { UserCaller } from '../../contract/caller.ts'
import { findReachedLimits, tooMany, type CounterUse } from './failure-limits.service.ts'
import { checkPasskey, countUse } from './passkey-answers.service.ts'
import { consumeSecondFactor, hasSecondFactor } from './second-factor.service.ts'
import { getUser, type AccountsDeps } from './service.ts'
import { findUser, type UserRow } from './store.ts'
import type { PasskeyAnswer } from './webauthn.service.ts'

/** What a person sends with a change that a stolen session alone must not make (D-107): password and code, or a passkey (D-108). */
export interface Proof {
  password?: string
  totp_code?: string
  passkey?: PasskeyAnswer
}

/** The field errors of a call that takes these fields or a passkey. Accepts a body of any shape. */
export const missingWithoutPasskey =
  (...names: string[]) =>
  (body: unknown): FieldError[] => {
    const sent = fieldsOf(body)
    return names.flatMap((name) =>
      fieldErrors(name, sent.passkey === undefined && sent[name] === undefined && 'is required'),
    )
  }

/**
 * Decides what shows that the caller is the account's owner, and checks it: a passkey with verification, or the password and then the
 * second factor where there is one. Returns the account as it was checked: who changes it compares `password_hash` in the changing
 * statement, so that a proof does not outlive its password. Fails as `requirePasswordAndCode` or `requirePasskey` does.
 */
export const requireProof = (deps: AccountsDeps, caller: UserCaller, { passkey, ...proof }: Proof): Promise<UserRow> =>
  passkey === undefined ? requirePasswordAndCode(deps, caller.user_id, proof) : requirePasskey(deps, caller, passkey)

/**
 * Checks a passkey with verification, which was asked for in this login session. Fails with `wrong_passkey`, `passkey_copied`,
 * `passkey_challenge_over` or `passkeys_unavailable`.
 */
export async function requirePasskey(
  deps: AccountsDeps,
  { user_id, session_id }: UserCaller,
  passkey: PasskeyAnswer,
): Promise<UserRow> {
  try {
    await countUse(deps, await checkPasskey(deps, passkey, { purpose: 'proof', user_id, session_id }))
  } catch (error) {
    const is_invalid = error instanceof Failure && error.code === 'invalid_passkey'
    throw is_invalid ? new Failure('wrong_passkey', error.why) : error
  }
  return getUser(deps.db, user_id)
}

/**
 * Checks the password, then the second factor where there is one. Failures are counted per account (D-91), which is looked at before the
 * password is checked and after, so that parallel guesses learn nothing beyond the limit. Fails with `validation_failed` without a
 * password, `too_many_failures`, `wrong_password`, `second_factor_missing`, `invalid_code` or `totp_locked`.
 */
async function requirePasswordAndCode(
  deps: AccountsDeps,
  user_id: string,
  { password, totp_code }: Omit<Proof, 'passkey'>,
): Promise<UserRow> {
  if (password === undefined || password === '') throw invalidField('password', 'is required')
  const user = await requirePassword(deps, user_id, password)
  if (await hasSecondFactor(deps.db, user)) {
    if (totp_code === undefined || totp_code === '') throw new Failure('second_factor_missing', { user_id })
    if (!(await consumeSecondFactor(deps, user, totp_code))) throw new Failure('invalid_code', { user_id })
  }
  return user
}

/** Checks the password alone. Fails with `too_many_failures` or `wrong_password`. */
export async function requirePassword(deps: AccountsDeps, user_id: string, password: string): Promise<UserRow> {
  await enforceLimits(deps, user_id, 'peek')
  const user = await findUser(deps.db, user_id)
  if (!user) throw new Failure('invalid_token', { user_id, why: 'the account is gone' })
  if (!(await deps.passwords.matches(user.password_hash, password))) {
    await enforceLimits(deps, user_id, 'hit')
    throw new Failure('wrong_password', { user_id })
  }
  await enforceLimits(deps, user_id, 'peek')
  return user
}

/** Beyond a limit a wrong password fails with `too_many_failures`, as a right one does: the answers do not differ. */
async function enforceLimits(deps: AccountsDeps, user_id: string, use: CounterUse) {
  const keys = { recent: `proof failures ${user_id}`, today: `proof failures of a day ${user_id}` }
  const { recent, today } = await findReachedLimits(deps, keys, use)
  const reached = today ?? recent
  if (reached) throw tooMany('too_many_failures', deps, reached)
}

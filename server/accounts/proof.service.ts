import { decisions } from '../../contract/decisions.ts'
import { Failure, invalidField } from '../platform/failure.ts'
import { consumeSecondFactor } from './login.service.ts'
import { tooMany } from './login-throttle.service.ts'
import type { AccountsDeps } from './service.ts'
import { findUser, type UserRow } from './store.ts'

const { failures_max, window_seconds } = decisions['D-91'].value

/** What a person sends with a change that a stolen session alone must not make (D-107). */
export interface Proof {
  password?: string
  totp_code?: string
}

/**
 * Decides what shows that the caller is the account's owner, and checks it: the password, then the second factor where there is one.
 * Returns the account as it was checked: who changes it compares `password_hash` in the changing statement, so that a proof does not
 * outlive its password.
 *
 * Failures are counted per account, before the password is checked and after, so that parallel guesses learn nothing beyond the limit.
 * Fails with `validation_failed` without a password, `too_many_failures`, `wrong_password`, `second_factor_missing`, `invalid_code` or
 * `totp_locked`.
 */
export async function requireProof(
  deps: AccountsDeps,
  user_id: string,
  { password, totp_code }: Proof,
): Promise<UserRow> {
  if (password === undefined || password === '') throw invalidField('password', 'is required')
  const user = await requirePassword(deps, user_id, password)
  if (user.totp_secret) {
    if (totp_code === undefined || totp_code === '') throw new Failure('second_factor_missing', { user_id })
    if (!(await consumeSecondFactor(deps, user, user.totp_secret, totp_code)))
      throw new Failure('invalid_code', { user_id })
  }
  return user
}

/** Checks the password alone. Fails with `too_many_failures` or `wrong_password`. */
export async function requirePassword(deps: AccountsDeps, user_id: string, password: string): Promise<UserRow> {
  await refuseGuessing(deps, user_id)
  const user = await findUser(deps.db, user_id)
  if (!user) throw new Failure('invalid_token', { user_id, why: 'the account is gone' })
  if (!(await deps.passwords.matches(user.password_hash, password))) {
    await deps.counter.hit(failuresKey(user_id), window_seconds)
    throw new Failure('wrong_password', { user_id })
  }
  await refuseGuessing(deps, user_id)
  return user
}

const failuresKey = (user_id: string) => `proof failures ${user_id}`

async function refuseGuessing({ counter, clock }: AccountsDeps, user_id: string) {
  const [failures] = await counter.peek([failuresKey(user_id)])
  if (failures && failures.count >= failures_max) throw tooMany('too_many_failures', { clock }, failures)
}

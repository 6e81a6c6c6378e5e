import { decisions } from '../../contract/decisions.ts'
import { sha256 } from '../platform/secrets.ts'
import { findReachedLimits, tooMany, type CounterUse } from './failure-limits.service.ts'
import { isKnownAddress } from './login-addresses.store.ts'
import type { AccountsDeps } from './service.ts'

const { reset_seconds, resets_max } = decisions.failed_logins

type ThrottleDeps = Pick<AccountsDeps, 'db' | 'clock' | 'counter'>

export interface LoginAttempt {
  /** The account; null if no account has the e-mail address. Such attempts count too. */
  user_id: string | null
  email: string
  /** The network address of the client. */
  address: string
}

/** Identifies the account in counter keys. Unknown e-mail addresses are hashed, so that no table holds them. */
const accountKey = ({ user_id, email }: Pick<LoginAttempt, 'user_id' | 'email'>) =>
  user_id ?? sha256(email.toLowerCase()).toString('base64url')

/**
 * Refuses attempts beyond an account's failure limits (D-91). Callers check before and after they verify the password,
 * so that parallel guesses beyond the limit learn nothing, not even from a right one. Fails with `too_many_failures`.
 */
export const refuseTooManyFailures = (deps: ThrottleDeps, attempt: LoginAttempt) =>
  enforceFailureLimits(deps, attempt, 'peek')

/** Counts a failure. Fails with `too_many_failures` if it exceeds a limit. */
export const countFailure = (deps: ThrottleDeps, attempt: LoginAttempt) => enforceFailureLimits(deps, attempt, 'hit')

async function enforceFailureLimits(deps: ThrottleDeps, attempt: LoginAttempt, use: CounterUse) {
  const { user_id, address } = attempt
  const account_key = `login failures ${accountKey(attempt)}`
  const keys = { recent: `${account_key} ${address}`, today: account_key }
  const { recent: from_address, today } = await findReachedLimits(deps, keys, use)
  if (from_address) throw tooMany('too_many_failures', deps, from_address)
  if (today && !(await isKnownAddress(deps.db, user_id, address))) throw tooMany('too_many_failures', deps, today)
}

/** Counts a requested reset code. Fails with `too_many_resets`. */
export async function countReset(deps: ThrottleDeps, account: Pick<LoginAttempt, 'user_id' | 'email'>) {
  const counted = await deps.counter.hit(`password resets ${accountKey(account)}`, reset_seconds)
  if (counted.count > resets_max) throw tooMany('too_many_resets', deps, counted)
}

import { decisions } from '../../contract/decisions.ts'
import { Failure } from '../platform/failure.ts'
import type { Count } from '../platform/rate-limit.ts'
import { sha256 } from '../platform/secrets.ts'
import { isKnownAddress } from './login-addresses.store.ts'
import type { AccountsDeps } from './service.ts'

const limits = decisions['D-91'].value

type ThrottleDeps = Pick<AccountsDeps, 'db' | 'clock' | 'counter'>

/** An attempt to sign in to an account. */
export interface LoginAttempt {
  /** The account; null when no account has the e-mail address. Such attempts are counted too. */
  user_id: string | null
  email: string
  /** The network address of the client. */
  address: string
}

/** Identifies the account in counter keys. Unknown e-mail addresses are hashed, so that no table holds them. */
const accountKey = ({ user_id, email }: Pick<LoginAttempt, 'user_id' | 'email'>) =>
  user_id ?? sha256(email.toLowerCase()).toString('base64url')

const failuresFromAddressKey = (attempt: LoginAttempt) => `login failures ${accountKey(attempt)} ${attempt.address}`
const dailyFailuresKey = (attempt: LoginAttempt) => `login failures ${accountKey(attempt)}`

/**
 * Refuses attempts beyond the failure limits of an account (D-91). Called before the password is checked and again after, so
 * that parallel guesses beyond the limit learn nothing, not even from a right one. Fails with `too_many_failures`.
 */
export async function refuseTooManyFailures(deps: ThrottleDeps, attempt: LoginAttempt) {
  const [from_address, today] = await deps.counter.peek([failuresFromAddressKey(attempt), dailyFailuresKey(attempt)])
  await enforceFailureLimits(deps, attempt, { from_address, today, own_failures: 0 })
}

/** Counts a failure. Fails with `too_many_failures` when it exceeds a limit. */
export async function countFailure(deps: ThrottleDeps, attempt: LoginAttempt) {
  const [from_address, today] = await Promise.all([
    deps.counter.hit(failuresFromAddressKey(attempt), limits.window_seconds),
    deps.counter.hit(dailyFailuresKey(attempt), limits.day_seconds),
  ])
  await enforceFailureLimits(deps, attempt, { from_address, today, own_failures: 1 })
}

interface FailureCounts {
  from_address: Count | undefined
  today: Count | undefined
  /** How many of the counted failures are the attempt itself. */
  own_failures: 0 | 1
}

async function enforceFailureLimits(
  deps: ThrottleDeps,
  attempt: LoginAttempt,
  { from_address, today, own_failures }: FailureCounts,
) {
  if (from_address && from_address.count - own_failures >= limits.failures_max)
    throw tooMany('too_many_failures', deps, from_address)
  if (!today || today.count - own_failures < limits.failures_per_day) return
  if (!(await isKnownAddress(deps.db, attempt.user_id, attempt.address)))
    throw tooMany('too_many_failures', deps, today)
}

/** Counts a requested reset code. Fails with `too_many_resets`. */
export async function countReset(deps: ThrottleDeps, account: Pick<LoginAttempt, 'user_id' | 'email'>) {
  const counted = await deps.counter.hit(`password resets ${accountKey(account)}`, limits.reset_seconds)
  if (counted.count > limits.resets_max) throw tooMany('too_many_resets', deps, counted)
}

export function tooMany(
  code: 'too_many_failures' | 'too_many_resets',
  { clock }: Pick<ThrottleDeps, 'clock'>,
  { resets_at }: Count,
) {
  const seconds = Math.ceil((resets_at.getTime() - clock().getTime()) / 1000)
  return new Failure(code, {}, { retry_after_seconds: Math.max(1, seconds) })
}

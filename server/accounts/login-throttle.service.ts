import { decisions } from '../../contract/decisions.ts'
import { Failure } from '../platform/failure.ts'
import type { Count } from '../platform/rate-limit.ts'
import { sha256 } from '../platform/secrets.ts'
import { isKnownAddress } from './login-addresses.store.ts'
import type { AccountsDeps } from './service.ts'

const limits = decisions['D-91'].value

type GuessingDeps = Pick<AccountsDeps, 'db' | 'clock' | 'counter'>

/** Somebody who says to be this account. */
export interface LoginAttempt {
  /** The account, or null where the address of the claim is nobody's: it is counted like any other. */
  user_id: string | null
  email: string
  /** The network address that the claim comes from. */
  address: string
}

/** What is counted under: no table tells which addresses were tried that are nobody's. */
const accountKey = ({ user_id, email }: Pick<LoginAttempt, 'user_id' | 'email'>) =>
  user_id ?? sha256(email.toLowerCase()).toString('base64url')

const failuresFromAddressKey = (claim: LoginAttempt) => `login failures ${accountKey(claim)} ${claim.address}`
const dailyFailuresKey = (claim: LoginAttempt) => `login failures ${accountKey(claim)}`

/**
 * Refuses who has failed too often at an account (D-91), before a password is looked at, and again after: of guesses that
 * run side by side those beyond the limit tell nothing, not even that one was right. Fails with `too_many_failures`.
 */
export async function refuseTooManyFailures(deps: GuessingDeps, claim: LoginAttempt) {
  const [here, today] = await deps.counter.peek([failuresFromAddressKey(claim), dailyFailuresKey(claim)])
  await enforceFailureLimits(deps, claim, { here, today, own_failures: 0 })
}

/** Counts a failure. Fails with `too_many_failures` where it is one too many. */
export async function countFailure(deps: GuessingDeps, claim: LoginAttempt) {
  const [here, today] = await Promise.all([
    deps.counter.hit(failuresFromAddressKey(claim), limits.window_seconds),
    deps.counter.hit(dailyFailuresKey(claim), limits.day_seconds),
  ])
  await enforceFailureLimits(deps, claim, { here, today, own_failures: 1 })
}

interface FailureCounts {
  here: Count | undefined
  today: Count | undefined
  /** How many of those counted are the failure itself that is being judged. */
  own_failures: 0 | 1
}

async function enforceFailureLimits(
  deps: GuessingDeps,
  claim: LoginAttempt,
  { here, today, own_failures }: FailureCounts,
) {
  if (here && here.count - own_failures >= limits.failures_max) throw tooMany('too_many_failures', deps, here)
  if (!today || today.count - own_failures < limits.failures_per_day) return
  if (!(await isKnownAddress(deps.db, claim.user_id, claim.address))) throw tooMany('too_many_failures', deps, today)
}

/** Counts a code that sets a new password. Fails with `too_many_resets`. */
export async function countReset(deps: GuessingDeps, account: Pick<LoginAttempt, 'user_id' | 'email'>) {
  const counted = await deps.counter.hit(`password resets ${accountKey(account)}`, limits.reset_seconds)
  if (counted.count > limits.resets_max) throw tooMany('too_many_resets', deps, counted)
}

function tooMany(
  code: 'too_many_failures' | 'too_many_resets',
  { clock }: Pick<GuessingDeps, 'clock'>,
  { resets_at }: Count,
) {
  const seconds = Math.ceil((resets_at.getTime() - clock().getTime()) / 1000)
  return new Failure(code, {}, { retry_after_seconds: Math.max(1, seconds) })
}

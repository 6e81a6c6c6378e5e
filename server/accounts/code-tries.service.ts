import { decisions } from '../../contract/decisions.ts'
import type { FailureCode } from '../../contract/errors.ts'
import { countWithin, uncount } from '../platform/rate-limit.ts'
import { sha256 } from '../platform/secrets.ts'
import { tooMany } from './failure-limits.service.ts'
import type { AccountsDeps } from './service.ts'

const { tries, window_seconds, tries_per_day, day_seconds } = decisions.code_tries

/** The target of a code: an account, and for a mailed code the address that it was mailed to. */
interface Target {
  user_id: string
  email?: string
}

/** Addresses are hashed, so that no table holds other people's addresses. */
const namesOf = ({ user_id, email }: Target) => [
  user_id,
  ...(email === undefined ? [] : [sha256(email.toLowerCase()).toString('base64url')]),
]

/**
 * Tries a short code (D-121). Counts the try for the account and the address before it compares the code, whoever sends
 * it, so that parallel guesses beyond the limits learn nothing; a right code is uncounted afterwards. Returns the
 * result of `compare`, which is false or undefined for a wrong code. Beyond a limit, fails with `refusal` without
 * comparing or counting.
 */
export async function tryCode<Result>(
  deps: Pick<AccountsDeps, 'db' | 'clock'>,
  target: Target,
  refusal: Extract<FailureCode, 'totp_locked' | 'too_many_codes'>,
  compare: () => Promise<Result>,
): Promise<Result> {
  const { db, clock } = deps
  const bounds = namesOf(target).flatMap((name) => [
    { key: `code tries ${name}`, seconds: window_seconds, max: tries },
    { key: `code tries of a day ${name}`, seconds: day_seconds, max: tries_per_day },
  ])
  await countWithin(db, clock(), bounds, (reached) => tooMany(refusal, deps, reached))
  const result = await compare()
  const is_right = result !== false && result !== undefined
  if (is_right) await uncount(db, clock(), bounds)
  return result
}

import { decisions } from '../../contract/decisions.ts'
import { Failure } from '../platform/failure.ts'
import type { Count } from '../platform/rate-limit.ts'
import type { AccountsDeps } from './service.ts'

const { failures_max, window_seconds, failures_per_day, day_seconds } = decisions.failed_logins

/** Whether the counters are only read, or also count a failure. */
export type CounterUse = 'peek' | 'hit'

/** The counters that have reached their limit by earlier failures (D-91): of some minutes, and of the day. */
export async function findReachedLimits(
  { counter }: Pick<AccountsDeps, 'counter'>,
  keys: { recent: string; today: string },
  use: CounterUse,
) {
  const windows = [
    { key: keys.recent, seconds: window_seconds },
    { key: keys.today, seconds: day_seconds },
  ]
  const [recent, today] =
    use === 'hit'
      ? await Promise.all(windows.map(({ key, seconds }) => counter.hit(key, seconds)))
      : await counter.peek(windows)
  const own_failures = use === 'hit' ? 1 : 0
  const reached = (counted: Count | undefined, max: number) =>
    counted && counted.count - own_failures >= max ? counted : undefined
  return { recent: reached(recent, failures_max), today: reached(today, failures_per_day) }
}

export function tooMany(
  code: 'too_many_failures' | 'too_many_resets' | 'too_many_codes' | 'totp_locked',
  { clock }: Pick<AccountsDeps, 'clock'>,
  { resets_at }: Count,
) {
  const seconds = Math.ceil((resets_at.getTime() - clock().getTime()) / 1000)
  return new Failure(code, {}, { retry_after_seconds: Math.max(1, seconds) })
}

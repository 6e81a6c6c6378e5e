/** Items whose last attempt failed, with the delay before the next. */
export interface Backoff {
  isPostponed(key: string): boolean
  /** Postpones the item by 10 s, doubling up to 600 s. Returns the seconds. */
  recordFailure(key: string): number
  /** The item succeeded or no longer exists. */
  reset(key: string): void
}

const first_seconds = 10
const seconds_max = 600
/** Beyond this number, the oldest failures are dropped, so these items are retried earlier. */
const keys_max = 10_000

/** Keeps failures in memory. An item that always fails costs one attempt in ten minutes. */
export function openBackoff(): Backoff {
  const failures = new Map<string, { until: number; seconds: number }>()
  return {
    isPostponed: (key) => (failures.get(key)?.until ?? 0) > performance.now(),
    recordFailure(key) {
      const seconds = Math.min(seconds_max, (failures.get(key)?.seconds ?? first_seconds / 2) * 2)
      failures.delete(key)
      failures.set(key, { until: performance.now() + seconds * 1000, seconds })
      const [oldest] = failures.keys()
      if (failures.size > keys_max && oldest !== undefined) failures.delete(oldest)
      return seconds
    },
    reset(key) {
      failures.delete(key)
    },
  }
}

/** Which items failed lately and are left alone for a while. */
export interface Backoff {
  isPostponed(key: string): boolean
  /** Leaves the item alone: longer with each failure, up to a bound. Answers for how many seconds. */
  recordFailure(key: string): number
  /** The item is done, or gone. */
  reset(key: string): void
}

const first_seconds = 10
const seconds_max = 600
/** More than that fail for one reason that is not theirs; the oldest are tried again sooner then. */
const keys_max = 10_000

/** Remembers, in memory, what failed. An item that fails for good costs one try in ten minutes. */
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

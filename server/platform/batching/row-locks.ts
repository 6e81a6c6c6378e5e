import { isLockTimeout } from '../postgres/errors.ts'

/** Queries about rows that other transactions may have locked, by keys that the caller chooses. */
export interface RowLocks {
  /** Returns the rows that others have locked now. Does not wait, and holds no lock afterwards. */
  findLocked(keys: string[]): Promise<string[]>
  /** Waits until the row is not locked. Fails with `isLockTimeout` after the `lock_timeout` of its connection. */
  waitFor(key: string): Promise<unknown>
}

/**
 * Finds the rows that stay locked for longer than a transaction takes. Waits for the first locked row and queries the
 * others twice. A busy row is locked most of the time, so callers must put a different key first each time.
 */
export async function findBlockedKeys(locks: RowLocks, keys: string[]): Promise<string[]> {
  const locked = new Set(await locks.findLocked(keys))
  const [first, ...rest] = keys.filter((key) => locked.has(key))
  if (first === undefined) return []
  const is_blocked = await locks.waitFor(first).then(() => false, isTimeoutOrThrow)
  const others = rest.length > 0 ? await locks.findLocked(rest) : []
  return is_blocked ? [first, ...others] : others
}

function isTimeoutOrThrow(error: unknown) {
  if (!isLockTimeout(error)) throw error
  return true
}

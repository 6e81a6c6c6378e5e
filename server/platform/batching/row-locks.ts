import { isLockTimeout } from '../postgres/errors.ts'

/** How one asks the database about rows that others may hold, by keys of the asker's own. */
export interface RowLocks {
  /** Which of these are held by others at this moment. Waits for none and keeps none. */
  findLocked(keys: string[]): Promise<string[]>
  /** Waits until nobody holds it. Fails with `isLocked` after the `lock_timeout` of its connection. */
  waitFor(key: string): Promise<unknown>
}

/**
 * Which of these rows are held for longer than work takes; the one named first is waited for a moment, the others are
 * asked about twice. Every row that is much in use is held by somebody most of the time: so each must come first once.
 */
export async function findBlockedKeys(locks: RowLocks, keys: string[]): Promise<string[]> {
  const held = new Set(await locks.findLocked(keys))
  const [first, ...rest] = keys.filter((key) => held.has(key))
  if (first === undefined) return []
  const is_stuck = await locks.waitFor(first).then(() => false, refusesTheLock)
  const others = rest.length > 0 ? await locks.findLocked(rest) : []
  return is_stuck ? [first, ...others] : others
}

function refusesTheLock(error: unknown) {
  if (!isLockTimeout(error)) throw error
  return true
}

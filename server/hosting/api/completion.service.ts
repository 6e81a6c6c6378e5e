import type { Sql } from '../../platform/postgres/database.ts'
import { listCompleted } from './store.ts'

/** Waits until workers complete log entries. */
export interface CompletionPoller {
  /** Resolves when a log entry is no longer pending, or after `seconds`. */
  waitFor(log_id: string, seconds: number): Promise<void>
  /** Resolves all waits. */
  close(): void
}

const poll_ms = 100

/**
 * Polls the database every 100 ms with one query for all waiting requests of this process, and never if none waits. A
 * waiting request holds no connection.
 */
export function openCompletionPoller(db: Sql): CompletionPoller {
  const waiting = new Map<string, Set<() => void>>()
  let is_polling = false

  async function poll() {
    const completed = await listCompleted(db, [...waiting.keys()]).catch(() => [])
    for (const { id } of completed) for (const done of waiting.get(id) ?? []) done()
  }

  async function pollWhileWaiting() {
    if (is_polling) return
    is_polling = true
    while (waiting.size > 0) {
      await new Promise((next) => setTimeout(next, poll_ms))
      if (waiting.size > 0) await poll()
    }
    is_polling = false
  }

  return {
    waitFor: (log_id, seconds) =>
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer)
          calls.delete(done)
          if (calls.size === 0) waiting.delete(log_id)
          resolve()
        }
        const timer = setTimeout(done, seconds * 1000)
        const calls = waiting.get(log_id) ?? new Set()
        waiting.set(log_id, calls.add(done))
        void pollWhileWaiting()
      }),
    close() {
      for (const calls of waiting.values()) for (const done of calls) done()
    },
  }
}

import type { Sql } from '../../platform/postgres/database.ts'
import { listSettled } from './store.ts'

/** Waits for what workers observe. */
export interface CompletionWatch {
  /** Resolves when a log entry is settled, whatever became of it, and at the latest after so many seconds. */
  completed(log_id: string, seconds: number): Promise<void>
  /** Lets nobody wait any longer. */
  close(): void
}

const look_ms = 100

/**
 * One look at the database every tenth of a second for all who wait in this process, and none while nobody does. Nobody
 * who waits holds a connection.
 */
export function openCompletionWatch(db: Sql): CompletionWatch {
  const waiting = new Map<string, () => void>()
  let looking = false

  async function look() {
    const settled = await listSettled(db, [...waiting.keys()]).catch(() => [])
    for (const { id } of settled) waiting.get(id)?.()
  }

  async function keepLooking() {
    if (looking) return
    looking = true
    while (waiting.size > 0) {
      await new Promise((next) => setTimeout(next, look_ms))
      if (waiting.size > 0) await look()
    }
    looking = false
  }

  return {
    completed: (log_id, seconds) =>
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(late)
          waiting.delete(log_id)
          resolve()
        }
        const late = setTimeout(done, seconds * 1000)
        waiting.set(log_id, done)
        void keepLooking()
      }),
    close() {
      for (const done of [...waiting.values()]) done()
    },
  }
}

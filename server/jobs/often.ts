import type { Sql } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue.ts'
import type { Job } from './runner.ts'

interface OftenOptions {
  name: string
  every_seconds: number
  run(): Promise<void>
}

/**
 * A job that runs every few seconds, which cron does not support: it runs when a runner starts and each minute, and each run queues the
 * next one within the minute. Only a run whose process is killed ends the runs of that minute.
 */
export function oftenJob(db: Sql, { name, every_seconds, run }: OftenOptions): Job {
  const runs_left = Math.floor(60 / every_seconds) - 1
  return {
    name,
    cron: '* * * * *',
    at_start: { runs_left },
    async run(payload) {
      const left = '_cron' in payload ? runs_left : Number(payload.runs_left ?? 0)
      try {
        await run()
      } finally {
        if (left > 0)
          await enqueue(db, name, { runs_left: left - 1 }, { after_seconds: every_seconds, key: `${name}:next` })
      }
    },
  }
}

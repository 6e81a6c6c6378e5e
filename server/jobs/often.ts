import type { Sql } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue.ts'
import type { Job } from './runner.ts'

interface OftenOptions {
  name: string
  every_seconds: number
  run(): Promise<void>
}

/**
 * A job that runs every few seconds, which cron cannot: cron starts it each minute, and each run queues the next one of the minute. A run
 * that is lost or fails ends that minute's.
 */
export const oftenJob = (db: Sql, { name, every_seconds, run }: OftenOptions): Job => ({
  name,
  cron: '* * * * *',
  async run(payload) {
    await run()
    const left = '_cron' in payload ? Math.floor(60 / every_seconds) - 1 : Number(payload.runs_left ?? 0)
    if (left > 0) await enqueue(db, name, { runs_left: left - 1 }, { after_seconds: every_seconds })
  },
})

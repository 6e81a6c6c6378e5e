import { Logger as QueueLogger, parseCronItems, run, type CronItem, type TaskList } from 'graphile-worker'
import type pg from 'pg'
import type { Logger } from '../kit/log.ts'

/** Work done off the request: queued by a verb, or by the clock. Shallow, bounded, safe to run twice. */
export interface Job {
  name: string
  /** Minute, hour, day, month, weekday, as cron writes them; absent for jobs that are only queued. */
  cron?: string
  run(payload: Record<string, unknown>): Promise<void>
}

export interface Runner {
  stop(): Promise<void>
}

export interface RunnerOptions {
  pool: pg.Pool
  jobs: readonly Job[]
  log: Logger
  /** Whether the clock on the wall queues jobs; what verbs queue runs in any case. */
  scheduled: boolean
}

/** Starts the queue's worker and its schedule on the database. Several processes share the work. */
export async function startRunner({ pool, jobs, log, scheduled }: RunnerOptions): Promise<Runner> {
  const taskList: TaskList = Object.fromEntries(
    jobs.map((job) => [job.name, (payload: unknown) => job.run(payload as Record<string, unknown>)]),
  )
  const crons = jobs.flatMap(({ name, cron }): CronItem[] => (cron && scheduled ? [{ task: name, match: cron }] : []))
  const runner = await run({
    pgPool: pool,
    taskList,
    parsedCronItems: parseCronItems(crons),
    concurrency: 4,
    pollInterval: 5_000,
    noHandleSignals: true,
    logger: new QueueLogger(() => (level, message) => {
      if (level === 'error') log.error({ queue: message }, 'the job queue reports an error')
      else if (level === 'warning') log.warn({ queue: message }, 'the job queue warns')
      else log.debug({ queue: message }, 'job queue')
    }),
  })
  return { stop: () => runner.stop() }
}

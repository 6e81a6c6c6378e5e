import { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import {
  Logger as QueueLogger,
  parseCronItems,
  run,
  type CronItem,
  type RunnerOptions as QueueOptions,
  type WorkerEvents,
} from 'graphile-worker'
import type pg from 'pg'
import type { Logger } from '../platform/log.ts'
import { singleFlight } from '../platform/single-flight.ts'
import { heartbeat_ms, createWorkerRecovery } from './worker-recovery.ts'

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

const restart_ms = 1_000

/**
 * Starts the queue's worker and its schedule on the database. Several processes share the work. A worker that cannot tell
 * the database what became of a job gives up; it is started again, and what it held is done once more. The jobs of a
 * process that was killed are taken over by the others, or by itself when it is back, after about a minute.
 */
export async function startRunner(options: RunnerOptions): Promise<Runner> {
  const { pool, log } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let running = await startWorker(options)
  const presence = startHeartbeat(options, () => running.worker_ids)

  /** Another worker in the place of one that ended, as soon as the database can be reached; none once we stop. */
  async function replace({ worker_ids }: Worker): Promise<Worker | undefined> {
    while (!signal.aborted) {
      await pause(restart_ms, undefined, { signal }).catch(() => {})
      if (signal.aborted) return undefined
      try {
        await pool.query('select graphile_worker.force_unlock_workers($1)', [worker_ids])
        return await startWorker(options)
      } catch (error) {
        log.warn({ error: (error as Error).message }, 'the job queue cannot be started again yet')
      }
    }
    return undefined
  }

  async function watch() {
    for (let worker: Worker | undefined = running; worker; worker = await replace(worker)) {
      running = worker
      if (signal.aborted) await worker.stop()
      await worker.ended
      if (!signal.aborted) log.error('the job queue has ended, and is started again')
    }
  }
  const watched = watch()
  return {
    async stop() {
      stopping.abort()
      await running.stop()
      await watched
      await presence.stop()
    },
  }
}

/** Tells every few seconds that this process is alive, which is what keeps its jobs its own. */
function startHeartbeat({ pool, log }: RunnerOptions, workerIds: () => readonly string[]) {
  const takeover = createWorkerRecovery({ pool, log, workerIds })
  const failed = (error: Error) => log.warn({ error: error.message }, 'jobs of dead processes could not be looked for')
  let beating = Promise.resolve()
  const beat = singleFlight(() => (beating = takeover.heartbeat().catch(failed)))
  void beat()
  const timer = setInterval(() => void beat(), heartbeat_ms)
  return {
    async stop() {
      clearInterval(timer)
      await beating
      // No connection is opened only to say this: without it the others notice after a minute that nobody is there.
      if (pool.idleCount > 0) await takeover.deregister().catch(failed)
    },
  }
}

interface Worker {
  /** Under which names it holds jobs. */
  worker_ids: string[]
  ended: Promise<void>
  stop(): Promise<void>
}

async function startWorker(options: RunnerOptions): Promise<Worker> {
  const worker_ids: string[] = []
  const events: WorkerEvents = new EventEmitter()
  events.on('pool:create', ({ workerPool }) => worker_ids.push(workerPool.id))
  const queue = await run({ ...queueOptions(options), events })
  const ended = queue.promise.catch(() => {})
  return {
    worker_ids,
    ended,
    // One that is ending by itself refuses to be stopped.
    stop: () => queue.stop().catch(() => ended),
  }
}

/** One that keeps failing waits in the queue once, however long that goes on: the next run takes its place. */
const cron_options = (name: string) => ({ jobKey: name, maxAttempts: 3 })

function queueOptions({ pool, jobs, log, scheduled }: RunnerOptions): QueueOptions {
  const crons = jobs.flatMap(({ name, cron }): CronItem[] =>
    cron && scheduled ? [{ task: name, match: cron, options: cron_options(name) }] : [],
  )
  return {
    pgPool: pool,
    taskList: Object.fromEntries(
      jobs.map((job) => [job.name, (payload: unknown) => job.run(payload as Record<string, unknown>)]),
    ),
    parsedCronItems: parseCronItems(crons),
    concurrency: 4,
    pollInterval: 5_000,
    noHandleSignals: true,
    // Without a delay, even of 0, nobody hears of it when the end of a job cannot be written, and the process dies of it.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    logger: new QueueLogger(() => (level, message) => {
      if (level === 'error') log.error({ queue: message }, 'the job queue reports an error')
      else if (level === 'warning') log.warn({ queue: message }, 'the job queue warns')
      else log.debug({ queue: message }, 'job queue')
    }),
  }
}

import { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import {
  Logger as QueueLogger,
  parseCronItems,
  run,
  type CronItem,
  type Job as QueuedJob,
  type JobHelpers,
  type RunnerOptions as QueueOptions,
  type WorkerEvents,
} from 'graphile-worker'
import type pg from 'pg'
import { lenientPool } from './lenient-pool.ts'
import type { Logger } from '../platform/log.ts'
import { singleFlight } from '../platform/single-flight.ts'
import { openSlots } from './slots.ts'
import { heartbeat_ms, createWorkerRecovery } from './worker-recovery.ts'

/** Background work, queued by a service or by cron. Bounded, and safe to run twice. */
export interface Job {
  name: string
  /** Its name in 0.2. Jobs that were queued under it still run. */
  former_name?: string
  /** A cron expression; absent for jobs that services queue. */
  cron?: string
  /** The payload of a run at the start of a runner with a schedule; absent for no such run. */
  at_start?: Record<string, unknown>
  /** `job` identifies the job; it is the same at each attempt. */
  run(payload: Record<string, unknown>, job: string): Promise<void>
}

export interface Runner {
  stop(): Promise<void>
}

export interface RunnerOptions {
  pool: pg.Pool
  jobs: readonly Job[]
  log: Logger
  /** True if cron queues jobs. Jobs that services queue always run. */
  scheduled: boolean
}

const restart_ms = 1_000

/**
 * Starts the worker of the job queue and its cron schedule. Several processes share the queue. A worker that cannot write the result of a
 * job ends; it is restarted, and the jobs that it had locked run again. The jobs of a killed process are unlocked after about a minute, and
 * any process runs them.
 */
export async function startRunner(options: RunnerOptions): Promise<Runner> {
  const { pool, log } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let running = await startWorker(options)
  const presence = startHeartbeat(options, () => running.worker_ids)

  /** Starts a new worker after one has ended, once the database can be reached; undefined if the runner stops. */
  async function replace({ worker_ids }: Worker): Promise<Worker | undefined> {
    while (!signal.aborted) {
      await pause(restart_ms, undefined, { signal }).catch(() => {})
      if (signal.aborted) return undefined
      try {
        await pool.query('select graphile_worker.force_unlock_workers($1)', [worker_ids])
        return await startWorker(options)
      } catch (error) {
        log.warn({ error: (error as Error).message }, 'the job queue cannot be restarted yet')
      }
    }
    return undefined
  }

  async function watch() {
    for (let worker: Worker | undefined = running; worker; worker = await replace(worker)) {
      running = worker
      if (signal.aborted) await worker.stop()
      await worker.ended
      if (!signal.aborted) log.error('the job queue has ended and is restarted')
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

/**
 * Writes a heartbeat every few seconds. The jobs of a process without one are unlocked. The first heartbeats also queue the first runs,
 * since cron starts only with the next minute.
 */
function startHeartbeat({ pool, log, jobs, scheduled }: RunnerOptions, workerIds: () => readonly string[]) {
  const takeover = createWorkerRecovery({ pool, log, workerIds })
  const failed = (error: Error) => log.warn({ error: error.message }, 'the heartbeat of the job runner failed')
  const first_runs = scheduled ? jobs.filter(({ at_start }) => at_start !== undefined) : []
  let queued = 0
  async function queueFirstRuns() {
    for (; queued < first_runs.length; queued++) {
      const { name, at_start } = first_runs[queued]!
      const values = [name, JSON.stringify(at_start), `${name}:next`]
      await pool.query('select graphile_worker.add_job($1, $2, job_key := $3)', values)
    }
  }
  let beating = Promise.resolve()
  const beat = singleFlight(() => (beating = takeover.heartbeat().then(queueFirstRuns).catch(failed)))
  void beat()
  const timer = setInterval(() => void beat(), heartbeat_ms)
  return {
    async stop() {
      clearInterval(timer)
      await beating
      // Deregistering must not open an extra connection: without it, the other processes count this one as dead after a minute.
      if (pool.idleCount > 0) await takeover.deregister().catch(failed)
    },
  }
}

interface Worker {
  /** The worker ids under which it locks jobs. */
  worker_ids: string[]
  ended: Promise<void>
  stop(): Promise<void>
}

async function startWorker(options: RunnerOptions): Promise<Worker> {
  const worker_ids: string[] = []
  const events: WorkerEvents = new EventEmitter()
  events.on('pool:create', ({ workerPool }) => worker_ids.push(workerPool.id))
  let has_looked = false
  for (const looked of ['worker:getJob:empty', 'job:start'] as const) events.on(looked, () => (has_looked = true))
  const queue = await run(queueOptions(options, events))
  // graphile-worker 0.17 stores the failure of its first search for jobs and fails with it permanently.
  events.on('worker:getJob:error', () => {
    if (!has_looked) queue.stop().catch(() => {})
  })
  const ended = queue.promise.catch(() => {})
  return {
    worker_ids,
    ended,
    // `stop` rejects if the worker is ending by itself.
    stop: () => queue.stop().catch(() => ended),
  }
}

/** A failing cron job is in the queue only once: the next run replaces it. */
const cron_options = (name: string) => ({ jobKey: name, maxAttempts: 3 })

function queueOptions({ pool, jobs, log, scheduled }: RunnerOptions, events: WorkerEvents): QueueOptions {
  const slots = openSlots(events)
  const runJob = (job: Job, payload: unknown, queued: QueuedJob) =>
    slots.hold(queued, () =>
      job.run(payload as Record<string, unknown>, `${queued.id} ${new Date(queued.created_at).toISOString()}`),
    )
  const crons = jobs.flatMap(({ name, cron }): CronItem[] =>
    cron && scheduled ? [{ task: name, match: cron, options: cron_options(name) }] : [],
  )
  return {
    pgPool: lenientPool(pool),
    events,
    taskList: Object.fromEntries(
      jobs.flatMap((job) => {
        const names = [job.name, ...(job.former_name === undefined ? [] : [job.former_name])]
        return names.map((name) => [
          name,
          (payload: unknown, { job: queued }: JobHelpers) => runJob(job, payload, queued),
        ])
      }),
    ),
    forbiddenFlags: slots.forbiddenFlags,
    parsedCronItems: parseCronItems(crons),
    // Two remain for other jobs when all slots are taken.
    concurrency: 5,
    pollInterval: 5_000,
    noHandleSignals: true,
    // Without a delay, even of 0, graphile-worker does not handle the error if the result of a job cannot be written, and the process
    // exits.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    logger: new QueueLogger(() => (level, message) => {
      if (level === 'error') log.error({ queue: message }, 'the job queue reports an error')
      else if (level === 'warning') log.warn({ queue: message }, 'the job queue warns')
      else log.debug({ queue: message }, 'job queue')
    }),
  }
}

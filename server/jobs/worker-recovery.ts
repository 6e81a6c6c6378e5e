import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { clocks_apart } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'

export interface WorkerRecoveryOptions {
  pool: pg.Pool
  log: Logger
  /** The worker ids under which this process locks jobs. */
  workerIds(): readonly string[]
}

export interface WorkerRecovery {
  /** Records that this process is alive, and unlocks the jobs of dead processes. */
  heartbeat(): Promise<void>
  /** Deletes the row of this process, which no longer locks jobs. */
  deregister(): Promise<void>
}

export const heartbeat_ms = 10_000
/** A process without a heartbeat for this long counts as dead: other processes run its jobs. */
const dead_seconds = 60
/** After a longer gap, this process waits before it counts others as dead: an outage may have stopped their heartbeats too. */
const steady_seconds = 30

/** Jobs of processes without a row are searched only once per this many heartbeats, because the search reads the whole queue. */
const unregistered_scan_heartbeats = 60

/** Times that no correct clock of the database can have written. */
const future = `now() + interval '${clocks_apart}'`

const heartbeat_sql = `
  insert into job_runners as r (id, worker_ids, steady_since, seen_at)
  values ($1, $2, now(), now())
  on conflict (id) do update
     set worker_ids = excluded.worker_ids,
         steady_since = case when r.seen_at < now() - make_interval(secs => $3) or r.seen_at > ${future} then now()
                             else r.steady_since end,
         seen_at = now()
  returning steady_since <= now() - make_interval(secs => $3) as is_steady`

const delete_dead_sql = `
  with dead as (
    delete from job_runners
     where id in (select id from job_runners where seen_at < now() - make_interval(secs => $1) or seen_at > ${future}
                     for update skip locked)
    returning worker_ids
  )
  select array_agg(worker_id) as worker_ids from dead, unnest(worker_ids) worker_id`

/** Jobs locked by a version without this table, or by a process that died before its first heartbeat. */
const find_unregistered_sql = `
  select array_agg(distinct locked_by) as worker_ids
    from graphile_worker._private_jobs
   where (locked_at < now() - make_interval(secs => $1) or locked_at > ${future})
     and locked_by not in (select unnest(worker_ids) from job_runners)`

/** Jobs that were queued or tried while the clock was ahead get the same delay from now on. Cron jobs of that time count as not run. */
const mend_jobs_sql = `
  update graphile_worker._private_jobs
     set run_at = now() + greatest(run_at - updated_at, interval '0'), updated_at = now()
   where updated_at > ${future} and locked_at is null`
const mend_crons_sql = `update graphile_worker._private_known_crontabs set last_execution = null where last_execution > ${future}`

/**
 * Unlocks the jobs of a killed process after a minute; graphile-worker itself keeps them locked for four hours. A slow process still writes
 * heartbeats and keeps its jobs. Repairs the queue after a clock was ahead.
 */
export function createWorkerRecovery({ pool, log, workerIds }: WorkerRecoveryOptions): WorkerRecovery {
  const id = randomUUID()
  let heartbeats = 0

  async function unlockJobsOf(client: pg.PoolClient, find_sql: string) {
    const { rows } = await client.query<{ worker_ids: string[] | null }>(find_sql, [dead_seconds])
    const worker_ids = rows[0]?.worker_ids ?? []
    if (worker_ids.length === 0) return
    await client.query('select graphile_worker.force_unlock_workers($1)', [worker_ids])
    log.warn({ workers: worker_ids }, 'the jobs of a dead process are unlocked')
  }

  /** Deletes the rows of dead processes and unlocks their jobs, in one transaction. */
  async function recover() {
    const client = await pool.connect()
    let broken: Error | undefined
    try {
      await client.query('begin')
      await unlockJobsOf(client, delete_dead_sql)
      if (heartbeats % unregistered_scan_heartbeats === 0) {
        await unlockJobsOf(client, find_unregistered_sql)
        await client.query(mend_jobs_sql)
        await client.query(mend_crons_sql)
      }
      await client.query('commit')
      heartbeats++
    } catch (error) {
      broken = error as Error
      throw error
    } finally {
      client.release(broken)
    }
  }

  return {
    async heartbeat() {
      const { rows } = await pool.query<{ is_steady: boolean }>(heartbeat_sql, [id, workerIds(), steady_seconds])
      if (rows[0]?.is_steady) await recover()
    },
    async deregister() {
      await pool.query('delete from job_runners where id = $1', [id])
    },
  }
}

import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Logger } from '../platform/log.ts'

export interface WorkerRecoveryOptions {
  pool: pg.Pool
  log: Logger
  /** The names under which this process locks jobs now. */
  workerIds(): readonly string[]
}

export interface WorkerRecovery {
  /** Tells that this process is alive, and unlocks the jobs of those that are not. */
  heartbeat(): Promise<void>
  /** This process locks no job any more. */
  deregister(): Promise<void>
}

export const heartbeat_ms = 10_000
/** A process that was silent for so long counts as dead: its jobs are run by others. */
const dead_seconds = 60
/** After a longer break the others, who shared it, may have to say first that they are alive. */
const steady_seconds = 30

/** So seldom are jobs looked for whose process is in no row: this reads the whole queue. */
const unregistered_scan_heartbeats = 60

const heartbeat_sql = `
  insert into job_runners as r (id, worker_ids, steady_since, seen_at)
  values ($1, $2, now(), now())
  on conflict (id) do update
     set worker_ids = excluded.worker_ids,
         steady_since = case when r.seen_at < now() - make_interval(secs => $3) then now() else r.steady_since end,
         seen_at = now()
  returning steady_since <= now() - make_interval(secs => $3) as is_steady`

const delete_dead_sql = `
  with dead as (
    delete from job_runners
     where id in (select id from job_runners where seen_at < now() - make_interval(secs => $1) for update skip locked)
    returning worker_ids
  )
  select array_agg(worker_id) as worker_ids from dead, unnest(worker_ids) worker_id`

/** Of a version before this table, or of a process that died before it could write here. */
const find_unregistered_sql = `
  select array_agg(distinct locked_by) as worker_ids
    from graphile_worker._private_jobs
   where locked_at < now() - make_interval(secs => $1)
     and locked_by not in (select unnest(worker_ids) from job_runners)`

/**
 * Has the jobs of a killed process taken over after a minute: the job queue itself keeps them locked for four hours. A
 * process that is merely slow still writes that it is alive, so its jobs stay its own.
 */
export function createWorkerRecovery({ pool, log, workerIds }: WorkerRecoveryOptions): WorkerRecovery {
  const id = randomUUID()
  let beats = 0

  async function unlockJobsOf(client: pg.PoolClient, find_sql: string) {
    const { rows } = await client.query<{ worker_ids: string[] | null }>(find_sql, [dead_seconds])
    const worker_ids = rows[0]?.worker_ids ?? []
    if (worker_ids.length === 0) return
    await client.query('select graphile_worker.force_unlock_workers($1)', [worker_ids])
    log.warn({ workers: worker_ids }, 'a process that ran jobs is gone: its jobs are taken over')
  }

  /** Who is dead is forgotten and its jobs are unlocked in one transaction: neither happens without the other. */
  async function takeOver() {
    const client = await pool.connect()
    let broken: Error | undefined
    try {
      await client.query('begin')
      await unlockJobsOf(client, delete_dead_sql)
      if (beats % unregistered_scan_heartbeats === 0) await unlockJobsOf(client, find_unregistered_sql)
      await client.query('commit')
      beats++
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
      if (rows[0]?.is_steady) await takeOver()
    },
    async deregister() {
      await pool.query('delete from job_runners where id = $1', [id])
    },
  }
}

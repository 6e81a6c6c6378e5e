import { decisions } from '../../contract/decisions.ts'
import type pg from 'pg'
import { firstRow, theValue, type Sql, type Tx } from './postgres/database.ts'

/** A job that has used up its attempts. It runs again only if an admin retries it. */
export interface FailedJob {
  id: string
  job: string
  attempts: number
  error: string | null
  /** The user whom the job concerns. The rest of the payload is not read. */
  user_id: string | null
  app_id: string | null
  request_id: string | null
  inserted_at: Date
}

/** How long permanently failed jobs are kept. */
export const failed_jobs_seconds = decisions.admin_lists.failed_jobs_kept_days * 86_400

/** Bounds the cost of the count. */
const counted_max = 10_000
const error_max = 500

/** Creates the index for failed jobs on the queue's own table. Called at every start, after the queue's migrations. */
export async function indexFailedJobs(pool: pg.Pool) {
  const { rowCount } = await pool.query("select 1 where to_regclass('graphile_worker.plaza_failed_jobs') is not null")
  if ((rowCount ?? 0) > 0) return
  await pool.query(`
    do $$ begin
      perform pg_advisory_xact_lock(hashtext('plaza_failed_jobs'));
      create index if not exists plaza_failed_jobs on graphile_worker._private_jobs (id) where attempts >= max_attempts;
    end $$`)
}

/** Permanently failed jobs, newest first. */
export const listFailedJobs = (db: Sql, { before_id, rows_max }: { before_id: number | null; rows_max: number }) =>
  db.sql<FailedJob>`
    select j.id::text, t.identifier as job, j.attempts, left(j.last_error, ${error_max}) as error,
           j.payload ->> 'user_id' as user_id, j.payload ->> 'app_id' as app_id, j.payload ->> 'request_id' as request_id,
           j.created_at as inserted_at
      from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
     where j.attempts >= j.max_attempts and j.locked_at is null
       and j.id < coalesce(${before_id}::bigint, 9223372036854775807)
     order by j.id desc
     limit ${rows_max}`

/** The number of permanently failed jobs, at most 10,000. */
export const countFailedJobs = (db: Sql) =>
  theValue(db.sql<{ failed: number }>`
    select count(*) as failed
      from (select from graphile_worker._private_jobs
             where attempts >= max_attempts and locked_at is null
             limit ${counted_max}) counted`)

/** Locks a permanently failed job; undefined if none has this id, or a concurrent transaction retried or discarded it. */
export const lockFailedJob = (tx: Tx, id: string): Promise<FailedJob | undefined> =>
  firstRow(tx.sql<FailedJob>`
    select j.id::text, t.identifier as job, j.attempts, left(j.last_error, ${error_max}) as error,
           j.payload ->> 'user_id' as user_id, j.payload ->> 'app_id' as app_id, j.payload ->> 'request_id' as request_id,
           j.created_at as inserted_at
      from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
     where j.id = ${id}::bigint and j.attempts >= j.max_attempts and j.locked_at is null
       for update of j`)

/** Makes a locked job due with its full number of attempts. */
export const retryFailedJob = (tx: Tx, id: string) =>
  tx.sql`select from graphile_worker.reschedule_jobs(array[${id}::bigint], run_at := now(), attempts := 0)`

/** Deletes a locked job. */
export const discardFailedJob = (tx: Tx, id: string) =>
  tx.sql`select from graphile_worker.complete_jobs(array[${id}::bigint])`

/** Deletes up to `rows_max` permanently failed jobs that were queued before this time; returns their number. */
export const purgeFailedJobs = (db: Sql, before: Date, rows_max: number) =>
  theValue(db.sql<{ deleted: number }>`
    with old as (
      select id from graphile_worker._private_jobs
       where attempts >= max_attempts and locked_at is null and created_at < ${before}
       order by id limit ${rows_max} for update skip locked
    ), deleted as (
      delete from graphile_worker._private_jobs j using old where j.id = old.id returning 1
    )
    select count(*) as deleted from deleted`)

export const job_states = ['failed', 'running', 'waiting', 'scheduled'] as const
export type JobState = (typeof job_states)[number]

export interface QueuedJob {
  id: string
  job: string
  state: JobState
  attempts: number
  error: string | null
  run_at: Date
  inserted_at: Date
}

/** Jobs in a state, or all jobs, ordered by due time. Does not read their payload. */
export const listQueuedJobs = (db: Sql, { state, rows_max }: { state: JobState | undefined; rows_max: number }) =>
  db.sql<QueuedJob>`
    select * from (
      select j.id::text, t.identifier as job,
             case when j.locked_at is not null then 'running' when j.attempts >= j.max_attempts then 'failed'
                  when j.run_at <= now() then 'waiting' else 'scheduled' end as state,
             j.attempts, left(j.last_error, ${error_max}) as error, j.run_at, j.created_at as inserted_at
        from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id) job
     where ${state ?? null}::text is null or state = ${state ?? null}
     order by run_at, id::bigint
     limit ${rows_max}`

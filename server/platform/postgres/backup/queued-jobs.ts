import type pg from 'pg'
import { hasTable } from './catalog.ts'

/**
 * Waiting and failed jobs, in a form that does not depend on the version of the job queue's own tables. A job that was
 * running at the snapshot counts as waiting: it runs again, as after a crash.
 */
export const jobs_section = 'graphile_worker.jobs'

const columns = [
  'identifier',
  'payload',
  'queue_name',
  'run_at',
  'max_attempts',
  'key',
  'priority',
  'flags',
  'attempts',
  'last_error',
  'created_at',
]

/** The query that reads the jobs; undefined if the database has no job queue yet. */
export async function queryOfJobs(client: pg.Client) {
  if (!(await hasTable(client, 'graphile_worker._private_jobs'))) return undefined
  return `
    select t.identifier, j.payload, q.queue_name, j.run_at, j.max_attempts, j.key, j.priority,
           (select array_agg(flag) from jsonb_object_keys(j.flags) flag), j.attempts, j.last_error, j.created_at
      from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id
      left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
     order by j.id`
}

/** The table that jobs are loaded into before they are queued. It is dropped with the transaction. */
export async function createJobsTable(client: pg.Client) {
  await client.query(`
    create temporary table restored_jobs (
      at bigint generated always as identity, identifier text, payload json, queue_name text, run_at timestamptz,
      max_attempts integer, key text, priority integer, flags text[], attempts integer, last_error text,
      created_at timestamptz
    ) on commit drop`)
  return `restored_jobs (${columns.join(', ')})`
}

/** Replaces the jobs of the queue with the loaded ones, including the attempts that they have used. */
export async function queueRestoredJobs(client: pg.Client) {
  await client.query('delete from graphile_worker._private_jobs')
  await client.query(`
    create temporary table queued_jobs on commit drop as
    select r.at, (graphile_worker.add_job(
             r.identifier, payload := r.payload, queue_name := r.queue_name, run_at := r.run_at,
             max_attempts := r.max_attempts, job_key := r.key, priority := r.priority, flags := r.flags)).id as id
      from (select * from restored_jobs order by at) r`)
  await client.query(`
    update graphile_worker._private_jobs j
       set attempts = r.attempts, last_error = r.last_error, created_at = r.created_at
      from queued_jobs q join restored_jobs r on r.at = q.at
     where j.id = q.id`)
}

import { theRow, type Sql } from './postgres/database.ts'

export interface JobCounts {
  due: number
  /** Not due yet, or waiting for a retry. */
  scheduled: number
  running: number
  /** Failed permanently. */
  failed: number
  /** The waiting time of the job that has been due for the longest time; 0 if none is due. */
  oldest_seconds: number
}

/** Bounds the cost of the count. */
const counted_max = 100_000

/** Counts the jobs of the queue by state, up to 100,000. */
export const countJobs = (db: Sql): Promise<JobCounts> =>
  theRow(db.sql<JobCounts>`
    select count(*) filter (where state = 'due') as due,
           count(*) filter (where state = 'scheduled') as scheduled,
           count(*) filter (where state = 'running') as running,
           count(*) filter (where state = 'failed') as failed,
           coalesce(greatest(extract(epoch from now() - min(run_at) filter (where state = 'due')), 0), 0)::float8 as oldest_seconds
      from (select run_at,
                   case when locked_at is not null then 'running'
                        when attempts >= max_attempts then 'failed'
                        when run_at > now() then 'scheduled'
                        else 'due' end as state
              from graphile_worker._private_jobs
             limit ${counted_max}) job`)

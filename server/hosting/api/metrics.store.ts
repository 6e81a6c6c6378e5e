import { purgesRowsOf } from '../../platform/erasure.ts'
import { theValue, type Sql } from '../../platform/postgres/database.ts'
import type { RequestsRow, UsageRow } from './metrics.rules.ts'

// Latency counts are summed by position: an aggregate of arrays took twenty times as long.

interface Span {
  id: string
  from: Date
  step_seconds: number
  /** Reads complete hours. */
  hourly: boolean
}

/** The resource use of a deployment since a time: from the samples of the last day, or from complete hours. */
export const listUsage = (db: Sql, { id, from, step_seconds, hourly }: Span) =>
  db.sql<UsageRow>`
    with measured as (
      select replica, at, memory_bytes, memory_bytes as memory_bytes_max, millicores, millicores as millicores_max,
             received_bytes, sent_bytes, 1 as samples
        from deploy_samples
       where not ${hourly}::boolean and deployment_id = ${id} and at >= ${from}
      union all
      select replica, at, memory_bytes, memory_bytes_max, millicores, millicores_max, received_bytes, sent_bytes, samples
        from deploy_sample_hours
       where ${hourly}::boolean and deployment_id = ${id} and at >= ${from}
    )
    select replica, date_bin(make_interval(secs => ${step_seconds}), at, 'epoch') as at,
           (sum(memory_bytes::numeric * samples) / sum(samples))::bigint as memory_bytes,
           max(memory_bytes_max) as memory_bytes_max,
           (sum(millicores::numeric * samples) / sum(samples) filter (where millicores is not null))::integer as millicores,
           max(millicores_max) as millicores_max,
           sum(received_bytes)::bigint as received_bytes, sum(sent_bytes)::bigint as sent_bytes
      from measured
     group by 1, 2
     order by 1, 2`

/** The requests for a deployment since a time: from the slots of the last day, or from complete hours. */
export const listRequests = (db: Sql, { id, from, step_seconds, hourly }: Span) =>
  db.sql<RequestsRow>`
    with counted as (
      select at, status_2xx, status_3xx, status_4xx, status_5xx, latencies from deploy_requests
       where not ${hourly}::boolean and deployment_id = ${id} and at >= ${from}
      union all
      select at, status_2xx, status_3xx, status_4xx, status_5xx, latencies from deploy_request_hours
       where ${hourly}::boolean and deployment_id = ${id} and at >= ${from}
    )
    select date_bin(make_interval(secs => ${step_seconds}), at, 'epoch') as at,
           sum(status_2xx)::bigint as status_2xx, sum(status_3xx)::bigint as status_3xx,
           sum(status_4xx)::bigint as status_4xx, sum(status_5xx)::bigint as status_5xx,
           array[sum(latencies[1]), sum(latencies[2]), sum(latencies[3]), sum(latencies[4]), sum(latencies[5]), sum(latencies[6]),
                 sum(latencies[7]), sum(latencies[8]), sum(latencies[9]), sum(latencies[10]), sum(latencies[11]),
                 sum(latencies[12]), sum(latencies[13]), sum(latencies[14])]::float8[] as latencies
      from counted
     group by 1
     order by 1`

/** The last hour that was aggregated; null before the first. */
export const findLastHour = (db: Sql) =>
  theValue(db.sql<{ at: Date | null }>`
    select greatest((select max(at) from deploy_sample_hours), (select max(at) from deploy_request_hours)) as at`)

/** Aggregates the samples of an hour. A second run includes samples that arrived later. */
export const addUpSamples = (db: Sql, from: Date, to: Date) =>
  db.sql`
    insert into deploy_sample_hours as known
           (deployment_id, replica, at, memory_bytes, memory_bytes_max, millicores, millicores_max, received_bytes, sent_bytes, samples)
    select deployment_id, replica, ${from}::timestamptz, avg(memory_bytes)::bigint, max(memory_bytes), avg(millicores)::integer,
           max(millicores), sum(received_bytes)::bigint, sum(sent_bytes)::bigint, count(*)
      from deploy_samples
     where at >= ${from} and at < ${to}
     group by deployment_id, replica
     order by deployment_id, replica
    on conflict (deployment_id, replica, at) do update
       set memory_bytes = excluded.memory_bytes, memory_bytes_max = excluded.memory_bytes_max,
           millicores = excluded.millicores, millicores_max = excluded.millicores_max,
           received_bytes = excluded.received_bytes, sent_bytes = excluded.sent_bytes, samples = excluded.samples`

/** Aggregates the requests of an hour. A second run includes requests that arrived later. */
export const addUpRequests = (db: Sql, from: Date, to: Date) =>
  db.sql`
    insert into deploy_request_hours as known (deployment_id, at, status_2xx, status_3xx, status_4xx, status_5xx, latencies)
    select deployment_id, ${from}::timestamptz, sum(status_2xx), sum(status_3xx), sum(status_4xx), sum(status_5xx),
           array[sum(latencies[1]), sum(latencies[2]), sum(latencies[3]), sum(latencies[4]), sum(latencies[5]), sum(latencies[6]),
                 sum(latencies[7]), sum(latencies[8]), sum(latencies[9]), sum(latencies[10]), sum(latencies[11]),
                 sum(latencies[12]), sum(latencies[13]), sum(latencies[14])]::bigint[]
      from deploy_requests
     where at >= ${from} and at < ${to}
     group by deployment_id
     order by deployment_id
    on conflict (deployment_id, at) do update
       set status_2xx = excluded.status_2xx, status_3xx = excluded.status_3xx, status_4xx = excluded.status_4xx,
           status_5xx = excluded.status_5xx, latencies = excluded.latencies`

export const purgeSamples = purgesRowsOf('deploy_samples', 'at')
export const purgeSampleHours = purgesRowsOf('deploy_sample_hours', 'at')
export const purgeRequests = purgesRowsOf('deploy_requests', 'at')
export const purgeRequestHours = purgesRowsOf('deploy_request_hours', 'at')

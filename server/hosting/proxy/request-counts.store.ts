import type { Sql } from '../../platform/postgres/database.ts'

/** The requests for one deployment in one slot. */
export interface RequestCount {
  deployment_id: string
  at: Date
  /** By class of the status: 2xx, 3xx, 4xx, 5xx. */
  statuses: [number, number, number, number]
  /** By the bounds of `latency_bounds_ms`. */
  latencies: number[]
}

/** Adds counts to those of other routers. The rows are locked in one order, so that two routers do not block each other. */
export const addRequestCounts = (db: Sql, counts: readonly RequestCount[]) =>
  db.sql`
    insert into deploy_requests as known (deployment_id, at, status_2xx, status_3xx, status_4xx, status_5xx, latencies)
    select c.id, c.at, c.s2, c.s3, c.s4, c.s5, c.latencies::integer[]
      from unnest(${counts.map(({ deployment_id }) => deployment_id)}::uuid[], ${counts.map(({ at }) => at)}::timestamptz[],
                  ${counts.map(({ statuses }) => statuses[0])}::integer[], ${counts.map(({ statuses }) => statuses[1])}::integer[],
                  ${counts.map(({ statuses }) => statuses[2])}::integer[], ${counts.map(({ statuses }) => statuses[3])}::integer[],
                  ${counts.map(({ latencies }) => `{${latencies.join(',')}}`)}::text[])
           as c(id, at, s2, s3, s4, s5, latencies)
     order by c.id, c.at
    on conflict (deployment_id, at) do update
       set status_2xx = known.status_2xx + excluded.status_2xx, status_3xx = known.status_3xx + excluded.status_3xx,
           status_4xx = known.status_4xx + excluded.status_4xx, status_5xx = known.status_5xx + excluded.status_5xx,
           latencies = array(select a + b from unnest(known.latencies, excluded.latencies) with ordinality as both_(a, b, place)
                              order by place)`

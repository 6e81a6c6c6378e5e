import type { Sql } from '../../../platform/postgres/database.ts'
import type { Sample } from './samples.rules.ts'

/** The instances of these deployments on the host, with the generation that each serves. */
export const findServing = (db: Sql, host: string, ids: readonly string[]) =>
  db.sql<{ id: string; replica: number; serving_generation: number | null }>`
    select deployment_id as id, number as replica, serving_generation from deploy_instances
     where deployment_id = any(${ids}::uuid[]) and host_server = ${host}`

/** Writes the samples of one slot, in order of id. Samples that another worker wrote stay. */
export const insertSamples = (db: Sql, at: Date, samples: readonly Sample[]) =>
  db.sql`
    insert into deploy_samples (deployment_id, replica, at, memory_bytes, millicores, received_bytes, sent_bytes)
    select s.id, s.replica, ${at}, s.memory_bytes, s.millicores, s.received_bytes, s.sent_bytes
      from unnest(${samples.map((each) => each.deployment_id)}::uuid[], ${samples.map((each) => each.replica)}::smallint[],
                  ${samples.map((each) => each.memory_bytes)}::bigint[], ${samples.map((each) => each.millicores)}::integer[],
                  ${samples.map((each) => each.received_bytes)}::bigint[], ${samples.map((each) => each.sent_bytes)}::bigint[])
           as s(id, replica, memory_bytes, millicores, received_bytes, sent_bytes)
     order by s.id, s.replica
    on conflict do nothing`

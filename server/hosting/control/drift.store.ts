import type { Sql } from '../../platform/postgres/database.ts'
import type { ReplicaInput } from './replicas.rules.ts'
import type { KnownDeployment } from './drift.rules.ts'

export interface LiveDeployment extends ReplicaInput {
  id: string
  app_id: string
  /** Not due, or of unknown health: a difference is drift and not work in progress. */
  is_idle: boolean
  is_leased: boolean
}

/**
 * A page of the deployments that are not destroyed, in order of id, with the columns that decide the next step. See
 * `live_deployments` in `functions.sql`.
 */
export const listLive = (db: Sql, { after, rows_max }: { after: string | null; rows_max: number }) =>
  db.sql<LiveDeployment>`
    select id, app_id, generation, desired, suspended_by, billing_status, status, health_status, host_server,
           serving_generation, endpoint_host, endpoint_port, failed_generation, attempts, restarts_seen, restart_times,
           extract(epoch from now() - transient_since)::float8 as transient_seconds,
           coalesce(lease_until >= now(), false) as is_leased,
           exists (select from deploy_logs l where l.deployment_id = deployments.id and l.status = 'pending') as is_open,
           next_attempt_at = 'infinity' or health_status is not distinct from 'unknown' as is_idle,
           coalesce(s.replicas, 1) as replicas, coalesce(s.leading_replica, 1) as leading_replica,
           case when s.deployment_id is null then '[]' else followers_of(id) end as followers
      from deployments left join deploy_scales s on s.deployment_id = id
     where id = any(array(select live_deployments(${after}::uuid, ${rows_max}::integer)))
     order by id`

/** The same columns of these deployments, without destroyed ones. */
export const findLive = (db: Sql, ids: readonly string[]) =>
  db.sql<LiveDeployment>`
    select id, app_id, generation, desired, suspended_by, billing_status, status, health_status, host_server,
           serving_generation, endpoint_host, endpoint_port, failed_generation, attempts, restarts_seen, restart_times,
           extract(epoch from now() - transient_since)::float8 as transient_seconds,
           coalesce(lease_until >= now(), false) as is_leased,
           exists (select from deploy_logs l where l.deployment_id = deployments.id and l.status = 'pending') as is_open,
           next_attempt_at = 'infinity' or health_status is not distinct from 'unknown' as is_idle,
           coalesce(s.replicas, 1) as replicas, coalesce(s.leading_replica, 1) as leading_replica,
           case when s.deployment_id is null then '[]' else followers_of(id) end as followers
      from deployments left join deploy_scales s on s.deployment_id = id
     where id = any(${ids}::uuid[]) and status <> 'destroyed'`

/** The status of these deployments and the hosts of their replicas, without destroyed ones. */
export async function findKnown(db: Sql, ids: readonly string[]) {
  const rows = await db.sql<{ id: string; status: string; number: number; host_server: string | null }>`
    select d.id, d.status, coalesce(s.leading_replica, 1) as number, d.host_server
      from deployments d left join deploy_scales s on s.deployment_id = d.id
     where d.id = any(${ids}::uuid[]) and d.status <> 'destroyed'
    union all
    select d.id, d.status, r.number, r.host_server
      from deployments d join deploy_replicas r on r.deployment_id = d.id
     where d.id = any(${ids}::uuid[]) and d.status <> 'destroyed'`
  const known = new Map<string, KnownDeployment & { hosts: Map<number, string | null> }>()
  for (const { id, status, number, host_server } of rows) {
    const deployment = known.get(id) ?? { status, hosts: new Map<number, string | null>() }
    deployment.hosts.set(number, host_server)
    known.set(id, deployment)
  }
  return known
}

/** Those of these apps that have a deployment on the host. */
export const findAppsOnHost = (db: Sql, host: string, app_ids: readonly string[]) =>
  db.sql<{ app_id: string }>`
    select distinct app_id from deployments
     where app_id = any(${app_ids}::uuid[]) and host_server = ${host} and status <> 'destroyed'
    union
    select d.app_id from deploy_replicas r join deployments d on d.id = r.deployment_id
     where d.app_id = any(${app_ids}::uuid[]) and r.host_server = ${host} and d.status <> 'destroyed'`

/** Marks the health of deployments on unreachable hosts as unknown, a bounded number at once. Their status stays. */
export const markUnknown = (db: Sql, hosts: readonly string[], rows_max: number) =>
  db.sql`
    update deployments
       set health_status = 'unknown'
     where id in (
       select id from deployments
        where host_server = any(${hosts}::text[]) and status in ('running', 'deploying')
          and health_status is distinct from 'unknown'
        limit ${rows_max}
     )
       and health_status is distinct from 'unknown'`

export interface HealthResult {
  id: string
  endpoint_port: number
  health_status: string
}

/** Saves probe results of deployments that still run at the probed port. */
export const saveHealth = (db: Sql, found: HealthResult[]) =>
  db.sql`
    update deployments d
       set health_status = f.health_status, last_health_check = now()
      from unnest(
             ${found.map(({ id }) => id)}::uuid[],
             ${found.map(({ endpoint_port }) => endpoint_port)}::integer[],
             ${found.map(({ health_status }) => health_status)}::text[]
           ) f(id, endpoint_port, health_status)
     where d.id = f.id and d.endpoint_port = f.endpoint_port and d.status = 'running'`

export const savePulled = (db: Sql, target: string, image: string, now: Date) =>
  db.sql`
    insert into pulled_images (target, image, pulled_at, last_used_at)
    values (${target}, ${image}, ${now}, ${now})
    on conflict (target, image) do update set last_used_at = ${now}`

/**
 * Images that the platform pulled to a host, that no deployment there runs or ran before, and that were not used since
 * `used_before`: a recently used one may belong to a rollout in progress. Oldest use first.
 */
export const findUnusedImages = (
  db: Sql,
  { target, used_before, rows_max }: { target: string; used_before: Date; rows_max: number },
) =>
  db.sql<{ image: string }>`
    select p.image from pulled_images p
     where p.target = ${target} and p.last_used_at < ${used_before}
       and not exists (
         select 1 from deployments d
          where d.status <> 'destroyed'
            and (d.host_server = p.target
                 or exists (select from deploy_replicas r where r.deployment_id = d.id and r.host_server = p.target))
            and split_part(d.image_digest, '@', 1) = split_part(p.image, '@', 1)
            and (d.image_digest = p.image or split_part(p.image, '@', 2) = (
              select l.details ->> 'from_digest' from deploy_logs l
               where l.deployment_id = d.id and l.status = 'succeeded'
                 and l.details ->> 'from_digest' <> split_part(d.image_digest, '@', 2)
               order by l.id desc limit 1
            ))
       )
     order by p.last_used_at
     limit ${rows_max}`

export const deleteImage = (db: Sql, target: string, image: string) =>
  db.sql`delete from pulled_images where target = ${target} and image = ${image}`

/** Delays the next attempt to remove an image by another unused period. */
export const postponeImage = (db: Sql, target: string, image: string, now: Date) =>
  db.sql`update pulled_images set last_used_at = ${now} where target = ${target} and image = ${image}`

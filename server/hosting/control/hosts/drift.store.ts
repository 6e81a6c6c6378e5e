import type { Page } from '../../../platform/each.ts'
import type { Sql } from '../../../platform/postgres/database.ts'
import { routes_channel } from '../../channels.ts'
import type { InstanceRow, PlanInput } from '../reconcile/plan.rules.ts'
import type { KnownDeployment } from './drift.rules.ts'

export interface LiveDeployment extends PlanInput {
  instances: (InstanceRow & { node: string | null })[]
  id: string
  app_id: string
  port: number
  health_path: string | null
  is_leased: boolean
}

/**
 * The deployments that are not destroyed, in order of id, with the columns that determine the next step: those with
 * these ids, or a page of all (see `live_deployments` in `functions.sql`).
 */
export const listLive = (db: Sql, chosen: { ids: readonly string[] } | Page) => {
  const { ids, after, rows_max } = { ids: null, after: null, rows_max: 0, ...chosen }
  return db.sql<LiveDeployment>`
    select id, app_id, port, health_path, generation, desired, suspended_by, billing_status, status, serving_generation, failed_generation,
           extract(epoch from retry_at - now())::float8 as retry_seconds, coalesce(lease_until >= now(), false) as is_leased,
           exists (select from deploy_logs l where l.deployment_id = deployments.id and l.status = 'pending') as is_open,
           replicas, instances_of(id) as instances
      from deployments
     where id = any(coalesce(${ids}::uuid[], array(select live_deployments(${after}::uuid, ${rows_max}::integer))))
       and status <> 'destroyed'
     order by id`
}

/** The status of these deployments and the hosts of their instances, without destroyed ones. */
export async function findKnown(db: Sql, ids: readonly string[]) {
  const rows = await db.sql<{ id: string; status: string; number: number | null; host_server: string | null }>`
    select d.id, d.status, i.number, i.host_server
      from deployments d left join deploy_instances i on i.deployment_id = d.id
     where d.id = any(${ids}::uuid[]) and d.status <> 'destroyed'`
  const known = new Map<string, KnownDeployment & { hosts: Map<number, string | null> }>()
  for (const { id, status, number, host_server } of rows) {
    const deployment = known.get(id) ?? { status, hosts: new Map<number, string | null>() }
    if (number !== null) deployment.hosts.set(number, host_server)
    known.set(id, deployment)
  }
  return known
}

/** Returns those of these apps that have an instance on the host. */
export const findAppsOnHost = (db: Sql, host: string, app_ids: readonly string[]) =>
  db.sql<{ app_id: string }>`
    select distinct d.app_id from deploy_instances i join deployments d on d.id = i.deployment_id
     where d.app_id = any(${app_ids}::uuid[]) and i.host_server = ${host} and d.status <> 'destroyed'`

/** Marks the health of instances on unreachable hosts as unknown, in bounded batches. The status of their deployments does not change. */
export const markUnknown = (db: Sql, hosts: readonly string[], rows_max: number) =>
  db.sql`
    with marked as materialized (
      select d.id, d.status, i.number
        from deploy_instances i join deployments d on d.id = i.deployment_id
       where i.host_server = any(${hosts}::text[]) and i.health_status is distinct from 'unknown'
         and d.status in ('running', 'deploying')
       order by d.id limit ${rows_max}
         for no key update of d
    ), shown as (
      update deployments d set health_status = 'unknown'
        from marked m
       where d.id = m.id and m.status = 'deploying'
         and not exists (select from deploy_instances i
                          where i.deployment_id = d.id and i.endpoint_host is not null and i.host_server <> all(${hosts}::text[]))
    )
    update deploy_instances i set health_status = 'unknown'
      from marked m
     where i.deployment_id = m.id and i.number = m.number`

export interface HealthResult {
  id: string
  number: number
  endpoint_port: number
  health_status: string
}

/** Saves probe results of instances that still receive requests at the probed port. */
export const saveHealth = (db: Sql, found: readonly HealthResult[]) =>
  db.sql`
    with checked as materialized (
      select id from deployments
       where id = any(${found.map(({ id }) => id)}::uuid[]) and status <> 'destroyed'
       order by id for no key update
    ), seen as (
      update deployments d set last_health_check = now() from checked where d.id = checked.id and d.status = 'running'
    ), written as (
      update deploy_instances i
         set health_status = f.health_status
        from checked join unnest(
               ${found.map(({ id }) => id)}::uuid[], ${found.map(({ number }) => number)}::integer[],
               ${found.map(({ endpoint_port }) => endpoint_port)}::integer[],
               ${found.map(({ health_status }) => health_status)}::text[]
             ) f(id, number, endpoint_port, health_status) on f.id = checked.id
       where i.deployment_id = f.id and i.number = f.number and i.endpoint_port = f.endpoint_port
         and i.health_status is distinct from f.health_status
      returning i.deployment_id
    )
    select pg_notify(${routes_channel}, deployment_id::text) from written group by deployment_id`

export const savePulled = (db: Sql, target: string, image: string, now: Date) =>
  db.sql`
    insert into pulled_images (target, image, pulled_at, last_used_at)
    values (${target}, ${image}, ${now}, ${now})
    on conflict (target, image) do update set last_used_at = ${now}`

/**
 * Images that the platform pulled to a host, that no deployment there runs or ran before, and that were not used since
 * `used_before`: a recently used image may belong to a rollout in progress. Oldest use first.
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
            and exists (select from deploy_instances i where i.deployment_id = d.id and i.host_server = p.target)
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

/** Postpones the next attempt to remove an image by another unused period. */
export const postponeImage = (db: Sql, target: string, image: string, now: Date) =>
  db.sql`update pulled_images set last_used_at = ${now} where target = ${target} and image = ${image}`

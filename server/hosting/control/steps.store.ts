import { json, type Sql } from '../../platform/postgres/database.ts'
import { routes_channel } from '../channels.ts'
import type { Claim, WorkRow } from './leases.store.ts'
import { shown_health, type Port } from './plan.rules.ts'

/** True when a guarded statement wrote: the lease and the generation are still the claim's. */
const hasWritten = (rows: unknown[]) => rows.length > 0

export const assignHost = async (db: Sql, { id, owner, generation }: Claim, host: string) =>
  hasWritten(
    await db.sql`
    update deployments
       set host_server = ${host}
     where id = ${id} and generation = ${generation} and lease_owner = ${owner}
    returning 1`,
  )

/** Assigns another host. What serves goes on, with its memory reserved, on the host before until the new release serves. */
export const changeHost = async (db: Sql, { id, owner, generation }: Claim, host: string) =>
  hasWritten(
    await db.sql`
    update deployments
       set host_server = ${host}, moved_from = case when serving_generation is not null then coalesce(moved_from, host_server) end
     where id = ${id} and generation = ${generation} and lease_owner = ${owner}
    returning 1`,
  )

/** Removes a deployment's route. */
export const unroute = async (db: Sql, { id, owner, generation }: Claim) =>
  hasWritten(
    await db.sql`
    with written as (
      update deployments
         set serving_generation = null, endpoint_host = null, endpoint_port = null, moved_from = null
       where id = ${id} and generation = ${generation} and lease_owner = ${owner}
      returning id
    )
    select pg_notify(${routes_channel}, id::text) from written`,
  )

export interface StartRecord {
  log_id: string
  now: Date
  /** The generation has not served yet: its restarts are counted from zero. */
  is_new: boolean
  /** The serving generation is repaired: requests are no longer routed to it. */
  unroute: boolean
  restart_times: Date[]
  details: object
}

/** Saves the start of a rollout or repair: status `deploying`, and one pending entry of the platform per generation. */
export const saveStart = async (db: Sql, { id, owner, generation }: Claim, begin: StartRecord) =>
  hasWritten(
    await db.sql`
    with written as (
      update deployments
         set status = 'deploying',
             health_status = 'starting',
             transient_since = coalesce(transient_since, now()),
             restarts_seen = case when ${begin.is_new}::boolean and transient_since is null then 0 else restarts_seen end,
             restart_times = ${begin.restart_times}::timestamptz[],
             endpoint_host = case when ${begin.unroute}::boolean then null else endpoint_host end,
             endpoint_port = case when ${begin.unroute}::boolean then null else endpoint_port end
       where id = ${id} and generation = ${generation} and lease_owner = ${owner}
      returning id, generation
    ), logged as (
      insert into deploy_logs (id, deployment_id, generation, action, status, initiated_by, details, inserted_at)
      select ${begin.log_id}, id, generation, 'deploy', 'pending', null, ${json(begin.details)}::jsonb, ${begin.now}
        from written
       where not exists (
         select 1 from deploy_logs
          where deployment_id = ${id} and status = 'pending' and action = 'deploy' and generation = ${generation}
       )
    )
    select pg_notify(${routes_channel}, id::text) from written`,
  )

export interface ServingRecord {
  generation: number
  endpoint: Port
  restarts: number
  image: string | null
  now: Date
  details: object
}

/**
 * Saves that a generation serves: its pending entries succeed, older ones are superseded, and the deployment shows the release
 * that serves.
 */
export const saveServing = async (db: Sql, { id, owner, generation }: Claim, serving: ServingRecord) =>
  hasWritten(
    await db.sql`
    with written as (
      update deployments d
         set status = 'running',
             health_status = 'healthy',
             last_health_check = now(),
             deployed_at = case when serving_generation is distinct from ${serving.generation}::integer
                                then now() else d.deployed_at end,
             stopped_at = null,
             container_image = coalesce(r.container_image, d.container_image),
             deploy_tier_id = coalesce(r.deploy_tier_id, d.deploy_tier_id),
             memory_limit_mb = coalesce(r.memory_limit_mb, d.memory_limit_mb),
             cpu_limit_millicores = coalesce(r.cpu_limit_millicores, d.cpu_limit_millicores),
             port = coalesce(r.port, d.port),
             sealed_env = coalesce(r.sealed_env, d.sealed_env),
             custom_domain = case when r.id is null then d.custom_domain else r.custom_domain end,
             domain_verified_at = case when r.id is null or r.custom_domain is not distinct from d.custom_domain
                                       then d.domain_verified_at end,
             domain_checked_at = case when r.id is null or r.custom_domain is not distinct from d.custom_domain
                                      then d.domain_checked_at end,
             serving_generation = ${serving.generation},
             endpoint_host = ${serving.endpoint.host},
             endpoint_port = ${serving.endpoint.port},
             image_digest = coalesce(${serving.image}, d.image_digest),
             image_generation = ${serving.generation},
             restarts_seen = ${serving.restarts},
             attempts = 0,
             moved_from = null,
             transient_since = null,
             last_error = case when failed_generation = generation then last_error end
        from (values (1)) one left join deploy_releases r on r.deployment_id = ${id} and r.is_target
       where d.id = ${id} and d.generation = ${generation} and d.lease_owner = ${owner}
      returning d.id
    ), released as (
      update deploy_releases r
         set status = case when is_target then 'current' else 'replaced' end,
             served_at = case when is_target then coalesce(served_at, now()) else served_at end,
             image_digest = case when is_target then coalesce(${serving.image}, image_digest) else image_digest end,
             failure = case when is_target then null else failure end,
             charged_points = case when is_target then 0 else charged_points end
        from written
       where r.deployment_id = written.id and (r.is_target or r.status = 'current')
    ), scaled as (
      insert into deploy_scales as s (deployment_id, replicas)
      select r.deployment_id, r.replicas from deploy_releases r join written on written.id = r.deployment_id
       where r.is_target and (r.replicas > 1 or exists (select from deploy_scales k where k.deployment_id = written.id))
      on conflict (deployment_id) do update set replicas = excluded.replicas where s.replicas <> excluded.replicas
    ), settled as (
      update deploy_logs l
         set status = case when l.generation = ${generation} then 'succeeded' else 'superseded' end,
             details = case when l.generation = ${generation} then l.details || ${json(serving.details)}::jsonb
                            else l.details end,
             settled_at = ${serving.now}
        from written
       where l.deployment_id = written.id and l.status = 'pending' and l.generation <= ${generation}
    )
    select pg_notify(${routes_channel}, id::text) from written`,
  )

export const saveEndpoint = async (
  db: Sql,
  { id, owner, generation }: Claim,
  { endpoint, health }: { endpoint: Port | null; health: string | null },
) =>
  hasWritten(
    await db.sql`
    with written as (
      update deployments
         set endpoint_host = ${endpoint?.host ?? null}, endpoint_port = ${endpoint?.port ?? null},
             health_status = ${health}
       where id = ${id} and generation = ${generation} and lease_owner = ${owner}
      returning id
    )
    select pg_notify(${routes_channel}, id::text) from written`,
  )

export const saveRestarts = async (
  db: Sql,
  { id, owner, generation }: Claim,
  { restarts_seen, restart_times, health }: { restarts_seen: number; restart_times: Date[]; health: string | null },
) =>
  hasWritten(
    await db.sql`
    update deployments
       set restarts_seen = ${restarts_seen}, restart_times = ${restart_times}::timestamptz[],
           health_status = ${health}
     where id = ${id} and generation = ${generation} and lease_owner = ${owner}
    returning 1`,
  )

export interface TransientError {
  message: string
  /** The engine is unreachable: the health is unknown, and the time does not count for the rollout's deadline. */
  unreachable: boolean
  /** Failed attempts so far, this one included; they determine the delay. */
  attempts: number
}

/** Saves a transient error. The status stays. */
export const saveTransientError = async (
  db: Sql,
  { id, owner, generation }: Claim,
  { message, unreachable, attempts }: TransientError,
) =>
  hasWritten(
    await db.sql`
    update deployments
       set attempts = ${attempts},
           -- A final failure keeps its cause.
           last_error = case when failed_generation = generation then last_error else ${message} end,
           transient_since = case when ${unreachable}::boolean then null else transient_since end,
           health_status = case when ${unreachable}::boolean and status <> 'stopped' then 'unknown' else health_status end
     where id = ${id} and generation = ${generation} and lease_owner = ${owner}
    returning 1`,
  )

/** Writes into the pending entries of the deploy log what a deployment waits for. */
export const saveWaiting = (db: Sql, { id, owner, generation }: Claim, message: string) =>
  db.sql`
    update deploy_logs l set details = l.details || jsonb_build_object('message', ${message}::text)
      from deployments d
     where d.id = ${id} and d.lease_owner = ${owner} and d.generation = ${generation}
       and l.deployment_id = d.id and l.status = 'pending' and l.generation = d.generation
       and l.details ->> 'message' is distinct from ${message}`

/** Saves that a deployment is stopped or destroyed: its pending entries succeed. A final failure keeps its cause. */
export const saveCompletion = async (
  db: Sql,
  { id, owner, generation }: Claim,
  { status, now }: { status: 'stopped' | 'destroyed'; now: Date },
) =>
  hasWritten(
    await db.sql`
    with written as (
      update deployments
         set status = ${status},
             health_status = case
               when ${status} = 'stopped' and desired = 'running' and suspended_by is null
                and failed_generation = generation
               then coalesce(${json(shown_health)}::jsonb ->> split_part(last_error, ':', 1), split_part(last_error, ':', 1))
             end,
             -- The environment is deleted with the deployment.
             sealed_env = case when ${status} = 'destroyed' then ''::bytea else sealed_env end,
             stopped_at = case when ${status} = 'stopped' and status <> 'stopped' then now() else stopped_at end,
             destroyed_at = case when ${status} = 'destroyed' then ${now}::timestamptz end,
             attempts = 0,
             transient_since = null,
             restart_times = '{}'
       where id = ${id} and generation = ${generation} and lease_owner = ${owner}
      returning id, suspended_by
    ), released as (
      update deploy_releases r
         set sealed_env = '', status = case when r.status = 'pending' then 'superseded' else r.status end
        from written
       where r.deployment_id = written.id and ${status} = 'destroyed'
    ), forgotten as (
      delete from deploy_nodes n using written where n.deployment_id = written.id and ${status} = 'destroyed'
    ), settled as (
      update deploy_logs l
         set status = case when l.generation = ${generation} or (l.action = 'suspend' and suspended_by is not null)
                           then 'succeeded' else 'superseded' end,
             settled_at = ${now}
        from written
       where l.deployment_id = written.id and l.status = 'pending' and l.generation <= ${generation}
    )
    select pg_notify(${routes_channel}, id::text) from written`,
  )

/** What a deployment's serving generation was made of, whatever its next release is. */
export async function findServed(db: Sql, id: string) {
  const [row] = await db.sql<Served>`
    select container_image, port, sealed_env, memory_limit_mb, cpu_limit_millicores from deployments where id = ${id}`
  return row
}

type Served = Pick<WorkRow, 'container_image' | 'port' | 'sealed_env' | 'memory_limit_mb' | 'cpu_limit_millicores'>

/** Whether another deployment of the app, or a replica of this one, is on this host. */
export async function isAppOnHost(db: Sql, app_id: string, host: string, except: string) {
  const rows = await db.sql`
    select 1 from deployments
     where app_id = ${app_id} and host_server = ${host} and id <> ${except} and status <> 'destroyed'
    union all
    select 1 from deploy_replicas r join deployments d on d.id = r.deployment_id
     where r.host_server = ${host} and d.app_id = ${app_id} and d.status <> 'destroyed'
    limit 1`
  return rows.length > 0
}

import { firstRow, hasRows, json, type Sql } from '../../../platform/postgres/database.ts'
import { routes_channel } from '../../channels.ts'
import type { Claim, WorkRow } from './leases.store.ts'
import type { Endpoint } from '../../containers.rules.ts'
import { shown_health } from './plan.rules.ts'

// The functions that return a boolean return true if they wrote: the lease and the generation are still the claim's.

/** An instance of a deployment that this process has claimed. */
export interface InstanceClaim extends Claim {
  number: number
}

export const addInstances = (db: Sql, { id, owner, generation }: Claim, numbers: readonly number[]) =>
  db.sql`
    insert into deploy_instances (deployment_id, number)
    select d, n from held_deployment(${id}, ${owner}, ${generation}) d, unnest(${numbers}::integer[]) n
    on conflict do nothing`

export const dropInstance = (db: Sql, { id, owner, generation, number }: InstanceClaim) =>
  db.sql`
    delete from deploy_instances i using held_deployment(${id}, ${owner}, ${generation}) d
     where i.deployment_id = d and i.number = ${number}`

/** Assigns a host. Requests are no longer routed to the instance on the previous host, which is removed as a stale copy. */
export const assignHost = (db: Sql, { id, owner, generation, number }: InstanceClaim, host: string) =>
  hasRows(db.sql`
    with moved as (
      update deploy_instances i
         set host_server = ${host}, node = null, endpoint_host = null, endpoint_port = null, starting_since = null,
             next_attempt_at = now(), switched_at = case when i.endpoint_host is null then i.switched_at else now() end
        from held_deployment(${id}, ${owner}, ${generation}) d
       where i.deployment_id = d and i.number = ${number}
      returning d as id
    )
    select pg_notify(${routes_channel}, id::text) from moved`)

/**
 * Adds an instance on this host, to try the release for which the given instance has no room. The given one continues
 * to serve with its memory reserved, and ends as surplus once the new one serves.
 */
export const addBeside = (db: Sql, { id, owner, generation, number }: InstanceClaim, host: string) =>
  db.sql`
    with held as materialized (
      select d as id from held_deployment(${id}, ${owner}, ${generation}) d
    ), given_up as (
      update deploy_instances i set generation = i.serving_generation, starting_since = null, restarts_seen = null
        from held where i.deployment_id = held.id and i.number = ${number}
    )
    insert into deploy_instances (deployment_id, number, host_server)
    select id, (select min(n) from generate_series(1, 101) n
                 where not exists (select from deploy_instances i where i.deployment_id = ${id} and i.number = n)), ${host}
      from held`

/** Removes all routes of a deployment. */
export const unroute = (db: Sql, { id, owner, generation }: Claim) =>
  hasRows(db.sql`
    with written as (
      update deployments
         set serving_generation = null
       where id = ${id} and generation = ${generation} and lease_owner = ${owner}
      returning id
    ), detached as (
      update deploy_instances i
         set serving_generation = null, endpoint_host = null, endpoint_port = null, switched_at = now(), starting_since = null,
             attempts = 0, next_attempt_at = now()
        from written where i.deployment_id = written.id
    )
    select pg_notify(${routes_channel}, id::text) from written`)

/** Retries a failed release: it becomes the target again, as after a change. */
export const tryAgain = (db: Sql, { id, owner, generation }: Claim) =>
  db.sql`
    update deployments set failed_generation = null, retry_at = null
     where id = ${id} and generation = ${generation} and lease_owner = ${owner}`

export interface StartRecord {
  /** The generation to start. */
  started: number
  log_id: string
  now: Date
  /** No other instance serves that generation: the deployment itself starts. */
  is_whole: boolean
  /** The instance has not served the generation yet. Its restart count starts from zero or from the observed count. */
  is_new: boolean
  /** A container of the generation exists. */
  is_known: boolean
  restart_times: readonly string[]
  details: object
}

/**
 * Saves the start of a rollout or repair of an instance. If no other instance serves, the status is `deploying`, with
 * one pending entry of the platform per generation.
 */
export const saveStart = (db: Sql, { id, owner, generation, number }: InstanceClaim, begin: StartRecord) =>
  hasRows(db.sql`
    with held as materialized (
      select d as id from held_deployment(${id}, ${owner}, ${generation}) d
    ), shown as (
      update deployments d set status = 'deploying', health_status = 'starting'
        from held where d.id = held.id and ${begin.is_whole}::boolean
    ), started as (
      update deploy_instances i
         set generation = ${begin.started},
             starting_since = case when i.generation = ${begin.started}::integer then coalesce(i.starting_since, now()) else now() end,
             attempts = case when i.generation = ${begin.started}::integer then i.attempts else 0 end,
             restarts_seen = case when i.generation is distinct from ${begin.started}::integer
                                    or (${begin.is_new}::boolean and i.starting_since is null)
                                  then case when ${begin.is_known}::boolean then null else 0 end
                                  else i.restarts_seen end,
             restart_times = ${begin.restart_times}::timestamptz[],
             endpoint_host = case when i.serving_generation = ${begin.started}::integer then null else i.endpoint_host end,
             endpoint_port = case when i.serving_generation = ${begin.started}::integer then null else i.endpoint_port end,
             health_status = case when ${begin.is_whole}::boolean or i.endpoint_host is null then 'starting' else i.health_status end
        from held where i.deployment_id = held.id and i.number = ${number}
    ), logged as (
      insert into deploy_logs (id, deployment_id, generation, action, status, initiated_by, details, inserted_at)
      select ${begin.log_id}, id, ${generation}, 'deploy', 'pending', null, ${json(begin.details)}::jsonb, ${begin.now}
        from held
       where ${begin.is_whole}::boolean and not exists (
         select 1 from deploy_logs
          where deployment_id = ${id} and status = 'pending' and action = 'deploy' and generation = ${generation}
       )
    )
    select pg_notify(${routes_channel}, id::text) from held`)

export interface ServingRecord {
  generation: number
  endpoint: Endpoint
  restarts: number
  image: string | null
  now: Date
  details: object
}

/**
 * Saves that the first instance serves a generation: its pending entries succeed, older ones are superseded, and the
 * deployment shows this release.
 */
export const saveServing = (db: Sql, { id, owner, generation, number }: InstanceClaim, serving: ServingRecord) =>
  hasRows(db.sql`
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
             replicas = coalesce(r.replicas, d.replicas),
             health_path = case when r.id is null then d.health_path else r.health_path end,
             serving_generation = ${serving.generation},
             image_digest = coalesce(${serving.image}, d.image_digest),
             image_generation = ${serving.generation},
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
    ), routed as (
      update deploy_instances i
         set generation = ${serving.generation}, serving_generation = ${serving.generation},
             endpoint_host = ${serving.endpoint.host}, endpoint_port = ${serving.endpoint.port}, health_status = 'healthy',
             switched_at = now(), starting_since = null, restarts_seen = ${serving.restarts}, attempts = 0, last_error = null
        from written where i.deployment_id = written.id and i.number = ${number}
    ), settled as (
      update deploy_logs l
         set status = case when l.generation = ${generation} then 'succeeded' else 'superseded' end,
             details = case when l.generation = ${generation} then l.details || ${json(serving.details)}::jsonb
                            else l.details end,
             settled_at = ${serving.now}
        from written
       where l.deployment_id = written.id and l.status = 'pending' and l.generation <= ${generation}
    )
    select pg_notify(${routes_channel}, id::text) from written`)

/** Routes requests to another instance of the serving generation. */
export const joinServing = (
  db: Sql,
  { id, owner, generation, number }: InstanceClaim,
  { generation: serving, endpoint, restarts }: Pick<ServingRecord, 'generation' | 'endpoint' | 'restarts'>,
) =>
  db.sql`
    with written as (
      update deploy_instances i
         set generation = ${serving}, serving_generation = ${serving}, endpoint_host = ${endpoint.host},
             endpoint_port = ${endpoint.port}, health_status = 'healthy', switched_at = now(), starting_since = null,
             restarts_seen = ${restarts}, last_error = null
        from held_deployment(${id}, ${owner}, ${generation}) d
       where i.deployment_id = d and i.number = ${number}
      returning d as id
    )
    select pg_notify(${routes_channel}, id::text) from written`

export const saveEndpoint = (
  db: Sql,
  { id, owner, generation, number }: InstanceClaim,
  { endpoint, health }: { endpoint: Endpoint | null; health: string | null },
) =>
  db.sql`
    with written as (
      update deploy_instances i
         set endpoint_host = ${endpoint?.host ?? null}, endpoint_port = ${endpoint?.port ?? null}, health_status = ${health},
             switched_at = case when ${endpoint === null}::boolean then now() else i.switched_at end
        from held_deployment(${id}, ${owner}, ${generation}) d
       where i.deployment_id = d and i.number = ${number}
      returning d as id
    )
    select pg_notify(${routes_channel}, id::text) from written`

export const saveRestarts = (
  db: Sql,
  { id, owner, generation, number }: InstanceClaim,
  { restarts_seen, restart_times, health }: { restarts_seen: number; restart_times: string[]; health: string | null },
) =>
  db.sql`
    update deploy_instances i
       set restarts_seen = ${restarts_seen}, restart_times = ${restart_times}::timestamptz[], health_status = ${health}
      from held_deployment(${id}, ${owner}, ${generation}) d
     where i.deployment_id = d and i.number = ${number}`

export interface FailedAttempt {
  /** The generation that was attempted. */
  attempted: number
  message: string
  /** The delay before the next attempt. */
  seconds: number
  /** Null if it does not change. */
  health: string | null
  /** The engine is unreachable: the time does not count for the rollout's deadline. */
  unreachable: boolean
}

/** Saves that an attempt of an instance failed. */
export const postponeInstance = (db: Sql, { id, owner, generation, number }: InstanceClaim, failed: FailedAttempt) =>
  db.sql`
    update deploy_instances i
       set generation = ${failed.attempted}, last_error = ${failed.message},
           attempts = case when i.generation = ${failed.attempted}::integer then i.attempts + 1 else 1 end,
           next_attempt_at = now() + make_interval(secs => ${failed.seconds}),
           starting_since = case when ${failed.unreachable}::boolean then null else i.starting_since end,
           health_status = coalesce(${failed.health}, i.health_status)
      from held_deployment(${id}, ${owner}, ${generation}) d
     where i.deployment_id = d and i.number = ${number}`

interface SetAside {
  /** The generation that failed. */
  failed: number
  message: string
  /** Consecutive failures, including this one. */
  attempts: number
  /** The delay before the next start. */
  seconds: number
  health: string
}

/** Sets aside an instance that fails while others serve: it is started again later and gets no requests until then. */
export const setAside = (
  db: Sql,
  { id, owner, generation, number }: InstanceClaim,
  { failed, message, attempts, seconds, health }: SetAside,
) =>
  db.sql`
    with written as (
      update deploy_instances i
         set generation = ${failed}, last_error = ${message}, attempts = ${attempts}, health_status = ${health},
             next_attempt_at = now() + make_interval(secs => ${seconds}), starting_since = null, restarts_seen = null,
             restart_times = '{}', switched_at = now(),
             endpoint_host = case when i.serving_generation = ${failed}::integer then null else i.endpoint_host end,
             endpoint_port = case when i.serving_generation = ${failed}::integer then null else i.endpoint_port end
        from held_deployment(${id}, ${owner}, ${generation}) d
       where i.deployment_id = d and i.number = ${number}
      returning d as id
    )
    select pg_notify(${routes_channel}, id::text) from written`

export interface TransientError {
  message: string
  /** The engine is unreachable, so the health is unknown. */
  unreachable: boolean
}

/** Saves a transient error of an instance while nothing serves the latest generation. The status does not change. */
export const saveTransientError = (
  db: Sql,
  { id, owner, generation }: Claim,
  { message, unreachable }: TransientError,
) =>
  hasRows(db.sql`
    update deployments
       set -- A final failure keeps its cause.
           last_error = case when failed_generation = generation then last_error else ${message} end,
           health_status = case when ${unreachable}::boolean and status <> 'stopped' then 'unknown' else health_status end
     where id = ${id} and generation = ${generation} and lease_owner = ${owner}
    returning 1`)

/** Writes the reason for waiting into the pending entries of the deploy log. */
export const saveWaiting = (db: Sql, { id, owner, generation }: Claim, message: string) =>
  db.sql`
    update deploy_logs l set details = l.details || jsonb_build_object('message', ${message}::text)
      from deployments d
     where d.id = ${id} and d.lease_owner = ${owner} and d.generation = ${generation}
       and l.deployment_id = d.id and l.status = 'pending' and l.generation = d.generation
       and l.details ->> 'message' is distinct from ${message}`

/** Saves that a deployment is stopped or destroyed: its pending entries succeed. The cause of a final failure remains. */
export const saveCompletion = (
  db: Sql,
  { id, owner, generation }: Claim,
  { status, now }: { status: 'stopped' | 'destroyed'; now: Date },
) =>
  hasRows(db.sql`
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
             retry_at = case when ${status} = 'stopped' and desired = 'running' and suspended_by is null then retry_at end
       where id = ${id} and generation = ${generation} and lease_owner = ${owner}
      returning id, suspended_by
    ), released as (
      update deploy_releases r
         set sealed_env = '', status = case when r.status = 'pending' then 'superseded' else r.status end
        from written
       where r.deployment_id = written.id and ${status} = 'destroyed'
    ), forgotten as (
      delete from deploy_instances i using written where i.deployment_id = written.id and ${status} = 'destroyed'
    ), ended as (
      update deploy_instances i
         set generation = null, starting_since = null, restarts_seen = null, restart_times = '{}', attempts = 0, next_attempt_at = now(),
             health_status = null
        from written where i.deployment_id = written.id and ${status} = 'stopped'
    ), settled as (
      update deploy_logs l
         set status = case when l.generation = ${generation} or (l.action = 'suspend' and suspended_by is not null)
                           then 'succeeded' else 'superseded' end,
             settled_at = ${now}
        from written
       where l.deployment_id = written.id and l.status = 'pending' and l.generation <= ${generation}
    )
    select pg_notify(${routes_channel}, id::text) from written`)

/** The release of a deployment's serving generation, which may differ from its target. */
export const findServed = (db: Sql, id: string) =>
  firstRow(db.sql<Served>`
    select container_image, port, health_path, sealed_env, memory_limit_mb, cpu_limit_millicores from deployments where id = ${id}`)

type Served = Pick<
  WorkRow,
  'container_image' | 'port' | 'health_path' | 'sealed_env' | 'memory_limit_mb' | 'cpu_limit_millicores'
>

/** True if another instance of the app is on this host, not counting the given one or, without a number, the whole deployment. */
export const isAppOnHost = (
  db: Sql,
  { id, app_id, host, number }: { id: string; app_id: string; host: string; number: number | null },
) =>
  hasRows(db.sql`
    select 1 from deploy_instances i join deployments d on d.id = i.deployment_id
     where i.host_server = ${host} and d.app_id = ${app_id} and d.status <> 'destroyed'
       and (i.deployment_id <> ${id} or i.number <> ${number}::integer)
     limit 1`)

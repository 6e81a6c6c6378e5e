import { json, type Sql } from '../../platform/postgres/database.ts'
import { routes_channel } from '../channels.ts'
import type { Claim } from './leases.store.ts'
import { shown_health, type FinalCause, type Port } from './plan.rules.ts'

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

/** Removes a deployment's route. */
export const unroute = async (db: Sql, { id, owner, generation }: Claim) =>
  hasWritten(
    await db.sql`
    with written as (
      update deployments
         set serving_generation = null, endpoint_host = null, endpoint_port = null
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

/** Saves that a generation serves: its pending entries succeed, older ones are superseded. */
export const saveServing = async (db: Sql, { id, owner, generation }: Claim, serving: ServingRecord) =>
  hasWritten(
    await db.sql`
    with written as (
      update deployments
         set status = 'running',
             health_status = 'healthy',
             last_health_check = ${serving.now},
             deployed_at = case when serving_generation is distinct from ${serving.generation}::integer
                                then ${serving.now}::timestamptz else deployed_at end,
             stopped_at = null,
             serving_generation = ${serving.generation},
             endpoint_host = ${serving.endpoint.host},
             endpoint_port = ${serving.endpoint.port},
             image_digest = coalesce(${serving.image}, image_digest),
             image_generation = ${serving.generation},
             restarts_seen = ${serving.restarts},
             attempts = 0,
             transient_since = null,
             last_error = case when failed_generation = generation then last_error end
       where id = ${id} and generation = ${generation} and lease_owner = ${owner}
      returning id
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

export interface FailureRecord {
  /** The failed generation; if it was the serving one, nothing serves afterwards. */
  failed: number
  cause: FinalCause
  message: string
  /** The restart count of the older generation that goes on serving. */
  restarts_seen: number
  log_id: string
  now: Date
  details: object
}

/**
 * Saves a final failure of a generation: its pending entries fail. A generation that had been running has none; the platform's
 * stop is logged then.
 */
export const saveFailure = async (db: Sql, { id, owner, generation }: Claim, failure: FailureRecord) =>
  hasWritten(
    await db.sql`
    with before as (
      select id, serving_generation is not distinct from ${failure.failed}::integer as was_serving from deployments
       where id = ${id} and generation = ${generation} and lease_owner = ${owner} for update
    ), written as (
      update deployments d
         set failed_generation = d.generation,
             status = case when was_serving or d.endpoint_host is null then d.status else 'running' end,
             serving_generation = case when was_serving then null else d.serving_generation end,
             endpoint_host = case when was_serving then null else endpoint_host end,
             endpoint_port = case when was_serving then null else endpoint_port end,
             last_error = ${`${failure.cause}: ${failure.message}`},
             -- The next health probe fills it in for an older generation that goes on serving.
             health_status = case when was_serving or d.serving_generation is null then ${shown_health[failure.cause] ?? failure.cause} end,
             restarts_seen = ${failure.restarts_seen}::integer,
             restart_times = '{}',
             attempts = 0,
             transient_since = null
        from before
       where d.id = before.id
      returning d.id, d.generation
    ), settled as (
      update deploy_logs l
         set status = case when l.generation = ${generation} then 'failed' else 'superseded' end,
             details = case when l.generation = ${generation} then l.details || ${json(failure.details)}::jsonb
                            else l.details end,
             settled_at = ${failure.now}
        from written
       where l.deployment_id = written.id and l.status = 'pending' and l.generation <= ${generation}
      returning l.id
    ), logged as (
      insert into deploy_logs (id, deployment_id, generation, action, status, initiated_by, details, inserted_at, settled_at)
      select ${failure.log_id}, id, generation, 'stop', 'succeeded', null, ${json(failure.details)}::jsonb,
             ${failure.now}, ${failure.now}
        from written
       where not exists (select 1 from settled)
    )
    select pg_notify(${routes_channel}, id::text) from written`,
  )

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
             stopped_at = case when ${status} = 'stopped' and status <> 'stopped' then ${now}::timestamptz else stopped_at end,
             destroyed_at = case when ${status} = 'destroyed' then ${now}::timestamptz end,
             attempts = 0,
             transient_since = null,
             restart_times = '{}'
       where id = ${id} and generation = ${generation} and lease_owner = ${owner}
      returning id, suspended_by
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

/** Whether another deployment of the app is on this host. */
export async function isAppOnHost(db: Sql, app_id: string, host: string, except: string) {
  const rows = await db.sql`
    select 1 from deployments
     where app_id = ${app_id} and host_server = ${host} and id <> ${except} and status <> 'destroyed' limit 1`
  return rows.length > 0
}

import { firstRow, json, type Database, type Tx } from '../../../platform/postgres/database.ts'
import { routes_channel } from '../../channels.ts'
import type { Claim } from './leases.store.ts'
import type { InstanceClaim } from './instances.store.ts'
import { crashBackoffSeconds, held_seconds, retried_causes, shown_health, type FinalCause } from './plan.rules.ts'

export interface FailureRecord {
  /** The failed generation. If it was the serving one, nothing serves afterwards. */
  failed: number
  cause: FinalCause
  message: string
  /** The restart count of the older generation that continues to serve; null if unknown. */
  restarts_seen: number | null
  log_id: string
  now: Date
  details: object
}

/** The state of the deployment when a generation failed. */
interface Rest {
  was_serving: boolean
  /** An older generation continues to serve. */
  has_older: boolean
  /** The other release that served last, if any. */
  good_id: string | null
  /** The image digest of that release when it served. */
  good_digest: string | null
  /** The target served before. */
  has_served: boolean
  /** Consecutive failed attempts of the target before this one. One that served long enough ends the series. */
  attempts: number
}

/**
 * Saves a final failure of a generation: its pending entries fail. A generation that was running has no pending
 * entries, so a stop by the platform is logged. The release fails too, unless an older generation of the same release
 * continues to serve. If another release served last, it becomes the target again: it continues to serve, or starts as
 * a new generation if nothing serves (D-104). A release that served and then crashed is retried after a growing delay.
 */
export const saveFailure = (db: Database, claim: InstanceClaim, failure: FailureRecord) =>
  db.transaction(async (tx) => {
    const rest = await lockFailed(tx, claim, failure.failed)
    if (!rest) return false
    if (!rest.has_older || rest.good_id !== null) await failTarget(tx, claim.id, rest.good_id, failure.details)
    await writeFailure(tx, claim, failure, rest)
    await settleFailed(tx, claim, failure)
    if (!rest.has_older) await noteOutage(tx, claim.id, failure)
    return true
  })

const lockFailed = (tx: Tx, { id, owner, generation }: Claim, failed: number) =>
  firstRow(tx.sql<Rest>`
    select d.serving_generation is not distinct from ${failed}::integer as was_serving,
           coalesce(d.serving_generation <> ${failed}::integer, false) as has_older,
           good.id as good_id, good.image_digest as good_digest,
           exists (select from deploy_releases r
                    where r.deployment_id = d.id and r.is_target and r.served_at is not null) as has_served,
           case when d.deployed_at < now() - make_interval(secs => ${held_seconds}) then 0 else d.attempts end as attempts
      from deployments d
      left join deploy_releases good on good.deployment_id = d.id and good.status = 'current' and not good.is_target
     where d.id = ${id} and d.generation = ${generation} and d.lease_owner = ${owner}
       for update of d`)

/** Marks the target as failed. The good release becomes the target if there is one. */
const failTarget = (tx: Tx, deployment_id: string, good_id: string | null, details: object) =>
  tx.sql`
    update deploy_releases r
       set is_target = case when r.is_target then ${good_id}::uuid is null else true end,
           status = case when r.is_target then 'failed' else r.status end,
           failure = case when r.is_target then ${json(details)}::jsonb else r.failure end
     where r.deployment_id = ${deployment_id} and (r.is_target or r.id = ${good_id}::uuid)`

const writeFailure = (
  tx: Tx,
  { id, number }: InstanceClaim,
  { failed, cause, message, restarts_seen }: FailureRecord,
  { was_serving, has_older, good_id, good_digest, has_served, attempts }: Rest,
) => {
  const is_good_started = good_id !== null && !has_older
  const is_retried = good_id === null && !has_older && has_served && retried_causes.includes(cause)
  return tx.sql`
    with instance as (
      update deploy_instances i
         set serving_generation = case when ${was_serving}::boolean then null else i.serving_generation end,
             generation = case when ${was_serving}::boolean then null else i.serving_generation end,
             endpoint_host = case when i.serving_generation = ${failed}::integer then null else i.endpoint_host end,
             endpoint_port = case when i.serving_generation = ${failed}::integer then null else i.endpoint_port end,
             health_status = null, starting_since = null, restarts_seen = ${restarts_seen}::integer, restart_times = '{}', attempts = 0,
             next_attempt_at = now(), last_error = null
       where i.deployment_id = ${id} and i.number = ${number}
    )
    update deployments
       set failed_generation = case when ${is_good_started}::boolean then failed_generation else generation end,
           generation = case when ${is_good_started}::boolean then generation + 1 else generation end,
           attempts = case when ${is_retried}::boolean then ${attempts + 1}::integer else attempts end,
           retry_at = case when ${is_retried}::boolean then now() + make_interval(secs => ${crashBackoffSeconds(attempts)}) end,
           -- The image as it served, not what its tag names now.
           image_digest = case when ${is_good_started}::boolean then ${good_digest} else image_digest end,
           image_generation = case when ${is_good_started}::boolean then generation + 1 else image_generation end,
           status = case when ${is_good_started}::boolean then 'deploying'
                         when ${was_serving}::boolean or endpoint_host is null then status else 'running' end,
           -- The next health probe fills it in for an older generation that goes on serving.
           health_status = case when ${is_good_started}::boolean then 'starting'
                                when ${was_serving}::boolean or serving_generation is null
                                then ${shown_health[cause] ?? cause} end,
           serving_generation = case when ${was_serving}::boolean then null else serving_generation end,
           last_error = ${`${cause}: ${message}`}
     where id = ${id}`
}

const settleFailed = (tx: Tx, { id, generation }: Claim, { log_id, details, now }: FailureRecord) =>
  tx.sql`
    with settled as (
      update deploy_logs l
         set status = case when l.generation = ${generation} then 'failed' else 'superseded' end,
             details = case when l.generation = ${generation} then l.details || ${json(details)}::jsonb else l.details end,
             settled_at = ${now}
       where l.deployment_id = ${id} and l.status = 'pending' and l.generation <= ${generation}
      returning l.id
    ), logged as (
      insert into deploy_logs (id, deployment_id, generation, action, status, initiated_by, details, inserted_at, settled_at)
      select ${log_id}, ${id}::uuid, ${generation}::integer, 'stop', 'succeeded', null, ${json(details)}::jsonb,
             ${now}::timestamptz, ${now}::timestamptz
       where not exists (select 1 from settled)
    )
    select pg_notify(${routes_channel}, ${id}::text)`

/** Records that nothing serves for now. `deployments.watch` notifies the owner, and notifies again if an earlier cause was reported. */
const noteOutage = (tx: Tx, deployment_id: string, { cause, now }: FailureRecord) =>
  tx.sql`
    insert into deploy_watch as known (deployment_id, down_since, cause)
    values (${deployment_id}, ${now}, ${cause})
    on conflict (deployment_id) do update
       set down_since = coalesce(known.down_since, excluded.down_since), cause = excluded.cause,
           told = known.told and known.cause is not distinct from excluded.cause, unwell_since = null`

import { json, type Database, type Tx } from '../../platform/postgres/database.ts'
import { routes_channel } from '../channels.ts'
import type { Claim } from './leases.store.ts'
import { shown_health, type FinalCause } from './plan.rules.ts'

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

/** What is left when a generation fails. */
interface Rest {
  was_serving: boolean
  /** An older generation goes on serving. */
  has_older: boolean
  /** Another release served last. */
  good_id: string | null
  /** Its image as it served. */
  good_digest: string | null
}

/**
 * Saves a final failure of a generation: its pending entries fail. A generation that had been running has none; the platform's
 * stop is logged then. The release fails with it, unless an older generation of the same goes on serving. Where another release
 * served last, it is the target again: it goes on serving, or it is started as a new generation where nothing serves (D-104).
 */
export const saveFailure = (db: Database, claim: Claim, failure: FailureRecord) =>
  db.transaction(async (tx) => {
    const rest = await lockFailed(tx, claim, failure.failed)
    if (!rest) return false
    if (!rest.has_older || rest.good_id !== null) await failTarget(tx, claim.id, rest.good_id, failure.details)
    const is_good_started = rest.good_id !== null && !rest.has_older
    await writeFailure(tx, claim, failure, rest, is_good_started)
    await settleFailed(tx, claim, failure)
    if (!rest.has_older) await noteOutage(tx, claim.id, failure)
    return true
  })

async function lockFailed(tx: Tx, { id, owner, generation }: Claim, failed: number) {
  const [rest] = await tx.sql<Rest>`
    select d.serving_generation is not distinct from ${failed}::integer as was_serving,
           coalesce(d.serving_generation <> ${failed}::integer, false) as has_older,
           good.id as good_id, good.image_digest as good_digest
      from deployments d
      left join deploy_releases good on good.deployment_id = d.id and good.status = 'current' and not good.is_target
     where d.id = ${id} and d.generation = ${generation} and d.lease_owner = ${owner}
       for update of d`
  return rest
}

/** The target fails; where there is a good one, that is the target. */
const failTarget = (tx: Tx, deployment_id: string, good_id: string | null, details: object) =>
  tx.sql`
    update deploy_releases r
       set is_target = case when r.is_target then ${good_id}::uuid is null else true end,
           status = case when r.is_target then 'failed' else r.status end,
           failure = case when r.is_target then ${json(details)}::jsonb else r.failure end
     where r.deployment_id = ${deployment_id} and (r.is_target or r.id = ${good_id}::uuid)`

const writeFailure = (
  tx: Tx,
  { id }: Claim,
  { cause, message, restarts_seen }: FailureRecord,
  { was_serving, good_digest }: Rest,
  is_good_started: boolean,
) =>
  tx.sql`
    update deployments
       set failed_generation = case when ${is_good_started}::boolean then failed_generation else generation end,
           generation = case when ${is_good_started}::boolean then generation + 1 else generation end,
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
           endpoint_host = case when ${was_serving}::boolean then null else endpoint_host end,
           endpoint_port = case when ${was_serving}::boolean then null else endpoint_port end,
           last_error = ${`${cause}: ${message}`},
           restarts_seen = ${restarts_seen}::integer,
           restart_times = '{}',
           attempts = 0,
           transient_since = null
     where id = ${id}`

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

/** Nothing serves any more, at least for a while: `deployments.watch` tells the owner, anew where they knew of an earlier cause. */
const noteOutage = (tx: Tx, deployment_id: string, { cause, now }: FailureRecord) =>
  tx.sql`
    insert into deploy_watch as known (deployment_id, down_since, cause)
    values (${deployment_id}, ${now}, ${cause})
    on conflict (deployment_id) do update
       set down_since = coalesce(known.down_since, excluded.down_since), cause = excluded.cause, told = false, unwell_since = null`

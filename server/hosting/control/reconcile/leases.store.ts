import type { Sql } from '../../../platform/postgres/database.ts'
import type { PlanInput } from './plan.rules.ts'

export interface WorkRow extends PlanInput {
  id: string
  app_id: string
  /** This and the next five fields are of the release that the latest generation runs (D-104). */
  container_image: string
  port: number
  health_path: string | null
  sealed_env: Buffer
  memory_limit_mb: number
  cpu_limit_millicores: number
  /** The memory that the serving release may use. The target release may need more. */
  reserved_memory_mb: number
  image_digest: string | null
  image_generation: number | null
  /** The host of the first instance, if any. */
  host_server: string | null
  last_error: string | null
}

/** Guards every write of a worker: a write succeeds only while the lease is the owner's and the generation is the latest. */
export interface Claim {
  id: string
  owner: string
  generation: number
}

export const claimOf = ({ id, generation }: Pick<WorkRow, 'id' | 'generation'>, owner: string): Claim => ({
  id,
  owner,
  generation,
})

export interface ClaimQuery {
  owner: string
  lease_seconds: number
  /** Hosts with capacity for more work; deployments without a host are always claimed. */
  hosts: string[]
  /** Deployments that this process works on. Any other lease of this process remained because its release was lost; it is claimed again. */
  leased_ids: string[]
  rows_max: number
}

/** Leases due deployments for `lease_seconds`. Both use the database's clock. */
export async function claimDue(db: Sql, { owner, lease_seconds, hosts, leased_ids, rows_max }: ClaimQuery) {
  const due = await db.sql<{ id: string }>`
    with due as materialized (
      select id from deployments
       where status <> 'destroyed'
         and next_attempt_at <= now()
         and (lease_until is null or lease_until < now() or lease_owner = ${owner})
         and id <> all(${leased_ids}::uuid[])
         and (host_server is null or host_server = any(${hosts}::text[]))
       order by next_attempt_at
       limit ${rows_max}
         for update skip locked
    )
    update deployments d
       set lease_owner = ${owner}, lease_until = now() + make_interval(secs => ${lease_seconds})
      from due
     where d.id = due.id
    returning d.id`
  return due.length === 0 ? [] : listLeased(db, { ids: due.map(({ id }) => id), owner })
}

/** The current row; undefined once another owner has the lease. */
export async function findLeased(db: Sql, { id, owner }: Pick<Claim, 'id' | 'owner'>): Promise<WorkRow | undefined> {
  const [row] = await listLeased(db, { ids: [id], owner })
  return row
}

const listLeased = (db: Sql, { ids, owner }: { ids: string[]; owner: string }) =>
  db.sql<WorkRow>`
    select d.id, d.app_id, d.generation, d.desired, d.suspended_by, d.billing_status, d.status, d.host_server,
           d.serving_generation, d.failed_generation, extract(epoch from d.retry_at - now())::float8 as retry_seconds,
           coalesce(r.container_image, d.container_image) as container_image, coalesce(r.port, d.port) as port,
           case when r.id is null then d.health_path else r.health_path end as health_path,
           coalesce(r.sealed_env, d.sealed_env) as sealed_env,
           coalesce(r.memory_limit_mb, d.memory_limit_mb) as memory_limit_mb,
           coalesce(r.cpu_limit_millicores, d.cpu_limit_millicores) as cpu_limit_millicores,
           d.replicas, instances_of(d.id) as instances,
           d.memory_limit_mb as reserved_memory_mb, d.image_digest, d.image_generation, d.last_error,
           exists (select from deploy_logs l where l.deployment_id = d.id and l.status = 'pending') as is_open
      from deployments d left join deploy_releases r on r.deployment_id = d.id and r.is_target
     where d.id = any(${ids}::uuid[])
       and d.lease_owner = ${owner}`

/** Renews the leases that are still the owner's; returns their ids with the latest generation. */
export async function renewLeases(db: Sql, owner: string, ids: string[], lease_seconds: number) {
  const rows = await db.sql<{ id: string; generation: number }>`
    update deployments
       set lease_until = now() + make_interval(secs => ${lease_seconds})
     where id = any(${ids}::uuid[])
       and lease_owner = ${owner}
    returning id, generation`
  return new Map(rows.map(({ id, generation }) => [id, generation]))
}

/**
 * Releases the lease. The deployment is due again after `seconds`; without them, only after a change. A newer
 * generation keeps its due time.
 */
export const releaseLease = (db: Sql, { id, owner, generation }: Claim, seconds: number | undefined) =>
  db.sql`
    update deployments
       set lease_owner = null,
           lease_until = null,
           next_attempt_at = case
             when generation <> ${generation} then next_attempt_at
             when ${seconds ?? null}::float8 is null then 'infinity'
             else now() + make_interval(secs => coalesce(${seconds ?? null}::float8, 0))
           end
     where id = ${id}
       and lease_owner = ${owner}`

/** Makes unleased deployments due now. */
export const makeDue = (db: Sql, ids: string[]) =>
  db.sql`
    update deployments
       set next_attempt_at = now()
     where id = any(${ids}::uuid[])
       and (lease_until is null or lease_until < now())`

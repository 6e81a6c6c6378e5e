import type { Static } from 'typebox'
import type { admin_deploy_tier } from '../../../contract/admin-deployments.ts'
import { firstRow, type Sql, type Tx } from '../../platform/postgres/database.ts'

export type TierRow = Static<typeof admin_deploy_tier>

/** The fields of a tier that an admin sets. */
type TierSettings = Omit<TierRow, 'id' | 'inserted_at' | 'updated_at'>

const offered_max = 200

/** The tiers on offer, smallest first. */
export const listOfferedTiers = (db: Sql) =>
  db.sql<TierRow>`
    select *, replicas_max_of(id) as replicas_max from deploy_tiers where not retired order by memory_limit_mb, slug limit ${offered_max}`

/** A tier on offer by its slug, locked against changes until the transaction ends. */
export async function findOfferedTier(tx: Tx, slug: string) {
  const [row] =
    await tx.sql<TierRow>`select *, replicas_max_of(id) as replicas_max from deploy_tiers where slug = ${slug} and not retired for share`
  return row
}

/** Any tier, including one that is no longer offered. */
export const findTier = (db: Sql, id: string) =>
  firstRow(db.sql<TierRow>`select *, replicas_max_of(id) as replicas_max from deploy_tiers where id = ${id}`)

// Administration

export const listTiersNewestFirst = (
  db: Sql,
  { before_id, rows_max }: { before_id: string | null; rows_max: number },
) =>
  db.sql<TierRow>`
    select *, replicas_max_of(id) as replicas_max from deploy_tiers
     where ${before_id}::uuid is null or id < ${before_id}
     order by id desc
     limit ${rows_max}`

/** Inserts a tier, or replaces all settings of the one with this id. */
export async function saveTier(tx: Tx, id: string, tier: TierSettings, now: Date) {
  const [row] = await tx.sql<TierRow>`
    insert into deploy_tiers (id, name, slug, payment_method, memory_limit_mb, cpu_limit_millicores,
                              custom_domain_allowed, monthly_stipend_points, ad_reach_multiplier, monthly_cost_points,
                              monthly_cost_sats, retired, inserted_at, updated_at)
    values (${id}, ${tier.name}, ${tier.slug}, ${tier.payment_method}, ${tier.memory_limit_mb},
            ${tier.cpu_limit_millicores}, ${tier.custom_domain_allowed}, ${tier.monthly_stipend_points},
            ${tier.ad_reach_multiplier}, ${tier.monthly_cost_points}, ${tier.monthly_cost_sats}, ${tier.retired},
            ${now}, ${now})
    on conflict (id) do update
       set name = excluded.name, slug = excluded.slug, payment_method = excluded.payment_method,
           memory_limit_mb = excluded.memory_limit_mb, cpu_limit_millicores = excluded.cpu_limit_millicores,
           custom_domain_allowed = excluded.custom_domain_allowed,
           monthly_stipend_points = excluded.monthly_stipend_points, ad_reach_multiplier = excluded.ad_reach_multiplier,
           monthly_cost_points = excluded.monthly_cost_points, monthly_cost_sats = excluded.monthly_cost_sats,
           retired = excluded.retired, updated_at = excluded.updated_at
    returning *, ${tier.replicas_max}::integer as replicas_max`
  await tx.sql`
    insert into deploy_tier_replicas (deploy_tier_id, replicas_max) values (${id}, ${tier.replicas_max})
    on conflict (deploy_tier_id) do update set replicas_max = excluded.replicas_max`
  return row!
}

export async function lockTier(tx: Tx, id: string) {
  const [row] =
    await tx.sql<TierRow>`select *, replicas_max_of(id) as replicas_max from deploy_tiers where id = ${id} for update`
  return row
}

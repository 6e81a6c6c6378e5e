import { violates, type Sql, type Tx } from '../../platform/postgres/database.ts'
import { Failure } from '../../platform/failure.ts'
import { cursorId, pageSize, toPage, type PageQuery } from '../../platform/page.ts'
import {
  insertTier,
  listTiersNewestFirst,
  lockTier,
  replaceTier,
  type TierRow,
  type TierSettings,
} from './tiers.store.ts'

export type { TierSettings }

/** A page of all tiers for an admin, newest first. */
export async function reviewTiers(db: Sql, query: PageQuery) {
  const size = pageSize(query)
  const rows = await listTiersNewestFirst(db, { before_id: cursorId(query), rows_max: size + 1 })
  return toPage(rows, size, (row) => row.id)
}

export type NewTier = Partial<TierSettings> &
  Pick<TierSettings, 'name' | 'slug' | 'payment_method' | 'memory_limit_mb' | 'cpu_limit_millicores'>

/** Adds a tier, in the admin's transaction (D-81). Fails with `slug_taken`. */
export function createTier(tx: Tx, id: string, sent: NewTier, now: Date) {
  const defaults = {
    custom_domain_allowed: false,
    replicas_max: 1,
    monthly_stipend_points: 0,
    ad_reach_multiplier: '1.0',
    retired: false,
  }
  const no_prices = { monthly_cost_points: null, monthly_cost_sats: null }
  const settings = { ...mergeSettings({ ...defaults, ...no_prices, ...requiredSettings(sent) }, sent), retired: false }
  return mapSlugConflict(insertTier(tx, id, settings, now))
}

const requiredSettings = ({ name, slug, payment_method, memory_limit_mb, cpu_limit_millicores }: NewTier) => ({
  name,
  slug,
  payment_method,
  memory_limit_mb,
  cpu_limit_millicores,
})

/** Updates the given fields of a tier, in the admin's transaction. Fails with `not_found` or `slug_taken`. */
export async function changeTier(tx: Tx, id: string, sent: Partial<TierSettings>, now: Date) {
  const before = await lockTier(tx, id)
  if (!before) throw new Failure('not_found', { deploy_tier_id: id })
  return mapSlugConflict(replaceTier(tx, id, mergeSettings(before, sent), now))
}

function mergeSettings(before: TierSettings, sent: Partial<TierSettings>): TierSettings {
  const { monthly_cost_points, monthly_cost_sats } = sent
  return {
    name: sent.name ?? before.name,
    slug: sent.slug ?? before.slug,
    payment_method: sent.payment_method ?? before.payment_method,
    memory_limit_mb: sent.memory_limit_mb ?? before.memory_limit_mb,
    cpu_limit_millicores: sent.cpu_limit_millicores ?? before.cpu_limit_millicores,
    custom_domain_allowed: sent.custom_domain_allowed ?? before.custom_domain_allowed,
    replicas_max: sent.replicas_max ?? before.replicas_max,
    monthly_stipend_points: sent.monthly_stipend_points ?? before.monthly_stipend_points,
    ad_reach_multiplier: sent.ad_reach_multiplier ?? before.ad_reach_multiplier,
    monthly_cost_points: monthly_cost_points === undefined ? before.monthly_cost_points : monthly_cost_points,
    monthly_cost_sats: monthly_cost_sats === undefined ? before.monthly_cost_sats : monthly_cost_sats,
    retired: sent.retired ?? before.retired,
  }
}

async function mapSlugConflict(written: Promise<TierRow>) {
  try {
    return await written
  } catch (error) {
    throw violates(error, 'deploy_tiers_slug_key') ? new Failure('slug_taken') : error
  }
}

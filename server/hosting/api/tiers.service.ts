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

/** The whole catalogue for an admin, in order of id. */
export async function reviewTiers(db: Sql, query: PageQuery) {
  const size = pageSize(query)
  const rows = await listTiersNewestFirst(db, { before_id: cursorId(query), rows_max: size + 1 })
  return toPage(rows, size, (row) => row.id)
}

export type NewTier = Partial<TierSettings> &
  Pick<TierSettings, 'name' | 'slug' | 'payment_method' | 'memory_limit_mb' | 'cpu_limit_millicores'>

/** Adds a tier, inside the admin's transaction (D-81). Fails with `slug_taken`. */
export function createTier(tx: Tx, id: string, sent: NewTier, now: Date) {
  const bare = { custom_domain_allowed: false, monthly_stipend_points: 0, ad_reach_multiplier: '1.0', retired: false }
  const free = { monthly_cost_points: null, monthly_cost_sats: null }
  const settings = { ...settingsAfter({ ...bare, ...free, ...required(sent) }, sent), retired: false }
  return refusingTakenSlugs(insertTier(tx, id, settings, now))
}

const required = ({ name, slug, payment_method, memory_limit_mb, cpu_limit_millicores }: NewTier) => ({
  name,
  slug,
  payment_method,
  memory_limit_mb,
  cpu_limit_millicores,
})

/** Changes a tier, inside the admin's transaction: what is sent is set. Fails with `not_found` or `slug_taken`. */
export async function changeTier(tx: Tx, id: string, sent: Partial<TierSettings>, now: Date) {
  const before = await lockTier(tx, id)
  if (!before) throw new Failure('not_found', { deploy_tier_id: id })
  return refusingTakenSlugs(replaceTier(tx, id, settingsAfter(before, sent), now))
}

function settingsAfter(before: TierSettings, sent: Partial<TierSettings>): TierSettings {
  const { monthly_cost_points, monthly_cost_sats } = sent
  return {
    name: sent.name ?? before.name,
    slug: sent.slug ?? before.slug,
    payment_method: sent.payment_method ?? before.payment_method,
    memory_limit_mb: sent.memory_limit_mb ?? before.memory_limit_mb,
    cpu_limit_millicores: sent.cpu_limit_millicores ?? before.cpu_limit_millicores,
    custom_domain_allowed: sent.custom_domain_allowed ?? before.custom_domain_allowed,
    monthly_stipend_points: sent.monthly_stipend_points ?? before.monthly_stipend_points,
    ad_reach_multiplier: sent.ad_reach_multiplier ?? before.ad_reach_multiplier,
    monthly_cost_points: monthly_cost_points === undefined ? before.monthly_cost_points : monthly_cost_points,
    monthly_cost_sats: monthly_cost_sats === undefined ? before.monthly_cost_sats : monthly_cost_sats,
    retired: sent.retired ?? before.retired,
  }
}

async function refusingTakenSlugs(written: Promise<TierRow>) {
  try {
    return await written
  } catch (error) {
    throw violates(error, 'deploy_tiers_slug_key') ? new Failure('slug_taken') : error
  }
}
